"""Pointers to rows, `float (*v)[W] = grid[now]`, may leave their matrix, and are known by numbers then."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import outermost

GRIDS = "float grid[2][500][500]; int now; void f(int n, int k) { int i, j;"
LOOPS = "for (i = 1; i <= n; i++) for (j = 1; j <= n; j++)"
CONDITIONS = {
    "one matrix": (f"{GRIDS} float (*v)[500] = grid[1]; {LOOPS} v[i][j] = 2; }}", ["'n' is at most 500"]),
    "one that a variable names": (
        f"{GRIDS} float (*v)[500] = grid[k]; {LOOPS} v[i][j] = 2; }}",
        ["'n' is at most 500"],
    ),
    "the other one": (
        f"{GRIDS} float (*v)[500] = grid[!now]; {LOOPS} v[i][j] = 2; }}",
        ["'n' is at most 500"],
    ),
    "both": (
        f"{GRIDS} float (*u)[500] = grid[now], (*v)[500] = grid[!now]; {LOOPS} v[i][j] = u[i][j]; }}",
        ["'n' is at most 500"],
    ),
    "the same one": (
        f"{GRIDS} float (*u)[500] = grid[now], (*v)[500] = grid[now]; {LOOPS} v[i][j] = u[i - 1][j]; }}",
        None,
    ),
    "a row behind the one before": (
        f"{GRIDS} float (*u)[500] = grid[0], (*v)[500] = grid[1]; {LOOPS} v[i - 1][j] = u[i + 500][j]; }}",
        None,
    ),
}


@pytest.mark.parametrize(("text", "conditions"), CONDITIONS.values(), ids=CONDITIONS.keys())
def test_rows_of_one_matrix(text: str, conditions: list[str] | None) -> None:
    loop = outermost(text)
    assert loop.verdict is (Verdict.SERIAL if conditions is None else Verdict.CONDITIONAL)
    assert conditions is None or list(loop.condition_words) == conditions


DOT = """static double dot(const double *x, const double *y, {index} n) {{
  double s = 0, t = 0; {index} k = 0;
  for (; k + 2 <= n; k += 2) {{ s += x[k] * y[k]; t += x[k + 1] * y[k + 1]; }}
  for (; k < n; k++) s += x[k] * y[k];
  return s + t; }}
void f(double *a, {index} n, {index} stride, {index} j) {{
  const double *top = a + j * stride;
  for ({index} i = j + 1; i < n; i++) {{
    double *row = a + i * stride;
    row[j] -= dot({x}, top, j + {more}); }} }}"""


def test_sums_in_steps_of_two() -> None:
    loop = outermost(DOT.format(index="unsigned long", x="row", more=0))
    assert loop.verdict is Verdict.CONDITIONAL
    assert "'stride' is more than 'j'" in loop.condition_words[0]
    assert outermost(DOT.format(index="unsigned long", x="row - stride", more=1)).verdict is Verdict.SERIAL
