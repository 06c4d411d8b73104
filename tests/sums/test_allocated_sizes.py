"""Sums into arrays of which all allocations say how long they are: behind members of structures, too."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from pathlib import Path

import pytest

from tests.filters.fuzz import compare
from tests.privatised.test_privatised import made
from tests.stages.test_stages import needs_gcc

PROGRAM = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define BINS 64
struct grid { long *cells, *more; int bins; };
static void add(struct grid *g, const double *x, int n) { for (int i = 0; i < n; i++) g->cells[(int)(x[i] * BINS)] += (long)(x[i] * 99); }
int main(int argc, char **argv) {
  int n = 20000 * atoi(argv[argc - 1]) + 1000; const size_t all = (size_t)BINS * 2; struct grid g = { NULL, NULL, n };
  double *x = malloc(n * sizeof *x); ALLOCATED
  if (!g.cells) return 1;
  for (int i = 0; i < 2 * BINS; i++) g.cells[i] = i;
  for (int i = 0; i < n; i++) x[i] = (i * 37 % 9973) / 9973.0;
  for (int t = 0; t < 3; t++) add(&g, x, n);
  long h = 1; for (int i = 0; i < BINS; i++) h = (h * 31 + g.cells[i]) % 1000003;
  printf("%ld %d\\n", h, (int)(all + (size_t)g.bins)); free(g.more); free(x); return 0; }
"""
KNOWN = {
    "bytes": "g.cells = g.more = malloc(2 * BINS * sizeof(long));",
    "cleared": "g.cells = g.more = calloc(2 * BINS, sizeof *g.cells);",
    "a number in a variable": "g.cells = g.more = malloc(all * sizeof(long));",
    "two that are alike": "if (n > 3) g.cells = g.more = calloc(2 * BINS, sizeof(long)); else g.cells = g.more = malloc(sizeof(long) * BINS * 2);",
}
UNKNOWN = {
    "another number in a variable": "g.cells = g.more = malloc(((size_t)g.bins + 2 * BINS) * sizeof(long));",
    "two that differ": "if (n > 3) g.cells = g.more = calloc(2 * BINS, sizeof(long)); else g.cells = g.more = malloc(sizeof(long) * BINS * 3);",
    "a part of one": "g.more = malloc(4 * BINS * sizeof(long)); g.cells = g.more + 5;",
    "one that grows": "g.cells = g.more = malloc(BINS * sizeof(long)); g.cells = g.more = realloc(g.more, 2 * BINS * sizeof(long));",
    "a size of something else": "g.cells = g.more = malloc(4 * BINS * sizeof(int));",
    "a narrow number": "g.cells = g.more = malloc((unsigned char)384 * sizeof(long)); (void)all;",
    "an array": "static long own[2 * BINS]; g.cells = own;",
}


@needs_gcc
@pytest.mark.parametrize("name", [*KNOWN, *UNKNOWN])
def test_sums_into_allocated_arrays(name: str, tmp_path: Path) -> None:
    text = PROGRAM.replace("ALLOCATED", {**KNOWN, **UNKNOWN}[name])
    assert ("_copies" in made(text)) is (name in KNOWN)
    assert compare(text, tmp_path, "openmp")
