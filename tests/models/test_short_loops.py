"""Loops that make too few iterations for sums in vectors."""

from __future__ import annotations

import pytest

from models.short_loops import short_loops
from species import analyse
from species.source import PreprocessOptions, read_translation_unit

ROWS = """void f(const int *start, const int *to, const double *x, double *y, int n, int m) {
  for (int v = 0; v < n; v++) { double s = 0;"""
END = "y[v] = s; } }"


@pytest.mark.parametrize(
    ("loop", "short"),
    [
        ("for (int e = start[v]; e < start[v + 1]; e++) s += x[to[e]];", True),
        ("int a = start[v], b = start[v + 1]; for (int e = a; e < b; e++) s += x[to[e]];", True),
        ("int e; for (e = start[v]; e != start[v + 1]; e++) s += x[to[e]];", True),
        ("for (int e = 0; e < 8; e++) s += x[e];", True),
        ("for (int e = 0; e < m; e++) s += x[e];", False),
        ("for (int e = 0; e < 800; e++) s += x[e];", False),
        ("for (int e = v * m; e < (v + 1) * m; e++) s += x[e];", False),
    ],
)
def test_rows_of_sparse_matrices_are_short(loop: str, short: bool) -> None:
    unit = read_translation_unit("p.c", PreprocessOptions(), text=f"{ROWS} {loop} {END}")
    assert ("f/1.1" in short_loops(unit, analyse(unit))) == short
