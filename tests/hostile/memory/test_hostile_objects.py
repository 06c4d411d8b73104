"""C whose declarations do not tell which memory a name means: copies per thread, aliases, weak constants; and
comparators that look further than the elements are large."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.hostile_c import is_parallel, last_loops, left_out

_HEAD = "int a[300], b[300]; double x[300];\n"
_THREADS = (
    _HEAD
    + """static _Thread_local int *tp; static __thread int *row[4]; extern __thread int seen;
    _Thread_local struct { int q, r[3]; } ts; _Thread_local int tv; int __thread ta[9];
    static int get(void) { return tp != 0; } static int *address(void) { return &tv; }
    static int *inner(void) { return ts.r; } static int rec(int k) { return k ? rec(k - 1) : ta[k]; }
"""
)

OWN = {
    "a pointer": "a[i] = tp == b;",
    "a pointer as a condition": "x[i] = tp ? 1 : 2;",
    "what a pointer points to": "a[i] = tp[3];",
    "an array of pointers": "a[i] = row[1] != 0;",
    "an array": "a[i] = ta[1];",
    "a structure": "a[i] = ts.r[1];",
    "a number of another file": "a[i] = seen;",
    "a number that is written": "tv = i; a[i] = tv;",
    "an address": "a[i] = &tv == q;",
    "the address of an element": "a[i] = &ta[1] == q;",
    "a part": "int *p = ts.r; a[i] = p[1];",
    "an array's address": "int *p = ta; a[i] = p[1];",
    "in a function": "a[i] = get();",
    "an address from a function": "a[i] = *address();",
    "a part from a function": "a[i] = inner()[1];",
    "in a function that calls itself": "a[i] = rec(3);",
    "in the loop": "static __thread int c; a[i] = c;",
    "copied": "memcpy(&b[i], ta, 4);",
}


@pytest.mark.parametrize("body", OWN.values(), ids=OWN.keys())
def test_each_thread_has_its_own(body: str) -> None:
    text = (
        f"#include <string.h>\n{_THREADS} void f(int n, int *q) {{ tp = b; for "
        f"(int i = 0; i < n; i++) {{ {body} }} }}"
    )
    loop = last_loops(text)["f"]
    assert loop.verdict is Verdict.SERIAL
    if "rec" not in body:
        assert {reason.code for reason in loop.reasons} & {"CV304"}


SHARED = {
    "a size": "a[i] = sizeof(tv) + sizeof ta;",
    "a copy": "a[i] = t;",
    "a variable of the function": "auto int u = t; a[i] = u;",
    "static": "static int c = 3; a[i] = c;",
}


@pytest.mark.parametrize("body", SHARED.values(), ids=SHARED.keys())
def test_each_thread_has_the_same(body: str) -> None:
    assert is_parallel(f"{_THREADS} void f(int n) {{ int t = tv; for (int i = 0; i < n; i++) {{ {body} }} }}")


def test_a_volatile_variable_has_another_value_each_time() -> None:
    text = (
        "volatile int v; int a[300]; void f(int n) { v = 1; int k = v; for "
        "(int i = 0; i < n; i++) a[k * i] = i; }"
    )
    assert last_loops(text)["f"].conditions == ("k >= 1",)
    assert is_parallel(text.replace("volatile", ""))


ALIASES = {
    "weak": "#pragma weak bb = aa\nint aa[300]; extern int bb[300];",
    "weak, behind": "int aa[300]; extern int bb[300];\n#pragma weak bb = aa\n",
    "by an operator": '_Pragma("weak bb = aa") int aa[300]; extern int bb[300];',
    "renamed": "#pragma redefine_extname bb aa\nint aa[300]; extern int bb[300];",
    "by an attribute": 'int aa[300]; extern int bb[300] __attribute__((alias("aa")));',
    "by an attribute with underscores": 'int aa[300]; extern int bb[300] __attribute__((__alias__("aa")));',
    "by a label": 'int aa[300]; extern int bb[300] asm("aa");',
}
USES = {
    "arrays": "for (int i = 0; i < n; i++) aa[i + 1] = bb[i] + 1;",
    "pointers": "int *p = aa, *q = bb; for (int i = 0; i < n; i++) p[i + 1] = q[i] + 1;",
    "parameters": "put(aa, bb, n); for (int i = 0; i < n; i++) aa[1] = bb[0] + i;",
    "a number": "aa[0] = 1; bb[0] = 0; int k = aa[0]; for (int i = 0; i < n; i++) a[k * i] = i;",
    "a copy": "for (int i = 0; i < n; i++) memcpy(&aa[i + 1], &bb[i], 4);",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
@pytest.mark.parametrize("declared", ALIASES.values(), ids=ALIASES.keys())
def test_two_names_are_one_variable(declared: str, use: str) -> None:
    text = f"""#include <string.h>
        {_HEAD}{declared}
        static void put(int *x, int *y, int n) {{ for (int i = 0; i < n; i++) x[i + 1] = y[i] + 1; }}
        void f(int n) {{ {use} }}"""
    found = last_loops(text)
    assert found["f"].verdict is not Verdict.PARALLEL
    assert found["put"].verdict is not Verdict.PARALLEL


def test_two_names_are_one_number() -> None:
    for declared in (
        "int k; extern int kk;\n#pragma weak kk = k\n",
        'int k; extern int kk __attribute__((alias("k")));',
    ):
        text = (
            f"{_HEAD}{declared} void f(int n) {{ k = 1; kk = 0; for (int i = 0; i < n; i++) a[k * i] = i; }}"
        )
        assert not is_parallel(text)
        text = f"{_HEAD}{declared} void f(int n) {{ for (int i = 0; i < n; i++) {{ kk = i; a[i] = k; }} }}"
        assert not is_parallel(text)


def test_other_variables_are_no_aliases() -> None:
    for other in (
        "#pragma weak f\n",
        "#pragma weak cc = dd\n",
        '#pragma message("weak bb = aa")\n',
        "#pragma once\n",
    ):
        text = f"{other}int aa[300], bb[300]; void f(int n) {{ {USES['arrays']} }}"
        assert is_parallel(text), other


def test_a_function_that_has_two_names() -> None:
    text = """int a[300]; static int count; int g(int); int h(int i) { return i + count++; }
        #pragma weak g = h
        void f(int n) { for (int i = 0; i < n; i++) a[i] = g(i); }""".replace("        #", "#")
    assert not is_parallel(text)
    text = """int a[300]; int h(int i) { return i; }
#pragma weak h
void f(int n) { for (int i = 0; i < n; i++) a[i] = h(i); }"""
    assert not is_parallel(text)
    assert is_parallel(text.replace("#pragma weak h", ""))


def test_a_variable_that_is_not_understood_is_written() -> None:
    text = (
        'int a[300]; int __attribute__((alias("z"))) y;\nvoid g(void) { } void f(int n) { for (int '
        "i = 0; i < n; i++) { a[i] = y; y = i; } }"
    )
    assert not is_parallel(text)
    assert left_out(text)


WEAK = {
    "an attribute": "const int OFF __attribute__((weak)) = 0;",
    "an attribute in front": "__attribute__((weak)) const int OFF = 0;",
    "an attribute among others": "const int __attribute__((__weak__, aligned(8))) OFF = 0;",
    "a declaration": "extern const int OFF __attribute__((weak)); const int OFF = 0;",
    "a pragma": "#pragma weak OFF\nconst int OFF = 0;",
}


@pytest.mark.parametrize("declared", WEAK.values(), ids=WEAK.keys())
def test_a_weak_constant_may_have_another_value(declared: str) -> None:
    text = f"{_HEAD}{declared} void f(int n) {{ for (int i = 0; i < n; i++) a[i + OFF] = a[i] + 1; }}"
    assert last_loops(text)["f"].verdict is not Verdict.PARALLEL
    for plain in (
        "const int OFF = 0;",
        "const int OFF __attribute__((aligned(8))) = 0;",
        "static const int OFF = 0;",
    ):
        assert is_parallel(text.replace(declared, plain))


_MIXED = """void f(float *p, int *q, int n) { for (int i = 1; i < n; i++) p[i] = q[i - 1]; }"""
ALIASING = {
    "a pragma": '#pragma GCC optimize ("no-strict-aliasing")\n',
    "a pragma with a flag": '#pragma GCC optimize ("O3", "-fno-strict-aliasing")\n',
    "an operator": '_Pragma("GCC optimize (\\"no-strict-aliasing\\")")\n',
    "an attribute": '__attribute__((optimize("no-strict-aliasing"))) ',
    "an attribute in pieces": '__attribute__((__optimize__("no-" "strict-aliasing"))) ',
    "an attribute among others": '__attribute__((noinline, optimize("O2", "no-strict-aliasing"))) ',
    "an attribute of a prototype": '__attribute__((optimize("no-strict-aliasing"))) void f(float *, int '
    "*, int);\n",
}


@pytest.mark.parametrize("option", ALIASING.values(), ids=ALIASING.keys())
def test_an_option_lets_types_share_memory(option: str) -> None:
    assert last_loops(option + _MIXED)["f"].verdict is Verdict.CONDITIONAL
    assert is_parallel(
        option.replace("no-strict-aliasing", "O3").replace('"no-" "strict-aliasing"', '"O3"') + _MIXED
    )


@pytest.mark.parametrize("option", ["wrapv", "-fwrapv", "trapv"])
def test_an_option_makes_numbers_wrap_around(option: str) -> None:
    body = "void f(int n, int m) { for (int i = 0; i < n; i++) if (i + m < i) a[0] = i; }"
    for text in (f'#pragma GCC optimize ("{option}")\n', f'__attribute__((optimize("O2", "{option}")))\n'):
        assert "f" not in last_loops(_HEAD + text + body)
        assert "wrap around" in left_out(_HEAD + text + body)
    assert left_out(_HEAD + '#pragma GCC optimize ("O3")\n' + body) == ""


_SORTED = """#include <stdlib.h>
struct Four { int k, v[3]; }; struct One { int k; }; struct Open { int k; int v[]; }; typedef
    struct Four four;
int w[400]; struct Four s[400]; struct One o[400]; struct Open u[9]; double d[400]; float e[400]; int *p[400];
#define COMPARE(name, type, member) \\
    static int name(const void *p, const void *q) { \\
        const type *l = p, *r = q; return l->member < r->member ? -1 : l->member > r->member; }
#define NUMBERS(name, type) \\
    static int name(const void *p, const void *q) { \\
        type l = *(const type *)p, r = *(const type *)q; return l < r ? -1 : l > r; }
COMPARE(last, struct Four, v[2]) COMPARE(named, four, v[2]) COMPARE(only, struct One, k)
    COMPARE(behind, struct Open, v[2])
NUMBERS(ints, int) NUMBERS(doubles, double) NUMBERS(chars, char) NUMBERS(pointers, char *)
"""
WITHIN = {
    "numbers": "qsort(&w[4 * i], 4, sizeof(int), ints);",
    "numbers of a size in bytes": "qsort(&d[4 * i], 4, 8, doubles);",
    "the size of an element": "qsort(&s[4 * i], 4, sizeof s[0], last);",
    "the size of what is pointed to": "qsort(s + 4 * i, 4, sizeof *s, last);",
    "structures": "qsort(&s[4 * i], 4, sizeof(struct Four), last);",
    "structures by another name": "qsort(&s[4 * i], 4, sizeof(struct Four), named);",
    "a first member": "qsort(&s[4 * i], 4, sizeof(struct Four), ints);",
    "a part of a number": "qsort(&w[4 * i], 4, sizeof(int), chars);",
    "small structures": "qsort(&o[4 * i], 4, sizeof(struct One), only);",
}
BEYOND = {
    "structures among numbers": "qsort(&w[4 * i], 4, sizeof(int), last);",
    "structures by another name": "qsort(&w[4 * i], 4, sizeof(int), named);",
    "structures among smaller ones": "qsort(&o[4 * i], 4, sizeof(struct One), last);",
    "numbers among shorter ones": "qsort(&e[4 * i], 4, sizeof(float), doubles);",
    "numbers of a size in bytes": "qsort(&e[4 * i], 4, 4, doubles);",
    "numbers among structures": "qsort(&o[4 * i], 4, sizeof(struct One), doubles);",
    "what is behind a structure": "qsort(&u[i], 1, sizeof(struct Open), behind);",
    "pointers among numbers": "qsort(&w[4 * i], 4, sizeof w[0], pointers);",
    "a size that nobody knows": "qsort(&w[4 * i], 4, z, ints);",
    "a search": "w[i] = bsearch(&w[i], &s[0].k, 4, sizeof(int), last) != 0;",
}


@pytest.mark.parametrize("call", WITHIN.values(), ids=WITHIN.keys())
def test_a_comparator_reads_its_elements(call: str) -> None:
    assert is_parallel(f"{_SORTED} void f(size_t z) {{ for (int i = 0; i < 90; i++) {call} }}")


@pytest.mark.parametrize("call", BEYOND.values(), ids=BEYOND.keys())
def test_a_comparator_reads_beyond_its_elements(call: str) -> None:
    loop = last_loops(f"{_SORTED} void f(size_t z) {{ for (int i = 0; i < 90; i++) {call} }}")["f"]
    assert loop.verdict is Verdict.SERIAL
