"""Parts of elements: arrays and texts in structures that the library is given, rows, structures by value.

Each loop is parallel, or so on a condition; its sibling touches one part in several iterations.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from species import analyse
from species.analysis.options import AnalysisOptions
from species.facts.loops import Verdict
from species.row_tests import called_in
from species.source import PreprocessOptions, read_translation_unit
from species.symbols.effect_table import read_table
from tests.support.analysing import loops_of

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int h[4]; char name[16]; double v[64]; long fit; } rec;
typedef struct { double re, im; } cpx;
typedef struct { int count, x; } cell;
typedef struct { cell grid[32][32]; int cells[32][32]; } world;
typedef struct { double r; } model;
static char names[100][32];
static cpx field[128][128];
static int bins[16][256];
static unsigned char data[100000];
int cmp(const void *a, const void *b) { return *(const double *)a < *(const double *)b; }
cpx turn(const model *m, cpx c) { c.re *= m->r; c.im += c.re; return c; }
"""
PAIRS = {
    "an array in an element is set": (
        "void f(rec *r, int n) { for (int i = 0; i < n; i++) memset(r[i].h, 0, sizeof r[i].h); }",
        "void f(rec *r, int n) { for (int i = 0; i < n; i++) memset(r[i].h, 0, 2 * sizeof r[i].h); }",
    ),
    "an array in an element is copied": (
        "void f(rec *restrict r, const rec *restrict q, int n) { for (int i = 0; i < n; i++) memcpy(r[i].h + 1, q[i].h, 8); }",
        "void f(rec *r, int n) { for (int i = 1; i < n; i++) memcpy(r[i].h + 1, r[i - 1].h, 8); }",
    ),
    "an array in an element is sorted": (
        "void f(rec *r, int n) { for (int i = 0; i < n; i++) qsort(r[i].v, 64, sizeof r[i].v[0], cmp); }",
        "void f(rec *r, int n) { for (int i = 0; i < n; i++) qsort(r[i].v, 65, sizeof r[i].v[0], cmp); }",
    ),
    "a text in an element": (
        'void f(rec *r, int n) { for (int i = 0; i < n; i++) snprintf(r[i].name, sizeof r[i].name, "%d", i); }',
        'void f(rec *r, int n) { for (int i = 0; i < n; i++) snprintf(r[0].name, sizeof r[i].name, "%d", i); }',
    ),
    "texts in an array": (
        "void f(rec *r, int n) { for (int i = 0; i < n; i++) strcpy(names[i], r[i].name); }",
        "void f(rec *r, int n) { for (int i = 1; i < n; i++) strcpy(names[i], names[i - 1]); }",
    ),
    "a pointer into a row of a member": (
        "void f(world *w) { for (int i = 0; i < 32; i++) { cell *g = &w->grid[i][3]; g->count = i; } }",
        "void f(world *w) { for (int i = 0; i < 32; i++) { cell *g = &w->grid[3][i]; g[1 - i].count = i; } }",
    ),
    "a row of a member": (
        "void f(world *w) { for (int i = 0; i < 32; i++) { int *g = w->cells[i]; g[31] = i; } }",
        "void f(world *w) { for (int i = 0; i < 31; i++) { int *g = w->cells[i]; g[31] = i; g[32] = i; } }",
    ),
    "a structure by value that is changed": (
        "void f(const model *restrict m, cpx *restrict c, int n) { for (int i = 0; i < n; i++) c[i] = turn(m, c[i]); }",
        "void f(const model *restrict m, cpx *restrict c, int n) { for (int i = 1; i < n; i++) c[i] = turn(m, c[i - 1]); }",
    ),
    "the index of the best element": (
        "int f(const rec *r, int n) { int b = 0; for (int i = 1; i < n; i++) if (r[i].fit > r[b].fit) b = i; return b; }",
        "int f(const rec *r, int n) { int b = 0; for (int i = 1; i < n; i++) if (r[i].fit > r[b].h[0]) b = i; return b; }",
    ),
    "chunks that may wrap": (
        "void f(size_t n, size_t ch) { for (int p = 0; p < 16; p++) { size_t lo = p * ch, hi = lo + ch < n ? lo + ch : n; for (size_t i = lo; i < hi; i++) bins[p][data[i]]++; } }",
        "void f(size_t n, size_t ch) { for (int p = 0; p < 16; p++) { size_t lo = p * ch, hi = lo + ch < n ? lo + ch : n; for (size_t i = lo; i < hi; i++) data[i] = p; } }",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_parts_of_elements_are_apart(name: str) -> None:
    first, sibling = (loops_of(HEAD + text)[0].verdict for text in PAIRS[name])
    assert first is Verdict.PARALLEL and sibling is not Verdict.PARALLEL


def test_a_library_may_be_given_a_matrix_by_its_first_row() -> None:
    """Rows of numbers are not what texts in an array are."""
    table = "- {effect: pure, functions: [solve], reads: {1: any}, writes: {1: any}}"
    text = "void solve(double *a, int n); static double a[64][64]; void f(void) { for (int i = 0; i < 64; i++) solve(a[i], 64); }"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    (loop,) = analyse(unit, AnalysisOptions(effects=read_table(table, "mine.yaml"))).loops
    assert loop.verdict is Verdict.SERIAL


OVERLAPPING = {
    "rows that members lead to": "typedef struct { double *p; int lag; } tap; void f(tap *r, int n) { for (int s = 0; s < n; s++) for (int k = 0; k < 4; k++) r[k].p[s] = s * 10.0 + k; }",
    "rows of structures": "void f(cpx **out, int n) { for (int s = 0; s < n; s++) for (int k = 0; k < 4; k++) out[k][s].re = s * 10.0 + k; }",
    "rows of structures in a structure": "typedef struct { cpx *p[4]; } lanes; void f(lanes *l, int n) { for (int s = 0; s < n; s++) for (int k = 0; k < 4; k++) l->p[k][s].re = s; }",
    "rows that are read": "typedef struct { double *p; } tap; void f(tap *r, int n) { for (int s = 1; s < n; s++) { double t = 0; for (int k = 0; k < 4; k++) { t += r[k].p[s]; r[k].p[s] = t; } } }",
}


@pytest.mark.parametrize("name", OVERLAPPING)
def test_rows_inside_of_a_loop_over_columns_may_overlap(name: str) -> None:
    """Delay lines in one buffer: column 5 of one row is column 3 of another.  So rows are tested."""
    loop = loops_of(HEAD + OVERLAPPING[name])[0]
    assert loop.verdict is Verdict.SERIAL or called_in("".join(loop.conditions))


def test_rows_that_were_allocated_apart_do_not_overlap() -> None:
    body = OVERLAPPING["rows that members lead to"].replace("void f", "static void f")
    main = "int main(void) { static tap t[4]; for (int k = 0; k < 4; k++) { t[k].p = malloc(800); if (!t[k].p) return 1; } f(t, 100); return t[1].p[3] > 2; }"
    assert loops_of(HEAD + body + main)[0].verdict is Verdict.PARALLEL
