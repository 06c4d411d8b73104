"""C that deceives by where members lie, and by subscripts that come first."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.species.analysis.test_budget import facts_within

OVERLAPPING = {
    "a member behind": "struct { int a[0]; int b[10]; } z; void f(void) { LOOP z.a[i] = z.b[i + 1]; }",
    "further on": "struct { int n; int a[0]; int m; int b[10]; } z; void f(void) { LOOP z.b[i] = z.a[i]; }",
    "around it": (
        "struct { struct { int n; int a[]; } h; int b[10]; } z; void f(void) { LOOP z.h.a[i] = z.b[i + 1]; }"
    ),
    "the next structure": (
        "struct s { int n; int a[0]; } z[10]; void f(void) { LOOP z[i].a[1] = z[i + 1].a[0] + z[i].n; }"
    ),
}
APART = {
    "the last": "struct s { int n; int a[]; }; void f(struct s *z) { int n = z->n; LOOP z->a[i] = n; }",
    "members with a length": (
        "struct { int a[1]; int b[10]; int c[4 - 2]; } z; void f(void) { LOOP z.b[i] = z.c[1] + z.a[0]; }"
    ),
    "subscripts first": "int B[9], n; void f(void) { LOOP i[B] = n; }",
    "of a member": "struct { int n, q[9]; } z; void f(void) { LOOP i[z.q] = z.n; }",
}


def verdict(text: str) -> Verdict:
    [loop] = facts_within(60, text.replace("LOOP", "for (int i = 0; i < 8; i++)")).loops
    return loop.verdict


@pytest.mark.parametrize("text", OVERLAPPING.values(), ids=OVERLAPPING.keys())
def test_arrays_of_no_length_overlap_what_follows(text: str) -> None:
    assert verdict(text) is Verdict.SERIAL


@pytest.mark.parametrize("text", APART.values(), ids=APART.keys())
def test_others_do_not(text: str) -> None:
    assert verdict(text) is Verdict.PARALLEL


PARTS = {
    "bit-fields": "struct { unsigned a : 4, b : 4; } z[8]; void f(void) { LOOP z[i].a = z[i].b; }",
    "a union": "union { int i[2]; double d; } z[8]; void f(void) { LOOP z[i].i[0] = z[i].i[1]; z[3].d = 1; }",
}


@pytest.mark.parametrize("text", PARTS.values(), ids=PARTS.keys())
def test_what_is_somewhere_in_an_element_is_read_too(text: str) -> None:
    [loop] = facts_within(60, text.replace("LOOP", "for (int i = 0; i < 8; i++)")).loops
    assert loop.verdict is Verdict.PARALLEL
    assert str(loop.species) == "z[0:7]|full -> z[0:7]|shared"


def test_a_member_of_a_union_that_is_named_alone_is_one_of_a_structure() -> None:
    text = "union { int i[2]; double d; } z[8]; void f(void) { LOOP z[i].i[0] = z[i].i[1]; }"
    text = text.replace("LOOP", "for (int i = 0; i < 8; i++)")
    assert str(facts_within(60, text).loops[0].species) == "z.i[0:7,1:1]|element -> z.i[0:7,0:0]|element"


def test_an_array_parameter_has_the_size_of_a_pointer() -> None:
    text = "int a[99]; void f(char p[50]) { for (unsigned i = 0; i < sizeof p; i++) a[i] = 0; }"
    assert str(facts_within(60, text).loops[0].species) == "void -> a[0:sizeof(void*)-1]|element"


def test_sections_of_reductions_are_contiguous() -> None:
    text = """int M[40][40], x[100];
        void f(void) { for (int k = 0; k < 100; k++) for (int i = 0; i < 10; i++) M[i][0] += x[k]; }
        void g(int r) { for (int k = 0; k < 100; k++) for (int j = 0; j < 9; j++) M[r][j] += x[k]; }"""
    first, _, second, _ = facts_within(60, text).loops
    assert [r.variable for r in first.reductions] == ["M[0:10][0:40]"]
    assert [r.variable for r in second.reductions] == ["M[r:1][0:9]"]


def test_builtin_functions_have_types() -> None:
    text = "int n; unsigned u[9]; void f(void) { for (int i = 0; i < 9; i++) n += __builtin_popcount(u[i]); }"
    assert facts_within(60, text).loops[0].verdict is Verdict.PARALLEL
