"""Conditions that look ahead, `i + 4 <= n`, in unsigned types: sums may wrap around before a loop ends."""

from __future__ import annotations

import pytest

from tests.support.analysing import loops_of

COUNTED = {
    "one ahead": ("unsigned i = 0; i + 1 < n; i++", "q[0:n-2]|element -> p[0:n-2]|element"),
    "at most": ("unsigned i = 0; i + 4 <= n; i += 4", "q[0:4*(n/4)-4]|element -> p[0:4*(n/4)-4]|element"),
    "the other way round": ("unsigned i = 1; n > 2 + i; i++", "q[1:n-3]|element -> p[1:n-3]|element"),
    "both": ("unsigned i = 0; i < n && i + 1 < n; i++", "q[0:n-2]|element -> p[0:n-2]|element"),
    "bounded": ("unsigned i = 0; i + 3 <= (n & 255); i += 3", None),
    "of 64 bits": ("unsigned long i = 0; i + 1 < n; i++", "q[0:n-2]|element -> p[0:n-2]|element"),
}
UNCOUNTED = {
    "a start that nobody knows": "unsigned i = m; i + 1 < n; i++",
    "steps that skip the end of the range": "unsigned i = 0; i + 3 <= n; i += 3",
    "a start that wraps around": "unsigned i = 4294967295u; i + 1 < n; i++",
    "a sum that falls": "unsigned i = 9; i - 1 < n; i--",
}


@pytest.mark.parametrize(("header", "species"), COUNTED.values(), ids=COUNTED.keys())
def test_a_sum_that_cannot_wrap_around_is_a_bound(header: str, species: str | None) -> None:
    (facts,) = loops_of(_function(header))
    assert facts.verdict.is_parallel
    assert species is None or str(facts.species) == species


@pytest.mark.parametrize("header", UNCOUNTED.values(), ids=UNCOUNTED.keys())
def test_others_are_not(header: str) -> None:
    (facts,) = loops_of(_function(header))
    assert [reason.code for reason in facts.reasons] == ["CV307"]


def test_nor_is_one_of_a_loop_that_may_end_earlier() -> None:
    (loop,) = loops_of(
        "void f(unsigned n, int *p) { for (unsigned i = 0; i + 2 <= n && p[i]; i += 2) p[i] = 0; }"
    )
    assert not loop.verdict.is_parallel


def _function(header: str) -> str:
    return (
        f"void f(unsigned n, unsigned m, int *restrict p, int *restrict q) {{ for ({header}) p[i] = q[i]; }}"
    )
