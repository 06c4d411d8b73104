"""`while` and `do` loops that count have species and conditions, as `for` loops do."""

from __future__ import annotations

import pytest

from tests.support.analysing import loops_of

LOOPS = {
    "while": ("int i = 0; while (i < n) { p[i] = q[i + 2]; ++i; }", "q[2:n+1]|element -> p[0:n-1]|element"),
    "do": (
        "int i = 0; do { p[i] = q[i + 2]; ++i; } while (i < n);",
        "q[2:max(2,n+1)]|element -> p[0:max(0,n-1)]|element",
    ),
    "moving pointers": ("while (n-- > 0) *p++ = *q++;", "q[0:n-1]|element -> p[0:n-1]|element"),
    "an end": ("int *e = p + n; while (p < e) *p++ = 3;", "void -> p[0:n-1]|element"),
}


@pytest.mark.parametrize(("loop", "species"), LOOPS.values(), ids=LOOPS.keys())
def test_a_loop_that_counts_has_a_species(loop: str, species: str) -> None:
    (facts,) = loops_of(f"void f(int n, int *restrict p, int *restrict q) {{ {loop} }}")
    assert (facts.verdict.value, str(facts.species)) == ("parallel", species)


@pytest.mark.parametrize("loop", [loop for loop, _ in LOOPS.values() if "q" in loop])
def test_pointers_that_may_overlap_make_conditions(loop: str) -> None:
    (facts,) = loops_of(f"void f(int n, int *p, int *q) {{ {loop} }}")
    assert facts.verdict.value == "conditional"
    assert facts.conditions and facts.species is not None
