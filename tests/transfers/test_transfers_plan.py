"""Copy plans: what moves before and after each kernel, and nothing else."""

from __future__ import annotations

import pytest

from species.facts.loops import Transfer
from species.grammar.nodes import Range
from tests.support.analysing import facts_of
from tests.support.skeleton_facts import array
from transfers import around_kernels
from transfers.plan.around_kernels import is_overwritten


@pytest.mark.parametrize(
    ("extent", "writes", "covered", "needed"),
    [
        ("n", "2:n - 1", True, False),
        ("n", "2:n - 1", False, True),
        ("n,M", "1:3,0:M-1", True, False),
        ("n,8", "1:3,0:7", True, False),
        ("n,8", "1:3,0:6", True, True),
        ("n,8", "", True, True),
    ],
)
def test_old_values_are_needed_unless_all_cells_are_written(
    extent: str, writes: str, covered: bool, needed: bool
) -> None:
    assert is_overwritten(array("A", extent, writes=writes, covered=covered)) is not needed


def test_copies_of_a_stencil() -> None:
    facts = facts_of(
        "double a[100], b[100]; void f(void) { for (int i = 1; i < 99; i++) b[i] = a[i-1] + a[i+1]; }"
    )
    (copies,) = around_kernels(facts).values()
    assert set(copies) == {
        Transfer("a", "in", (Range("0", "99"),)),
        Transfer("b", "out", (Range("1", "98"),)),
    }


def test_cells_that_may_stay_as_they_are_move_both_ways() -> None:
    facts = facts_of(
        "double a[100], b[100]; void f(void) { for (int i = 0; i < 100; i++) if (a[i] > 0) b[i] = 1; }"
    )
    (copies,) = around_kernels(facts).values()
    assert {(t.array, t.direction) for t in copies} == {("a", "in"), ("b", "in"), ("b", "out")}
