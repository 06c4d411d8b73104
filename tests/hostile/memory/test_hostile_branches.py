"""Reads that branches leave out, all of them: devices get no cell for them, though others are read."""
# ruff: noqa: E501  (C, in lines as long as it likes)

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import accelerated

SOURCE = """#include <stdio.h>
#include <stdlib.h>
static void line(const double *t, double *s, int n) {
  for (int y = 0; y < n; y++) {
    double v = 1;
    if (y >= 5) v += t[y - 5];
    if (y >= 3 && y < n - 1) v += t[y + 7];
    s[y] = v;
  }
}
static void plane(const double *t, double *s, int n, int m) {
  for (int y = 0; y < n; y++) for (int x = 0; x < m; x++) {
    double v = 1;
    if (y >= 5) v += t[(y - 5) * m + x];
    if (y >= 3) v += t[(y + 7) * m + x];
    s[y * m + x] = v;
  }
}
static void chosen(const double *t, double *s, int n) {
  for (int y = 0; y < n; y++) s[y] += t[y > 5 ? 100 : 0];
}
static void clamped(const double *t, double *s, int n, int m) {
  for (int y = 0; y < n; y++) for (int x = 0; x < m; x++) s[y * m + x] += t[(y > 0 ? y - 1 : 0) * m + x] + t[(y < n - 1 ? y + 1 : y) * m + (x > 2 ? x - 3 : 0)];
}
static void edged(const double *t, double *s, int n) {
  for (int y = 0; y < n; y++) if (y > 0 && y < n - 1) s[y] += t[y - 1] + t[y + 1]; else s[y] += t[y];
}
static void never(const double *t, double *s, int n, int m) {
  if (m >= 3 && n > 5) for (int y = 0; y < n; y++) { double v = 0; if (m <= 3 || y < 0) v = t[y]; s[y] += v; }
}
static void columns(int n, int p, double c[restrict n][n], double a[restrict n][p], double d[restrict p][n]) {
  for (int j = 0; j < n; j++) for (long i = 1; i < n; i++)
    for (long k = 0; k < p; k++)
      if (j > 2) { c[i][j] += a[j][k] * a[i][k]; } else c[i][j] += d[k][j] * a[i][k];
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 2, m = 3, own = n > 5 ? 101 + (n + 7) * m : n > 3 ? (n + 7) * m : n * m;
  double *t = malloc(own * sizeof *t), *s = malloc(n * m * sizeof *s), sum = 0;
  for (int i = 0; i < own; i++) t[i] = i % 17;
  line(t, s, n);
  for (int i = 0; i < n; i++) sum += s[i];
  plane(t, s, n, m);
  edged(t, s, n);
  never(n % 2 ? t : NULL, s, n, n % 2 ? 3 : 9);
  chosen(t, s, n);
  clamped(t, s, n, m);
  for (int i = 0; i < n * m; i++) sum += s[i] * i;
  double *c = calloc(n * n, sizeof *c), *a = malloc(n * m * sizeof *a);
  for (int i = 0; i < n * m; i++) a[i] = i % 5;
  columns(n, m, (void *)c, (void *)a, (void *)s);
  for (int i = 0; i < n * n; i++) sum += c[i] * (i % 7);
  free(c); free(a);
  printf("%g\\n", sum);
  free(t); free(s);
  return 0;
}
"""


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_cells_that_no_iteration_reads(tmp_path: Path) -> None:
    """The arrays end where the reads do: what is copied beyond is a defect that the sanitizer sees."""
    source = tmp_path / "app.c"
    source.write_text(SOURCE)
    program = accelerated.resident(source, "cuda", tmp_path / "out")
    assert len(program.skeletons) >= 4
    binary, plain = accelerated.build_shim(program), accelerated.build_plain(source, tmp_path)
    for size in ("1", "2", "3", "4", "5", "6", "9"):
        assert accelerated.run(binary, size) == accelerated.run(plain, size)
