"""Members in variables around loops that threads share, and versions for small constants."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from models.machine import DEFAULT
from skeletons import CompileOptions, Library, write_program
from skeletons.catalogue.passes import FEEDBACK
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.skeletons.body.test_kernel_members import HEAD, HOST, KERNELS, MAIN
from tests.support.places import ROOT

FLAGS = ["-O1", "-Wall", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
TWO = replace(DEFAULT, cores=2)
needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")


def made(source: Path, options: CompileOptions, folder: Path) -> str:
    """The generated program's text; it is built there."""
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    unit = read_translation_unit(str(source), flags)
    program = generate(unit, analyse(unit, analysis), "openmp", Library.load(), flags, analysis, options)
    write_program(program, folder)
    subprocess.run(["gcc", *FLAGS, folder / source.name, "-o", folder / "made", "-lm"], check=True)
    return program.files[source.name]


def printed(command: Path, threads: int) -> str:
    environment = {"ASAN_OPTIONS": "detect_leaks=0", "OMP_NUM_THREADS": str(threads)}
    return subprocess.run([command], check=True, capture_output=True, text=True, env=environment).stdout


@needs_gcc
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [*KERNELS, *HOST])
def test_programs_print_the_same(name: str, tmp_path: Path) -> None:
    source = tmp_path / "members.c"
    source.write_text(HEAD + {**KERNELS, **HOST}[name] + MAIN)
    made(source, CompileOptions(without=frozenset({"threshold"})), tmp_path / "out")
    subprocess.run(["gcc", "-O1", source, "-o", tmp_path / "plain"], check=True)
    assert printed(tmp_path / "out" / "made", 4) == printed(tmp_path / "plain", 1)


POINTS = """#include <stdio.h>
#include <stdlib.h>
typedef struct { size_t n, dim, k; double *at, *mean; int *label; } set;
static double apart(const double *a, const double *b, size_t dim) {
  double sum = 0; for (size_t d = 0; d < dim; d++) sum += (a[d] - b[d]) * (a[d] - b[d]); return sum; }
static size_t assigned(set *s) { size_t changed = 0;
  for (size_t i = 0; i < s->n; i++) { int best = 0; double least = apart(&s->at[i * s->dim], s->mean, s->dim);
    for (size_t c = 1; c < s->k; c++) { double now = apart(&s->at[i * s->dim], &s->mean[c * s->dim], s->dim);
      if (now < least) { least = now; best = (int)c; } }
    if (s->label[i] != best) { s->label[i] = best; changed++; } }
  return changed; }
int main(void) { set s = { .n = 20000, .dim = 3, .k = 8 }; size_t all = 0;
  s.at = malloc(s.n * s.dim * sizeof(double)); s.mean = malloc(s.k * s.dim * sizeof(double));
  s.label = calloc(s.n, sizeof(int));
  for (size_t i = 0; i < s.n * s.dim; i++) s.at[i] = (double)(i * 7919 % 1000);
  for (int t = 0; t < 20; t++) {
    for (size_t i = 0; i < s.k * s.dim; i++) s.mean[i] = (double)((i + (size_t)t) * 104729 % 1000);
    all += assigned(&s); }
  printf("%zu %d\\n", all, s.label[77]); free(s.at); free(s.mean); free(s.label); return 0; }
"""


@needs_gcc
def test_small_constants_are_known_where_threads_share_the_loop(tmp_path: Path) -> None:
    """The member is asked for; the loop as it was is there for other numbers."""
    source = tmp_path / "points.c"
    source.write_text(POINTS)
    text = made(source, CompileOptions(machine=TWO), tmp_path / "out")
    assert "if ((s->dim == 3))" in text and re.search(r"#pragma omp parallel for[^\n]*changed", text)
    assert "&s_at_1[i * ((size_t)3)]" in text and "} else { for (size_t i = 0; i < s->n; i++)" in text
    subprocess.run(["gcc", "-O1", source, "-o", tmp_path / "plain"], check=True)
    assert printed(tmp_path / "out" / "made", 3) == printed(tmp_path / "plain", 1)
    (tmp_path / "out" / "points.c").write_text(text.replace(".dim = 3", ".dim = 2"))
    source.write_text(POINTS.replace(".dim = 3", ".dim = 2"))
    subprocess.run(["gcc", *FLAGS, tmp_path / "out/points.c", "-o", tmp_path / "out/made"], check=True)
    subprocess.run(["gcc", "-O1", source, "-o", tmp_path / "plain"], check=True)
    assert printed(tmp_path / "out" / "made", 3) == printed(tmp_path / "plain", 1)


def test_versions_ask_for_threads(tmp_path: Path) -> None:
    """One thread gets the loop as compilers know it best."""
    source = tmp_path / "sums.c"
    source.write_text(
        """#include <stdlib.h>
static void f(float *y, const float *x, int n) {
  for (int i = 0; i < n; i++) y[i] += x[i] * x[i] / (1 + x[i]); }
int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 60000;
  float *x = calloc(n, 4), *y = calloc(n, 4);
  for (int t = 0; t < 5000; t++) f(y, x, n); return y[3] > 1; }"""
    )
    text = made(source, CompileOptions(machine=TWO, without=frozenset({FEEDBACK})), tmp_path / "out")
    assert "&& cuvier_threads() > 1) {" in text and text.count("static inline int cuvier_threads(void)") == 1


ENTERED = """#include <stdio.h>
#include <stdlib.h>
struct v { int n; double *x, *y; };
static double at(const struct v *v, int i) { return v->x[i] * 0.5; }
static void work(struct v *v, int n, int how) {
  if (how)
    for (int i = 2; i < n; i++) v->y[i] = at(v, i);
  else
    puts("no");
}
static int left(struct v *v, int n) {
  int i;
  for (i = 3; i < n; i++) v->x[i] = at(v, i) + 1;
  return i;
}
static void late(struct v *v, size_t n, size_t m) { for (size_t i = n - 1; i < m; i++) v->y[i] = at(v, i); }
static void wraps(struct v *v, unsigned w, unsigned h, unsigned lo) {
  for (unsigned i = lo; i < w * h - 5u; i++) v->y[i + 20u] = at(v, i + 20u);
}
int main(void) {
  static double x[1000], y[1000];
  struct v v = { 1000, x, y };
  work(&v, v.n, 1); work(NULL, -3, 1); work(NULL, 7, 0);
  late(&v, 5, 99); late(NULL, 0, 10); wraps(&v, 10, 10, 3); wraps(&v, 0, 3, 0xFFFFFFF0u);
  printf("%d %d\\n", left(&v, v.n), left(NULL, rand() < 0));
  for (int i = 0; i < 1000; i += 99) printf("%g ", x[i] + y[i]);
  return 0;
}
"""


@needs_gcc
def test_a_loop_without_iterations_need_not_stand_twice(tmp_path: Path) -> None:
    """Members cannot be read there; what is called from two places compilers no longer put in place."""
    source = tmp_path / "entered.c"
    source.write_text(ENTERED)
    text = made(source, CompileOptions(without=frozenset({"threshold"})), tmp_path / "out")
    assert text.count("= at(") == 4 and "else { i = 3; }" in text and "else { }" in text
    subprocess.run(["gcc", "-O1", source, "-o", tmp_path / "plain"], check=True)
    assert printed(tmp_path / "out" / "made", 3) == printed(tmp_path / "plain", 1)


@needs_gcc
def test_loads_that_would_hinder_other_loops_are_copied_away(tmp_path: Path) -> None:
    """Threads that know a structure let compilers load its members again elsewhere: not in such a program."""
    source = ROOT / "benchmarks" / "applications" / "align.c"
    text = made(source, CompileOptions(machine=TWO), tmp_path / "out")
    assert re.search(r"#pragma omp parallel for reduction\(\+:count\).*\n.*m_rows_\d \* m_cols_\d", text)
