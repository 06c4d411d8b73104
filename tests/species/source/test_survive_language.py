"""Old, GNU, MSVC and C23 forms: understood exactly, or unknown code that costs one statement."""

from __future__ import annotations

import pytest

from species import analyse
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.hostile_c import is_parallel, last_loops, left_out

_HEAD = "int a[300], b[300]; int g(int);\n"
_LOOP = "for (int i = 0; i < 50; i++) a[i] = b[i];"
_STRIDE = "for (int i = 0; i < 50; i++) a[k * i] = b[i];"

OUTSIDE = {  # beside a function that must be analysed
    "no types at all": "h(p, q) char *p; { return q + *p; } k, *m; static n = 3; extern e; main();",
    "a list of the old kind": "int h(p, q, r) register int p; double (*q)(); char r[]; { return p; }",
    "register parameters": "h(register int p) { return p; }",
    "empty things": "struct e { }; ; struct z { int n; int rest[0]; }; int none[] = { };",
    "ranges in initialisers": "int t[9] = { [0 ... 3] = 1, [4] 2, [5 ... 8] = 3 };",
    "members in initialisers": "struct s { int x, y; } t = { x: 1, y: 2 };",
    "assertions": '_Static_assert(sizeof(int) == 4, ""); struct s { int x; _Static_assert(1, ""); };',
    "numbers": "int t = 0b1011; long u = 1'000'000; double v = 0x1.8p3, w = 1.5f;",
    "complex": "double _Complex z; __complex__ float y = 2.0i;",
    "wide": "__int128 t; unsigned __int128 u; __uint128_t v; _Float128 w; _Decimal64 x;",
    "vectors": "typedef float v4 __attribute__((vector_size(16))); v4 t;"
    "int u __attribute__((vector_size(8)));"
    "__attribute__((__vector_size__(8))) int w;",
    "typeof": "int t; typeof(t) u; __typeof__(int *) v; typeof(t + 1) w; const __typeof__(u) *x;",
    "generic": "int t = _Generic(1.0, double: 1, default: 2);",
    "atomic": "_Atomic int t; _Atomic(long) u; int *_Atomic v;",
    "extension": "__extension__ typedef long long t; __extension__ struct s { union { int x; }; };",
    "attributes": "[[nodiscard]] int h([[maybe_unused]] int p); struct [[deprecated]] s { [[x::y]] int x; };",
    "underlying types": "enum t : unsigned char { A, B }; enum u : long;",
    "from Microsoft": "__declspec(dllimport) int __cdecl h(int); unsigned __int64 t;"
    "typedef int (__stdcall *v)(int);"
    "static __forceinline int u(void) { return 1; }",
    "alignment": "_Alignas(16) int t; int u = _Alignof(int) + __alignof__(t) + __alignof t;",
    "labels": 'int h(int) __asm__("other");',
    "bits": "struct s { unsigned x : 3, : 0, y : 5; enum { A } z : 2; };",
    "types of parameters": "int h(int (*)(double, ...), int [static 3], int [*], char *restrict);",
}


@pytest.mark.parametrize("text", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_declarations(text: str) -> None:
    whole = f"{_HEAD}{text}\nvoid f(void) {{ {_LOOP} }}"
    assert left_out(whole) == ""
    assert is_parallel(whole)


UNDERSTOOD = {  # does not touch k
    "?: without middle": "int x = b[0] ?: 3; b[1] = x;",
    "a case range": "switch (b[0]) { case 1 ... 9: b[1] = 0; break; default: b[2] = 0; }",
    "typeof": "typeof(k) x = 3; __auto_type y = x; b[x] = y;",
    "a local label": "{ __label__ out; if (b[0]) goto out; b[1] = 0; out: ; }",
    "types as arguments": "b[0] = __builtin_types_compatible_p(int, long);",
    "an offset": "b[0] = __builtin_offsetof(struct { int x; }, x);",
    "attributes": "[[maybe_unused]] int x = 3; [[likely]] if (x) b[0] = 1; [[fallthrough]];",
    "attributes of GNU's": "__attribute__((unused)) int x = 3; b[0] = x; __attribute__((fallthrough));",
    "a label at the end": "{ if (b[0]) goto end; b[1] = 0; end: }",
    "a declaration behind a label": "here: int x = 3; b[0] = x;",
    "an array of labels": "static void *to[] = { &&one, &&two }; b[0] = to[0] == to[1]; one: two: b[1] = 0;",
    "an initialiser": "int x[9] = { [0 ... 3] = 1 }; b[0] = x[3];",
}


@pytest.mark.parametrize("text", UNDERSTOOD.values(), ids=UNDERSTOOD.keys())
def test_statements(text: str) -> None:
    whole = f"{_HEAD} void f(void) {{ int k = 1; {text} {_STRIDE} }}"
    assert left_out(whole) == ""
    assert is_parallel(whole)


CHANGES = {  # k may be 0, and the parser need not know it
    "?: without middle": "k = b[0] ?: 0;",
    "?: behind a call": "k = g(1) ?: 0;",
    "?: that counts": "b[0] = k-- ?: 3;",
    "a case range": "switch (b[0]) { case 1 ... 9: k = 0; }",
    "behind a case range": "switch (b[0]) { case 1 ... 9: ; default: ; case -3 ... 0: k = 0; }",
    "a computed goto": "void *p = b[0] ? &&zero : &&one; goto *p; zero: k = 0; one: ;",
    "another computed goto": "static void *to[] = { &&one, &&two }; goto *to[b[0]]; one: k = 0; two: ;",
    "a part of a number": "_Complex double z; __real__ z = k--; ",
    "a name like a type's": "{ typedef int k_t; k_t x = 0; k = x; }",
    "typeof of a pointer": "int *q = &k; typeof(q) p = q; *p = 0;",
    "__auto_type": "__auto_type p = &k; *p = 0;",
    "an inner function": "{ void zero(void) { k = 0; } zero(); }",
    "an inner function, later": "{ void zero(void) { k = 0; } g(0); } ",
    "bad words": "k = = 0;",
    "bad words with its address": "int *p; p @ &k;".replace("@", "= ="),
    "a bad condition": "if (b[0] = = 1) k = 0; else k = 2;",
    "a bad loop": "while (b[0] = = 1) { k--; }",
    "a bad switch": "switch (b[0] = = 1) { case 1: k = 0; }",
    "in a block": "{ int = 3; k = 0; }",
    "in a block, with a jump": "{ { int = 3; goto zero; } k = 1; if (0) zero: k = 0; }",
}


@pytest.mark.parametrize("text", CHANGES.values(), ids=CHANGES.keys())
def test_changes_are_seen(text: str) -> None:
    assert not is_parallel(f"{_HEAD} void f(void) {{ int k = 1; {text} {_STRIDE} }}")
    assert not is_parallel(f"{_HEAD} static int k; void f(void) {{ k = 1; {text} {_STRIDE} }}")


ONE_STATEMENT = ("k = = 0;", "if (b[0] = = 1) b[1] = 0;", "b[0] = g(1) ?: 0;", "for (;; = ) { b[1] = 0; }")


@pytest.mark.parametrize("text", ONE_STATEMENT)
def test_what_is_not_understood_costs_one_statement(text: str) -> None:
    whole = f"{_HEAD} void f(void) {{ int k = 1;\n {text}\n k = 1; {_STRIDE} }} void h(void) {{ {_LOOP} }}"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=whole)
    (lost,) = unit.diagnostics
    assert (lost.code, lost.position.line, lost.position.column) == ("CV001", 3, 2)
    assert "a statement of function 'f' is not analysed" in lost.message
    assert {loop.function: loop.verdict for loop in analyse(unit).loops} == {
        "f": Verdict.PARALLEL,
        "h": Verdict.PARALLEL,
    }


def test_jumps_out_of_unknown_code() -> None:
    text = f"""{_HEAD} int f(void) {{ int k = 1; for (int i = 0; i < 50; i++) {{
        if (b[i] = = 1) {{ if (b[0]) break; if (b[1]) return 3; if (b[2]) goto out; }}
        a[i] = 0; }} out: return 0; }}"""
    codes = {reason.code for reason in last_loops(text)["f"].reasons}
    assert {"CV301", "CV302", "CV303", "CV305"} <= codes


LOST = {  # jumps may come into the middle of what is not understood
    "a label": "if (b[0] = = 1) { here: k = 0; } if (b[1]) goto here;",
    "a case": "switch (b[0]) { case 0: if (b[0] = = 1) { case 1: k = 0; } }",
    "a case of its own": "case 3: k = = 0;",
}


@pytest.mark.parametrize("text", LOST.values(), ids=LOST.keys())
def test_jumps_into_unknown_code(text: str) -> None:
    whole = f"{_HEAD} void f(void) {{ int k = 1; {text} {_STRIDE} }}"
    assert not is_parallel(whole)
    assert "function 'f'" in left_out(whole)


def test_a_function_that_unknown_code_calls() -> None:
    text = """int a[99], b[99];
        static void put(int *p, int *q) { for (int i = 1; i < 99; i++) p[i] = q[i - 1]; }
        void f(void) { put(a, b); int k = 0; k = = put(a, a); }"""
    assert last_loops(text)["put"].verdict is not Verdict.PARALLEL


TYPES_OF = {  # unsigned char, which wraps around at 256
    "of a variable": "unsigned char x = 0; typeof(x) j = 0;",
    "of a parameter": "typeof(p) j = 0;",
    "of the outer one": "unsigned char x = 0; typeof(x) j = 0; { int x; }",
    "beside a member": "unsigned char x = 0; struct { long x; } y; typeof(x) j = 0;",
    "beside a parameter": "unsigned char x = 0; int h(long x); typeof(x) j = 0;",
    "of a type": "typedef unsigned char x; typeof(x) j = 0;",
    "not known": "typeof((unsigned char)g(0)) j = 0;",
    "guessed from its value": "__auto_type j = (unsigned char)0;",
}


@pytest.mark.parametrize("text", TYPES_OF.values(), ids=TYPES_OF.keys())
def test_typeof_finds_the_type(text: str) -> None:
    head = f"{_HEAD} void f(unsigned char p) {{ int i; {text}"
    assert not is_parallel(f"{head} for (i = 0; i < 300; i++) {{ a[j] = b[i]; j++; }} }}")
    assert is_parallel(f"{head} for (i = 0; i < 300; i++) {{ a[i] = b[i]; }} }}")


def test_typeof_where_a_constant_hides_a_variable() -> None:
    head = f"{_HEAD} long x; void f(void) {{ enum {{ x = 1 }}; typeof(x) j = 2147483647;"
    assert not is_parallel(f"{head} for (int i = 0; i < 50; i++) {{ a[(j + (long)1) * i & 255] = i; }} }}")


def test_words_of_c23_are_names_before() -> None:
    text = "typedef int bool; enum { false, true }; int nullptr, constexpr; bool h(void) { return true; }"
    assert left_out(text) == ""
    c23 = "constexpr int n = 3; bool t = true; void *p = nullptr; static_assert(1); auto x = 3;"
    unit = read_translation_unit("test.c", PreprocessOptions(std="c2x"), text=c23)
    assert [d.message for d in unit.diagnostics] == []


def test_many_losses_do_not_lose_the_file() -> None:
    bad = "".join(f"int = {k};\nint f{k}(void) {{ int = 3; return 1; }}\n" for k in range(300))
    text = f"{bad}int a[50], b[50]; void f(void) {{ {_LOOP} }}"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    assert len(unit.diagnostics) == 600
    assert analyse(unit).loops[-1].verdict is Verdict.PARALLEL
