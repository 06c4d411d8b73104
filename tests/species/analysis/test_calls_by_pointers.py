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
static void twice(struct world *w, int i) { w->x[i] = 2 * w->y[i]; }
static void moves(struct world *w, int i) { w->x++; w->x[i] = 1; }
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
PARALLEL = ["fill", "fill, twice", "twice, rows, fill", "fill, rows", "rows, wide", "wide"]
SERIAL = [
    "fill, moves",
    "fill, twice, next",
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


BODIES = {
    "ends the program": "if (w->y[i] > 9) exit(1); w->x[i] = 1;",
    "prints": 'printf("%d", i); w->x[i] = 1;',
    "a random number": "w->x[i] = rand();",
    "jumps away": "if (i > 3) longjmp(back, 1); w->x[i] = 1;",
    "volatile": "flag = i; w->x[i] = 1;",
    "its own memory": "double *t = malloc(8); *t = i; w->x[i] = *t; free(t);",
    "memory that stays": "double *t = malloc(8); kept = t; w->x[i] = 1;",
    "a label": "again: if (w->x[i] > 3) { w->x[i] -= 1; goto again; }",
    "waits": "while (flag) ; w->x[i] = 1;",
    "the bound": "w->n--; w->x[i] = 1;",
    "the pointer": "w->x++; w->x[i] = 1;",
    "by numbers": "w->at[i].v[0] = w->at[w->at[i].k].v[0];",
    "assembly": '__asm__ volatile("" ::: "memory"); w->x[i] = 1;',
    "a variable": "hits = i; w->x[i] = 1;",
    "cells": "w->x[i] = w->y[i];",
    "rows": "for (int k = 0; k < 4; k++) w->x[4 * i + k] = k;",
}


@pytest.mark.parametrize("call", ["w->kind->run(w, i)", "ways[i & 1](w, i)"])
@pytest.mark.parametrize("name", BODIES)
def test_a_call_by_a_pointer_is_no_more_parallel_than_one_by_name(name: str, call: str) -> None:
    found = {}
    for each in (call, "one(w, i)"):
        text = f"""{HEAD}
            #include <setjmp.h>
            #include <stdio.h>
            static jmp_buf back; static volatile int flag; double *kept;
            static void one(struct world *w, int i) {{ {BODIES[name]} }}
            static const struct kind kinds[] = {{ {{ "one", one, 1 }} }}; static work ways[2] = {{ one, rows }};
            {REST.replace("w->kind->run(w, i)", each)}
            void *used[] = {{ &back, (void *)&flag, ways, (void *)kinds }};"""
        found[each] = next(loop.verdict for loop in loops_of(text) if loop.function == "loop")
    assert found["one(w, i)"].is_parallel or not found[call].is_parallel
