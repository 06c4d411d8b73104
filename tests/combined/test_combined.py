"""Sums into arrays and extremes are what they were, whatever the threads have copies of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skeletons.program.array_copies import ArrayCopy
from tests.combined.generator import program
from tests.filters.fuzz import compare
from tests.nests.compared import compiled

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")


@needs_gcc
@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(1000, 1012))
@pytest.mark.parametrize("target", ["openmp", "cuda"])
def test_random_sums_and_extremes(target: str, seed: int, tmp_path: Path) -> None:
    assert compare(program(seed), tmp_path, target, strict_fp=False)


LOOPS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
SUMS = {
    "of unknown size": f"{LOOPS} {{ a[i] += x[j]; a[j + 1] -= x[i]; }}",
    "that need not be there": f"{LOOPS} if (x[j]) a[k[i] & 63] += 1;",
    "where numbers in memory choose": f"{LOOPS} a[k[j]] += x[i];",
    "behind a pointer": f"double *p = t->a; {LOOPS} p[i + j] += x[j];",
    "in rows": f"{LOOPS} m[i + j][k[i] & 7] += x[j];",
}


def made(body: str) -> str:
    text = f"""struct table {{ double *a; }};
    void f(int n, double *restrict a, const double *restrict x, const int *restrict k,
           struct table *t, double (*restrict m)[8]) {{ (void)t; {body} }}"""
    return compiled(text)


@pytest.mark.parametrize("name", SUMS)
def test_threads_have_copies_of_arrays(name: str) -> None:
    assert "Threads have copies of" in made(SUMS[name])


@pytest.mark.parametrize(
    "body",
    [
        f"{LOOPS} if (x[j] > 0) a[k[j]] += x[i];",  # of what size?  k[j] may not be there
        "for (int i = 0; i < n; i++) a[0] += a[i + 1] * x[i];",  # others are read
        f"{LOOPS} {{ a[i + j] += x[j]; a[i] *= 2; }}",
        f"{LOOPS} t->a[i + j] += x[j];",  # it has no name that could stand for a copy
        f"{LOOPS} a[i + j] += x[j] * sizeof *a;",
    ],
)
def test_they_have_none(body: str) -> None:
    assert "Threads have copies of" not in made(body)


def test_a_place_alone_is_not_told_by_its_number() -> None:
    text = """int f(const unsigned *x, int n) { int best = 0, some = 0;
      for (int i = 0; i < n; i++) { some += x[i] > 0; if (x[i] > x[best]) best = i; } return best + some; }"""
    assert "best_parts" not in compiled(text)


def test_an_extreme_beside_a_sum_is_found_in_parts() -> None:
    text = """int best; double f(int n, const double *x) {
      double most = 0, sum = 0; int at = -1;
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        double y = x[i] * x[j]; sum += y; if (y >= most) { most = y; at = i; } }
      best = at; return sum; }"""
    found = compiled(text)
    assert "most_parts[part] >= most && (" in found and "reduction(+:sum)" in found


def test_a_pointer_that_moves_is_none_to_a_copy() -> None:
    """It would be one behind the loop, too.  (The loop inside does not move it.)"""
    loops = "for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) a[j % 5] += x[j]; a += 3; }"
    assert "omp for linear(" not in made(f"{loops} t->a = a;")


def test_iterations_that_need_an_array_of_their_own_are_not_cut_into_parts() -> None:
    """Its content is needed behind the loop, so that it is not merely private."""
    text = """double f(int n, const double *x, int *where) {
      double t[64], most = -1, sum = 0; int at = -1;
      for (int i = 0; i < n; i++) {
        double *p = t, s = 0;
        for (int j = 0; j < 64; j++) p[j] = x[i + j];
        for (int j = 0; j < 64; j++) s += t[63 - j] * j;
        sum += s; if (s > most) { most = s; at = i; } }
      *where = at; return most + sum + t[5]; }"""
    assert "most_parts" not in compiled(text)


def test_an_extreme_may_be_a_member() -> None:
    text = """typedef struct { int i, j; double gain; } move;
    double f(int n, const double *x, move *out) {
      move best = { -1, -1, 0 };
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
        if (x[i] * x[j] > best.gain) { best.gain = x[i] * x[j]; best.i = i; best.j = j; }
      *out = best; return best.gain; }"""
    found = compiled(text)
    assert "if (best_parts[part].gain > best.gain) best = best_parts[part];" in found


@pytest.mark.parametrize(
    "body",
    [
        "if (x[i] > best.gain) { best.gain = x[i]; best.i = i; best.j = best.i; }",  # one reads another
        "if (x[i] > best.gain) { best.gain = x[i]; best.i = i; } x[i + 1] = best.gain;",  # it is read
        "if (x[i] > best.gain) { best.gain = x[i]; best.i = i; } keep(&best);",
    ],
)
def test_other_uses_of_its_variable(body: str) -> None:
    text = f"""typedef struct {{ int i, j; double gain; }} move; void keep(move *);
    int f(int n, double *x) {{
      move best = {{ -1, -1, 0 }};
      for (int i = 0; i < n; i++) {{ {body} }}
      return best.i; }}"""
    assert "best_parts" not in compiled(text)


@pytest.mark.parametrize(
    ("low", "high", "cells"),
    [
        ("0", "3*(long)n-1", "(long)(3*(long)n)"),
        ("0", "c ? a-1 : b-1", "(long)(c ? a-1 : b-1) + 1"),
        ("0", "n*-1", "(long)(n*-1) + 1"),
        ("-23", "23", "(long)23 + 1 - (-23)"),
    ],
)
def test_as_many_cells_as_the_region_has(low: str, high: str, cells: str) -> None:
    assert ArrayCopy("a", "double", low, low, high, (), "+", "0").cells == cells
