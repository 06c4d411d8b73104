"""Computations of isl that take too long, and those that fail."""

from __future__ import annotations

import islpy as isl
import pytest

from skeletons.schedule.core.effort import attempted


def _long() -> isl.Set:
    found = isl.Set("[n, m] -> { [i, j, k] : 0 <= i < n and 0 <= j < i and 7*i + 3*j < m and k <= n }")
    for _ in range(20):
        found = found.union(found.complement()).lexmin().coalesce()
    return found


def test_what_takes_too_long_is_left() -> None:
    assert attempted(_long, operations=1000) is None
    assert attempted(lambda: isl.Set("{ [i] : i = 1 }"), operations=1000) is not None


def test_a_mistake_is_told_and_left() -> None:
    with pytest.warns(RuntimeWarning, match="syntax error.*nothing is transformed there"):
        assert attempted(lambda: isl.Set("{ [i] : i < n }")) is None


def test_mistakes_of_python_are_raised() -> None:
    with pytest.raises(TypeError):
        attempted(lambda: isl.Set(3))
