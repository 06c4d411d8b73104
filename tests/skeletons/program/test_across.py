"""Loops around others of a known length are marked for vectors in regions."""

from __future__ import annotations

from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, compile_unit
from species import analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.skeletons.program.test_constants import prints_the_same
from tests.skeletons.program.test_shared_members import needs_gcc
from transfers import around_kernels

HEAD = """#include <stdio.h>
#include <stdlib.h>
struct grid { size_t nx, ny; float **v; };
static float filtered(const float *h, const float *x, int taps)
{
  float sum = 0;
  while (taps--) sum += *h++ * *x--;
  return sum;
}
"""
MAIN = """
int main(void)
{
  int n = 20000;
  float h[40], *x = calloc(n + 50, sizeof *x), *y = calloc(n, sizeof *y);
  struct grid g = { 100, 200, malloc(200 * sizeof(float *)) };
  for (size_t r = 0; r < g.ny; r++) g.v[r] = calloc(g.nx, sizeof(float));
  for (int i = 0; i < 40; i++) h[i] = (float)(i % 7);
  for (int i = 0; i < n + 50; i++) x[i] = (float)(i % 11);
  for (int t = 0; t < 3; t++) work(&g, h, x + 45, y, n);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (i % 3 + 1) * y[i];
  for (size_t r = 0; r < g.ny; r++) for (size_t c = 0; c < g.nx; c++) sum += (c % 5) * g.v[r][c];
  printf("%.1f\\n", sum);
}
"""
WORK = "static void work(struct grid *g, const float *h, const float *x, float *y, int n)\n{ BODY }\n"
MARKED = {
    "threads share it": "(void)g; for (int i = 0; i < n; i++) y[i] = filtered(h, x + i, 40);",
    "threads share a loop around it": """(void)y; (void)n; for (size_t r = 0; r < g->ny; r++)
        for (size_t c = 0; c < g->nx; c++) { float s = 0;
          for (int k = 0; k < 9; k++) s += h[k] * x[c + k]; g->v[r][c] = s; }""",
    "a variable of its own, declared outside": """(void)g; float s; int k; for (int i = 0; i < n; i++) {
        s = 0; for (k = 0; k < 12; k++) s += h[k] * x[i - k]; y[i] = s; }""",
}
LEFT = {
    "of unknown length": "(void)g; for (int i = 0; i < n; i++) y[i] = filtered(h, x + i, 1 + i % 3);",
    "it goes along columns": """(void)y; (void)n; for (size_t r = 0; r < g->ny; r++)
        for (int k = 0; k < 9; k++) g->v[r][k] += h[k] * x[r];""",
}


@needs_gcc
@pytest.mark.parametrize("name", MARKED)
def test_is_marked(name: str, tmp_path: Path) -> None:
    text = prints_the_same(HEAD + WORK.replace("BODY", MARKED[name]) + MAIN, tmp_path)
    work = text[text.index("static void work") : text.index("int main")]
    assert "simd" in work


@needs_gcc
@pytest.mark.parametrize("name", LEFT)
def test_is_left(name: str, tmp_path: Path) -> None:
    text = prints_the_same(HEAD + WORK.replace("BODY", LEFT[name]) + MAIN, tmp_path)
    work = text[text.index("static void work") : text.index("int main")]
    assert "#pragma omp parallel" in work and "for simd" not in work


def test_what_hangs_on_a_condition_is_not_for_vectors() -> None:
    """Where it does not hold, one thread makes the iterations one after the other."""
    text = """void f(const float *x, float *y, int n) {
        for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < 9; k++) s += x[i + k]; y[i] = s; } }"""
    unit = read_translation_unit("taps.c", PreprocessOptions(), text=text)
    facts = analyse(unit)
    assert facts.loops[0].conditions and facts.loops[0].across == 9
    flags = CompileOptions(without=frozenset({"threshold"}))
    made = compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), flags).files["taps.c"]
    assert "#pragma omp parallel for if(" in made and "simd" not in made
