"""C that deceives by where members lie, and by subscripts that come first."""

from __future__ import annotations

import pytest

from species.facts import Verdict
from tests.test_budget import facts_within

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
