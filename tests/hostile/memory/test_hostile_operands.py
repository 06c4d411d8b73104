"""C in which it matters how often an operand is evaluated, if at all: choices, lengths of arrays, sizes."""

from __future__ import annotations

import pytest

from species.facts.loops import Linear, Verdict
from tests.support.hostile_c import is_parallel, last_loops, left_out

_HEAD = """#include <stddef.h>
    #include <stdlib.h>
    int a[300], b[300], c[300]; static int count;
    static long mixed(long p, long q) { return p < q ? p : 0; }
    static int unsigned_too(int p, int q) { return p < q ? p : 7u; }
    static int least(int p, int q) { return p < q ? p : q; }
    static int bump(void) { return count++; }
"""

ONCE = {
    "of a choice of two types": "if (mixed(k++, 3) < 5) b[i] = 1;",
    "of a choice that is converted": "if (unsigned_too(k++, 3) < 5) b[i] = 1;",
    "of a choice": "if (least(k++, 3) < 5) b[i] = 1;",
    "of a choice on the other side": "if (5 > mixed(3, k++)) b[i] = 1;",
    "of a choice of different types": "if ((k++ > 3 ? 1 : 2u) < 5) b[i] = 1;",
    "of a declared length": "int t[k++ + 1]; t[0] = 0; b[i] = t[0];",
    "of a second length": "int t[3][k++ + 1]; t[0][0] = 0; b[i] = t[0][0];",
    "of a length behind a pointer": "int (*t)[k++ + 1] = 0; b[i] = t == 0;",
    "of a type's length": "typedef int t[k++ + 1]; t u; u[0] = 1; b[i] = u[0];",
    "of a size": "b[i] = sizeof(int[k++ + 1]);",
    "of a size of pointers": "b[i] = sizeof(int (*)[k++ + 1]);",
    "of a subscript of a member": "b[i] = offsetof(struct { int z[500]; }, z[k++]);",
}


@pytest.mark.parametrize("statement", ONCE.values(), ids=ONCE.keys())
def test_an_operand_is_evaluated_once(statement: str) -> None:
    for after, linear in (("c[k] = c[k + 1] + 1;", False), ("c[k] = 1;", True)):
        text = f"{_HEAD} void f(int n) {{ int k = 0; for (int i = 0; i < n; i++) {{ {statement} {after} }} }}"
        loop = last_loops(text)["f"]
        assert loop.verdict is Verdict.SERIAL or linear
        assert loop.linear in ((), (Linear("k", "1"),))


def test_counters_in_lengths_and_choices_stay_counters() -> None:
    for name in ("of a choice", "of a declared length", "of a size", "of a subscript of a member"):
        text = (
            f"{_HEAD} void f(int n) {{ int k = 0; for (int i = 0; i < n; i++) {{ {ONCE[name]} c[k] = 1; }} }}"
        )
        assert last_loops(text)["f"].linear == (Linear("k", "1"),), name
        assert is_parallel(text), name


LENGTHS = {
    "behind a pointer": "int (*p)[n] = (int (*)[n])a; n = 100; int m = sizeof(*p) - 16;",
    "of a type with a name": "typedef int t[n]; n = 100; int m = sizeof(t) - 16;",
    "of an array": "int t[n]; n = 100; int m = sizeof t - 16;",
    "of a row": "int t[3][n]; n = 100; int m = sizeof t[0] - 16;",
}


@pytest.mark.parametrize("before", LENGTHS.values(), ids=LENGTHS.keys())
def test_a_length_is_that_of_the_declaration(before: str) -> None:
    text = f"{_HEAD} void f(void) {{ int n = 4; {before} for (int i = 0; i < 50; i++) a[m * i] = i; }}"
    assert not is_parallel(text)


def test_the_size_of_an_allocation_is_that_when_it_is_made() -> None:
    text = f"""{_HEAD} void f(void) {{ int n = 1; double *p = 0; n = 100; p = malloc(n * sizeof(double));
        for (int i = 0; i < 50; i++) p[i] = i; }}"""
    assert last_loops(text)["f"].kernel is not None
    assert last_loops(text)["f"].kernel.arrays[0].extent == ("100",)  # type: ignore[union-attr]


UNEVALUATED = {
    "_Alignof": "b[i] = _Alignof(int[k++ + 1]);",
    "__alignof__": "b[i] = __alignof__(k++);",
    "__builtin_constant_p": "if (__builtin_constant_p(k++)) b[i] = 3;",
    "__builtin_constant_p of a call": "if (__builtin_constant_p(bump())) b[i] = 3; k = count;",
    "__builtin_object_size": "if (__builtin_object_size(&a[k++], 0) > 3) b[i] = 3;",
    "__builtin_dynamic_object_size": "if (__builtin_dynamic_object_size(&a[k++], 0) > 3) b[i] = 3;",
    "__builtin_choose_expr": "b[i] = __builtin_choose_expr(1, 2, k++);",
    "_Generic": "b[i] = _Generic(k++, int: 1, default: 2);",
    "_Generic, not chosen": "b[i] = _Generic(1, int: 1, default: k++);",
    "__typeof__": "__typeof__(k++) z = i; b[i] = z;",
    "a prototype": "int g(int q[k = 1]); b[i] = k;",
    "the type of a pointer to a function": "int (*g)(int q[k = 1]) = 0; b[i] = k + (g == 0);",
}


@pytest.mark.parametrize("statement", UNEVALUATED.values(), ids=UNEVALUATED.keys())
def test_an_operand_is_not_evaluated(statement: str) -> None:
    text = f"{_HEAD} void f(int n) {{ int k = 0; for (int i = 0; i < n; i++) {{ {statement} a[k] = i; }} }}"
    assert not is_parallel(text)
    assert "function 'f'" in left_out(text)


def test_sizeof_evaluates_no_plain_operand() -> None:
    text = (
        f"{_HEAD} void f(int n) {{ int k = 0; for (int i = 0; i < n; i++) {{ "
        f"b[i] = sizeof(k++); a[k] = i; }} }}"
    )
    assert not is_parallel(text)


HARMLESS = {
    "_Alignof": "a[i] = _Alignof(int) + _Alignof(double);",
    "sizes": "a[i] = sizeof(int) + sizeof(a) + sizeof b[i];",
    "__builtin_constant_p": "if (__builtin_constant_p(n)) a[i] = 3;",
    "__builtin_constant_p of a builtin": "if (__builtin_constant_p(__builtin_constant_p(n))) a[i] = 3;",
    "_Generic": "a[i] = _Generic(n, int: 1, default: 2);",
    "offsetof": "a[i] = offsetof(struct { int z[500]; }, z[3]);",
    "offsetof, of a variable's name": "int z = 3; a[i] = offsetof(struct { int z[500]; }, z[3]) + z;",
    "a member of a member": "a[i] = offsetof(struct { struct { int z[5]; } y[2]; }, y[1].z[n]);",
    "a length": "int t[n]; t[0] = i; a[i] = t[0];",
}


@pytest.mark.parametrize("statement", HARMLESS.values(), ids=HARMLESS.keys())
def test_operands_without_side_effects(statement: str) -> None:
    text = f"{_HEAD} void f(int n) {{ for (int i = 0; i < n; i++) {{ {statement} }} }}"
    assert is_parallel(text)
    assert left_out(text) == ""


PARAMETERS = {
    "that sets another": """static void put(int k, int *p, int q[k = 0]) { p[k] = q[5]; }
        void f(int n) { for (int i = 0; i < n; i++) put(i, a, b + i); }""",
    "that counts": """static int one(int i, int p[count++ + 1]) { return i; }
        void f(int n) { for (int i = 0; i < n; i++) b[i] = one(i, c) + count; }""",
    "behind a pointer": """static int one(int k, int (*p)[k = 1]) { return k; }
        void f(int n, int (*q)[1]) { for (int i = 0; i < n; i++) a[one(i, q)] = i; }""",
    "with a call": """static int one(int k, int p[bump() + 1]) { return k; }
        void f(int n) { for (int i = 0; i < n; i++) b[i] = one(i, a) + count; }""",
    "of the old kind": """static int one(p, k) int k; int p[k++]; { return k; }
        void f(int n) { for (int i = 0; i < n; i++) a[one(c, i)] = i; }""",
    "of a function that nobody calls": """void f(int k, int p[k = 1], int n) {
        for (int i = 0; i < n; i++) a[k * i] = i; }""",
    "of the function itself, in a structure": """void f(int n) { int k = 1; struct { int z[k++]; } s; k -= 2;
        for (int i = 0; i < n; i++) a[k * i] = i; }""",
}


@pytest.mark.parametrize("text", PARAMETERS.values(), ids=PARAMETERS.keys())
def test_a_declaration_has_side_effects(text: str) -> None:
    assert not is_parallel(_HEAD + text)
    assert "side effects" in left_out(_HEAD + text)


def test_a_length_reads_a_variable() -> None:
    text = f"""{_HEAD} int w; static int cell(int (*p)[w], int k) {{ return k > 90 ? cell(p, k - 1)
        : p[k][0]; }}
        void f(int n) {{ for (int i = 0; i < n; i++) {{ w = i; b[i] = cell((int (*)[w])a, 1); }} }}"""
    assert not is_parallel(text)


DECLARED = {
    "lengths": """static void set(int k, int p[k][3], int i) { p[i][0] = 1; } int m[100][3];
        void f(int n) { for (int i = 0; i < n; i++) set(100, m, i); }""",
    "the old kind": """static int at(p, k) int k; int p[k]; { return p[k]; }
        void f(int n) { for (int i = 0; i < n; i++) a[i] = at(c, i); }""",
    "the old kind, of a variable outside": """enum { k = 5 }; static int at(p, k) int p[k]; int k;
        { return p[k]; }
        void f(int n) { for (int i = 0; i < n; i++) a[i] = at(c, i); }""",
    "a static length": """static int first(int p[static 3]) { return p[0]; }
        void f(int n) { for (int i = 0; i < n; i++) a[i] = first(c + i); }""",
}


@pytest.mark.parametrize("text", DECLARED.values(), ids=DECLARED.keys())
def test_declarations_without_side_effects(text: str) -> None:
    assert is_parallel(_HEAD + text)
    assert left_out(_HEAD + text) == ""


_SHIFT = "for (int i = 0; i < n; i++) t[i + 1] = p[i] + 1; a[0] = t[3];"
GIVEN = {
    "an array": "int t[200], *p = ({ t; });",
    "an allocation": "int *t = malloc(800), *p = ({ t; });",
    "of variable length": "int t[n + 1], *p = ({ t; });",
    "an allocation that it keeps": "int *t, *p = ({ t = malloc(800); });",
    "an allocation that it keeps, behind a label": "int *t, *p = ({ n++; here: t = malloc(800); });",
    "moved": "int t[200], *p = ({ n++; t + 1; });",
    "behind a label": "int t[200], *p = ({ here: t; });",
    "twice": "int t[200], *p = ({ ({ (int *)t; }); });",
    "to a function that hands it on": "int t[200], *p = ({ b[0] = 1; (int *)memchr(t, 1, 8); });",
}


@pytest.mark.parametrize("before", GIVEN.values(), ids=GIVEN.keys())
def test_a_statement_expression_gives_a_pointer(before: str) -> None:
    text = f"#include <string.h>\n{_HEAD} void f(int n) {{ {before} {_SHIFT} }}"
    assert not is_parallel(text)


def test_a_value_that_nobody_takes() -> None:
    kept = f"{_HEAD} void f(int n, int *p) {{ int *t; {{ t = malloc(800); }} {_SHIFT} }}"
    assert is_parallel(kept)
    for statement in ("{ t; }", "t;", "if (n) { t; }", "({ t; n++; });", "while (n > 9) { n--; t; }"):
        text = f"{_HEAD} void f(int n, int *p) {{ int t[200]; {statement} {_SHIFT} }}"
        assert is_parallel(text), statement


LEFT = {
    "by goto": "if (n) { (void)({ k = 0; goto L; 1; }); } k = 1; L: LOOP",
    "by break": "switch (n) { case 1: (void)({ k = 0; break; 1; }); k = 1; break; default: k = 1; } LOOP",
    "by continue": "do { (void)({ k = 0; if (n) continue; 1; }); k = 1; } while (n > 1000); LOOP",
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_a_statement_expression_is_left(body: str) -> None:
    loop = "for (int i = 0; i < 50; i++) a[k * i] = i;"
    assert not is_parallel(f"{_HEAD} void f(int n) {{ int k = 1; {body.replace('LOOP', loop)} }}")


def test_a_statement_expression_with_jumps_of_its_own() -> None:
    inner = (
        "for (;;) { if (n > 3) break; n++; } switch (n) { case 1: break; } L: if (n > 9) { n--; goto L; } n;"
    )
    text = f"{_HEAD} void f(int n) {{ int k = ({{ {inner} }}); for (int i = 0; i < 50; i++) a[i] = k; }}"
    assert is_parallel(text)
