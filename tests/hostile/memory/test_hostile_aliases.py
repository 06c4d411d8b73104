"""C that deceives the analysis about memory: which names mean the same cells, and when that may be tested."""

from __future__ import annotations

import pytest

from species import analyse
from species.annotate.openmp import parallel_for
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of

NOT_PARALLEL = {
    "restrict, in a block of the body": """void f(int *x, int *y, int n) {
        for (int i = 0; i < n; i++) { int *restrict p = x; if (i & 1) p = y; x[i] = p[i + 1]; } }""",
    "restrict, and a choice in the body": """void f(int *x, int *y, int n, int m) {
        for (int i = 0; i < n; i++) { int *restrict p = m ? x : y; x[i] = p[i + 1]; } }""",
    "restrict, in a structure of the body": """struct R { int *restrict a; }; int A[200];
        void f(int *x, int *y, int n, int m) { for (int i = 0; i < n; i++) {
            struct R r; r.a = m ? x : y; A[i] = r.a[i + 1]; } }""",
    "restrict, whose block has ended": """void f(int *x, int *y, int n, int m) {
        int *q; { int *restrict p = x; if (m) p = y; q = p; }
        for (int i = 0; i < n; i++) x[i] = q[i + 1]; }""",
    "a member of a union, by a pointer": """union U { int i[8]; short s[16]; };
        void f(short *p, union U *u, int n) { for (int i = 0; i < n; i++) p[i] = u->i[0]; }""",
    "a member in a structure in a union": """union U { struct { int a, b; } t; short s[16]; };
        void f(short *p, union U *u, int n) { for (int i = 0; i < n; i++) p[i] = u->t.b; }""",
    "a type that may alias": """typedef short __attribute__((may_alias)) any;
        void f(any *p, int *q, int n) { for (int i = 0; i < n; i++) p[i] = q[i + 1]; }""",
    "a type that may alias, in underscores": """typedef short any __attribute__((__may_alias__));
        void f(any *p, int *q, int n) { for (int i = 0; i < n; i++) p[i] = q[i + 1]; }""",
    "a tag with two meanings": """void g(void *x) { struct S { int a, b; }; struct S *p = x; p->a = 1; }
        void f(double *q, void *v, int n) { struct S { double a; }; struct S *p = v;
            for (int i = 0; i < n; i++) q[i] = p[i + 1].a; }""",
    "an enumeration as wide as long": """enum E { BIG = 0x100000000 };
        void f(enum E *p, long *q, int n) { for (int i = 0; i < n; i++) q[i] = p[i + 1]; }""",
}


@pytest.mark.parametrize("text", NOT_PARALLEL.values(), ids=NOT_PARALLEL.keys())
def test_is_not_parallel(text: str) -> None:
    assert loops_of(text)[-1].verdict is not Verdict.PARALLEL


RESTRICTED = {
    "a parameter": "void f(int *restrict p, int *q, int n) { for (int i = 0; i < n; i++) p[i] = q[i + 1]; }",
    "a variable of the block around": """void f(int *x, int *y, int n) {
        int *restrict p = n & 1 ? x : y; for (int i = 0; i < n; i++) p[i] = y[i + 1]; }""",
    "a member of a parameter": """struct R { int *restrict a; };
        void f(struct R *r, int *q, int n) { for (int i = 0; i < n; i++) q[i] = r->a[i + 1]; }""",
    "a variable of the outer loop's body": """void f(int *x, int *y, int n) {
        for (int k = 0; k < n; k++) { int *restrict p = k & 1 ? x : y;
            for (int i = 0; i < n; i++) p[i] = y[i + 1]; } }""",
}


@pytest.mark.parametrize("text", RESTRICTED.values(), ids=RESTRICTED.keys())
def test_believes_restrict(text: str) -> None:
    assert loops_of(text)[-1].verdict is Verdict.PARALLEL


def _condition(loop: LoopFacts) -> str:
    assert loop.verdict is Verdict.CONDITIONAL
    return (parallel_for(loop, 1) or "").partition(" if(")[2]


@pytest.mark.parametrize("around", ["unsigned j", "int n, unsigned j"])
def test_places_before_a_pointer_do_not_wrap_around(around: str) -> None:
    """`p + (j - 2)` is far away where `j` is an unsigned 0: the test would find everything disjoint."""
    body = "int *w = p + j; for (int i = 0; i < 50; i++) w[-2 - i] = c[i];"
    (loop,) = loops_of(f"void f(int *p, int *c, {around}) {{ {body} }}")
    assert "((long)j-1)*sizeof(*p) <=" in _condition(loop)
    loop = loops_of(f"""void f(int *p, int *c) {{ for (unsigned j = 0; j < 9; j++) {{
        c[0] += c[3]; {body} }} }}""")[1]
    assert "((long)j-1)*sizeof(*p) <=" in _condition(loop)


_MEMBERS = "struct G { int *a, *b; struct G *next; };"


def test_a_condition_that_may_not_be_read_is_false() -> None:
    """The last iteration reads `g->a` although the first does not."""
    (loop,) = loops_of(f"""{_MEMBERS} void f(struct G *g, int *q, int n) {{
        for (int i = 0; i < n; i++) if (i == n - 1) q[i] = g->a[i]; else q[i] = 0; }}""")
    assert _condition(loop).startswith("(!(n >= 1) || (n == 1 && (")


def test_a_condition_that_only_one_statement_allows_to_read_is_false() -> None:
    """That `m > 2` does not hold says nothing of other statements, which may read it too."""
    (loop,) = loops_of(f"""{_MEMBERS} void f(struct G *g, int *q, int n, int m) {{
        for (int i = 0; i < n; i++) if (m > 2) g->a[i] = q[i + 1]; }}""")
    assert "!(n >= 1) || (m >= 3 && (" in _condition(loop)


def test_a_condition_that_can_never_be_read_is_none() -> None:
    loops = loops_of(f"""{_MEMBERS} void f(struct G *g, int *q, int n) {{
        for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) g->a[i] = q[i + j]; }}""")
    assert loops[0].verdict is Verdict.SERIAL


@pytest.mark.parametrize("size", ["", "0", "1"])
def test_a_structure_that_ends_openly_has_no_end(size: str) -> None:
    (loop,) = loops_of(f"""struct F {{ int n; int d[{size}]; }};
        void f(struct F *p, struct F *q, int n) {{ for (int i = 0; i < n; i++) p->d[i] = q->d[i + 1]; }}""")
    assert loop.verdict is Verdict.SERIAL


@pytest.mark.parametrize("label", ["__asm__", "asm"])
def test_another_name_for_the_linker_is_not_understood(label: str) -> None:
    text = f"""int base[100]; extern int other[100] {label}("base");
        void f(void) {{ for (int i = 0; i < 99; i++) base[i] = other[i + 1]; }}"""
    facts = analyse(read_translation_unit("test.c", PreprocessOptions(), text=text))
    assert facts.loops[0].verdict is not Verdict.PARALLEL
    assert [d.code for d in facts.diagnostics] == ["CV001"]
