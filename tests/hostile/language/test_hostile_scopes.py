"""C in which one name means two things: enumerators, types, declarations in loops, macros."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.hostile_c import is_parallel, last_loops

_A = "int a[300], b[300]; "

HIDDEN = {
    "by an enumerator": "OUTER void f(void) { enum { L = 0 }; LOOP }",
    "by an enumerator in a block": "void f(void) { int L = 1; { enum { L = 0 }; LOOP } }",
    "by one of a variable's type": "OUTER void f(void) { enum { M, N, L = 0 } x = M; LOOP }",
    "by one of a member's type": "OUTER void f(void) { struct { enum { L = 0 } e; } x; LOOP }",
    "by one of a parameter's type": "OUTER void f(enum { L = 0 } x) { LOOP }",
    "by one of a cast": "OUTER void f(int x) { x = (enum { L = 0 })x; LOOP }",
    "by one of a size": "OUTER void f(int x) { x = sizeof(enum { L = 0 }); LOOP }",
    "by one of a result's type": "enum { L = 0 } f(void) { LOOP return L; }",
    "by one of an alignment": "OUTER void f(void) { _Alignas(sizeof(enum { L = 0 })) int x; LOOP }",
    "by one of an assertion": 'OUTER void f(void) { _Static_assert(sizeof(enum { L = 0 }) == 4, ""); LOOP }',
    "by one of an enumerator's value": "OUTER void f(void) { enum { M = sizeof(enum { L = 0 }) }; LOOP }",
    "by one in a switch": "OUTER void f(int x) { switch (x) { enum { L = 0 }; case 1: LOOP } }",
    "by one of a pointer's type": "OUTER void f(void) { enum { L = 0 } *p = 0; LOOP }",
    "by one of a type with a name": "OUTER void f(void) { typedef enum { L = 0 } t; LOOP }",
    "by one in the loop": """OUTER void f(void) {
        for (int i = 0; i < 50; i++) { enum { L = 0 }; a[L * i] = i; } }""",
    "by one in the header": """OUTER void f(void) {
        for (int i = sizeof(enum { L = 0 }); i < 50; i++) a[L * i] = i; }""",
}


def _with_loop(text: str) -> str:
    text = text.replace("OUTER", "static const int L = 1;")
    return _A + text.replace("LOOP", "for (int i = 0; i < 50; i++) a[L * i] = i;")


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN.keys())
def test_a_variable_is_hidden(text: str) -> None:
    loop = last_loops(_with_loop(text))["f"]
    assert loop.verdict is Verdict.SERIAL


SEEN = {
    "after the block": "OUTER void f(void) { { enum { L = 0 }; b[0] = L; } LOOP }",
    "after the statement": "OUTER void f(void) { if (sizeof(enum { L = 0 })) b[0] = L; LOOP }",
    "in another function": "OUTER void g(void) { enum { L = 0 }; b[0] = L; } void f(void) { LOOP }",
    "after a prototype": "OUTER void g(enum { L = 0 } x); void f(void) { LOOP }",
    "as an enumerator": "enum { L = 1 }; void f(void) { LOOP }",
    "as an enumerator of the function": "void f(void) { enum { L = 2 }; LOOP }",
    "as a variable, in front of it": "enum { L = 0 }; void f(void) { const int L = 1; LOOP }",
    "as a parameter": "enum { L = 0 }; static void g(int L) { LOOP } void f(void) { g(1); SIMPLE }",
}


@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN.keys())
def test_a_variable_is_not_hidden(text: str) -> None:
    text = _with_loop(text).replace("SIMPLE", "for (int i = 0; i < 50; i++) a[i] = i;")
    assert is_parallel(text)


@pytest.mark.parametrize(
    "hiding", ["enum { K = 1 };", "typedef int K;", "int K = 2;", "struct { enum { K } e; } x;"]
)
def test_a_condition_speaks_of_the_variable_that_is_visible(hiding: str) -> None:
    head = f"{_A} int K = 1; void f(int n) {{ int i = 0, m = K;"
    for loop in ("for (i = 0; i < n; i++) a[m * i] = i;", "while (i < n) { a[m * i] = i; i++; }"):
        hidden, beside = f"{head} {hiding} {loop} }}", f"{head} {{ {hiding} }} {loop} }}"
        assert not any("K" in condition for condition in last_loops(hidden)["f"].conditions)
        assert last_loops(beside)["f"].conditions == last_loops(f"{head} {loop} }}")["f"].conditions
    assert last_loops(beside)["f"].conditions == ("K >= 1",)


CLAUSES = {
    "a sum": "big += a[i];",
    "a maximum": "big = big > a[i] ? big : a[i];",
    "an extreme and its place": "if (a[i] > big) { big = a[i]; at = i; }",
    "a last value": "big = i; b[i] = big;",
    "a private variable": "for (big = 0; big < 3; big++) b[3 * i + big] = i;",
    "a counter": "b[i] = big; big += 2;",
    "a value that some iterations write": "if (a[i]) big = i;",
}


@pytest.mark.parametrize("body", CLAUSES.values(), ids=CLAUSES.keys())
def test_a_clause_would_name_another_variable(body: str) -> None:
    for hiding in ("int big = 7;", "enum { big };", "typedef int big;"):
        text = f"""int big = 1, at; {_A}
            void f(int n) {{ {hiding} for (int i = 0; i < n; i++) {{ extern int big; {body} }} }}"""
        assert last_loops(text)["f"].verdict is Verdict.SERIAL
        outside = f"""int big = 1, at; {_A}
            void f(int n) {{ {hiding} {{ extern int big; for (int i = 0; i < n; i++) {{ {body} }} }} }}"""
        plain = f"""int big = 1, at; {_A} void f(int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"""
        assert last_loops(outside)["f"].verdict is last_loops(plain)["f"].verdict
        assert last_loops(outside)["f"].reductions == last_loops(plain)["f"].reductions


def test_a_variable_that_is_declared_in_the_loop_keeps_its_clause() -> None:
    text = f"""int big = 1; {_A}
        void f(int n) {{ for (int i = 0; i < n; i++) {{ extern int big; big += a[i]; }} }}"""
    assert is_parallel(text)


def test_an_array_that_is_declared_in_the_loop_is_not_private() -> None:
    body = "for (int k = 0; k < 4; k++) t[k] = i + k; b[i] = t[0] + t[3];"
    text = (
        f"{_A} int t[4]; void f(int n) {{ int t; for (int i = 0; i < n; i++) {{ extern int t[4]; {body} }} }}"
    )
    assert last_loops(text)["f"].verdict is Verdict.SERIAL
    assert is_parallel(text.replace("int t;", ""))


def test_a_condition_would_name_another_variable() -> None:
    text = f"""int stride; {_A} void f(int n) {{ int stride = 1;
        for (int i = 0; i < n; i++) {{ extern int stride; a[stride * i] = i; }} }}"""
    assert last_loops(text)["f"].verdict is Verdict.SERIAL


_APART = "for (int i = 0; i < len; i++) p[i] = q[i] + 1;"
_POINTERS = "void f(int *p, int *q, int len) {"


def test_a_name_in_a_condition_is_a_macro() -> None:
    text = f"{_POINTERS}\n#define len (len - 1)\n{_APART}\n}}"
    assert last_loops(text)["f"].verdict is Verdict.SERIAL
    text = f"{_POINTERS}\n#define p (p + 1)\n{_APART}\n}}"
    assert last_loops(text)["f"].verdict is Verdict.SERIAL
    text = f"{_POINTERS} int m = len;\n#define len 0\n{_APART.replace('len', 'm')}\n}}"
    assert not any("len" in condition for condition in last_loops(text)["f"].conditions)


def test_a_name_in_a_tested_stride_is_a_macro() -> None:
    text = f"{_A} void f(int n, int k) {{\n#define k (k - 1)\nfor (int i = 0; i < n; i++) a[k * i] = i;\n}}"
    assert last_loops(text)["f"].verdict is Verdict.SERIAL
    assert last_loops(text.replace("k (k", "l (k"))["f"].verdict is Verdict.CONDITIONAL


def test_a_macro_that_a_pragma_brings_back() -> None:
    text = f"""#define len (len - 1)
#pragma push_macro("len")
#undef len
{_POINTERS}
#pragma pop_macro("len")
{_APART}
}}"""
    assert last_loops(text)["f"].verdict is Verdict.SERIAL


MACROS = {
    "itself": "#define len len",
    "a function": "#define len(x) (x)",
    "no longer": "#define len (len - 1)\n#undef len",
    "another name": "#define length len",
}


@pytest.mark.parametrize("macro", MACROS.values(), ids=MACROS.keys())
def test_a_macro_that_changes_nothing(macro: str) -> None:
    loop = last_loops(f"{_POINTERS}\n{macro}\n{_APART}\n}}")["f"]
    assert loop.verdict is Verdict.CONDITIONAL
    assert loop.openmp


def test_a_macro_that_stands_for_the_name() -> None:
    loop = last_loops(f"#define N len\n{_POINTERS} {_APART.replace('len', 'N')} }}")["f"]
    assert loop.verdict is Verdict.CONDITIONAL
    assert loop.openmp


def test_a_macro_behind_the_loop() -> None:
    loop = last_loops(f"{_POINTERS}\n{_APART}\n#define len (len - 1)\n}}")["f"]
    assert loop.openmp


WORDS = ["private(x)", "private firstprivate", "t (t)"]


@pytest.mark.parametrize("macro", WORDS)
def test_a_word_of_a_clause_is_a_macro(macro: str) -> None:
    text = (
        f"{_A} void f(int n) {{ int t;\n#define MACRO\nfor (int i = 0; i < n; "
        f"i++) {{ t = b[i]; a[i] = t; }} }}"
    )
    assert last_loops(text)["f"].openmp
    loop = last_loops(text.replace("MACRO", macro))["f"]
    assert loop.verdict is Verdict.PARALLEL
    assert not loop.openmp
    assert "is a macro" in loop.openmp_obstacle
    assert loop.kernel is None or macro != "t (t)"


@pytest.mark.parametrize("macro", ["reduction(x)", "reduction", "s (s)", "f(x)", "max max"])
def test_a_word_of_a_reduction_is_a_macro(macro: str) -> None:
    text = f"""int f(int n, int *q) {{ int s = 0;
#define {macro}
for (int i = 0; i < n; i++) s += q[i];
return s; }}"""
    loop = last_loops(text)["f"]
    assert loop.verdict is Verdict.PARALLEL
    assert loop.openmp == (macro in ("f(x)", "max max"))
