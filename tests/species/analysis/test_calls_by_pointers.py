"""Calls by pointers that lead to one of a few functions of the file: each is analysed in the call's place."""

# ruff: noqa: E501  (functions in one line)
from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

HEAD = """#include <stdlib.h>
#include <string.h>
struct world; typedef void (*work)(struct world *, int);
struct kind { const char *name; work run; double rate; };
struct world { int n; double *x, *y; double all; const struct kind *kind; struct { double v[4]; int k; } *at; };
static long hits; extern work given;
static void fill(struct world *w, int i) { w->x[i] = w->y[i] * w->kind->rate; }
static void rows(struct world *w, int i) { for (int k = 0; k < 4; k++) w->at[i].v[k] = w->y[i] + k; w->at[i].k++; }
static void wide(struct world *w, int i) { for (int k = 0; k < 4; k++) w->x[4 * i + k] = k; }
static void next(struct world *w, int i) { w->x[i] = w->x[i + 1]; }
static void first(struct world *w, int i) { w->x[0] = i; }
static void sums(struct world *w, int i) { w->all += w->y[i]; w->x[i] = w->all; }
static void last(struct world *w, int i) { w->kind = 0; w->x[i] = 1; }
static void frees(struct world *w, int i) { free(w->y); w->x[i] = 1; }
static void again(struct world *w, int i) { if (i & 1) w->kind->run(w, i - 1); else w->x[i] = 2; }
static void count(struct world *w, int i) { static int calls; w->x[i] = calls++; }
static void tally(struct world *w, int i) { w->x[i] = 1; hits++; }
"""
REST = """
static void loop(struct world *w) { for (int i = 0; i < w->n; i++) w->kind->run(w, i); }
int main(int argc, char **argv) {
    struct world w; w.n = 900; w.all = argc; (void)hits;
    w.x = malloc(3608 * sizeof *w.x); w.y = calloc(902, sizeof *w.y); w.at = calloc(902, sizeof *w.at);
    w.kind = &kinds[argc % (sizeof kinds / sizeof kinds[0])];
    loop(&w); return (int)w.x[3]; }
"""
PARALLEL = ["fill", "fill, rows", "rows, wide", "wide"]
SERIAL = [
    "fill, next",
    "next",
    "fill, first",
    "sums",
    "last, fill",
    "frees",
    "again, fill",
    "fill, count",
    "tally",
    "wide, fill",
]


def verdict(names: str) -> Verdict:
    listed = ", ".join(f'{{ "{name}", {name}, 2 }}' for name in names.split(", "))
    text = f"{HEAD}static const struct kind kinds[] = {{ {listed} }};{REST}"
    return next(loop.verdict for loop in loops_of(text) if loop.function == "loop")


@pytest.mark.parametrize("names", PARALLEL)
def test_all_targets_keep_iterations_apart(names: str) -> None:
    assert verdict(names).is_parallel


@pytest.mark.parametrize("names", SERIAL)
def test_one_target_does_not(names: str) -> None:
    assert verdict(names) is Verdict.SERIAL
