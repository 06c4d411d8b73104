"""Sums in a declared array, of which a loop uses as many elements as a variable says."""

from __future__ import annotations

import pytest

from tests.support.analysing import loops_of

TEXT = """void f(int n, int m, const int *at) {{ {declared}
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) sums[j] += i * at[j];
  for (int j = 0; j < m; j++) use(sums[j]);
}}
"""


@pytest.mark.parametrize(
    ("declared", "named"),
    [("int sums[8] = {0};", "sums[0:8]"), ("double sums[8] = {0};", "sums[0:8]")],
)
def test_small_arrays_are_named_as_declared(declared: str, named: str) -> None:
    (loop, *_) = loops_of("void use(double);\n" + TEXT.format(declared=declared))
    assert [each.variable for each in loop.reductions] == [named] and loop.openmp


def test_large_arrays_are_not() -> None:
    (loop, *_) = loops_of("void use(double);\n" + TEXT.format(declared="static double sums[4000000];"))
    assert [each.variable for each in loop.reductions] == ["sums[0:m]"] and not loop.openmp
