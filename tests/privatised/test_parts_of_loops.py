"""Loops over parts of others: what iterations write apart, parts do; within a part is not enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from species import AnalysisOptions, analyse
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit

HEAD = """#include <stdlib.h>
struct grid { size_t rows, cols; float *cell; }; struct node { double x[4]; int n; };
static struct grid grid; static struct node nodes[5000]; static double row[157]; static int index[5000];
static long hits;
"""
APART = {
    "rows of unknown length": "for (size_t x = 0; x < g->cols; x++) g->cell[i * g->cols + x] = x;",
    "cells": "g->cell[i] = i; hits++;",
    "every other cell": "g->cell[(size_t)i * 2] = i; g->cell[(size_t)i * 2 + 1] = i;",
    "members of nodes": "for (int k = 0; k < 4; k++) nodes[i].x[k] = i; nodes[i].n++;",
    "halves": "if (i < 157) g->cell[i] = 1; if (i >= 157) g->cell[i] = 2;",
}
TOGETHER = {
    "remainders": "row[i % 157] = i;",
    "quotients": "g->cell[i / 2] = i;",
    "thirds of the length": "g->cell[i / 52] = i;",
    "the neighbour": "g->cell[i] = g->cell[i + 1];",
    "the next part's": "g->cell[i] = i; g->cell[i + 157] = 3;",
    "the last part's": "g->cell[i] = i; if (i >= 157) g->cell[i - 157] = 3;",
    "for the first part alone": "if (i < 157) g->cell[i + 157] = 3; g->cell[i] = 2;",
    "by data": "g->cell[index[i]] = i;",
    "one cell": "g->cell[3] = i;",
    "triangles by rows too short": "for (long k = 0; k <= i; k++) g->cell[i * 20 + k] = k;",
    "a sum that is read": "row[3] += i; g->cell[i] = row[3];",
}
LENGTHS = {
    "known": ("10000", "157"),
    "unknown": ("n", "(n + 63) / 64"),
}


def verdict(body: str, length: str, ctype: str, folder: Path) -> Verdict:
    stop, own = LENGTHS[length]
    text = f"""{HEAD}void f(struct grid *g, long n) {{
        const long stop = {stop}, length = {own};
        for (int part = 0; part < 64; part++) {{
            hits = 0;
            const long at = 0 + part * length; const {ctype} from = at < stop ? at : stop;
            const {ctype} end = at + length < stop ? at + length : stop;
            for ({ctype} i = from; i < end; i++) {{ {body} }}
        }} }}
        int main(void) {{ grid.rows = 5000; grid.cols = 7; grid.cell = malloc(4 * 35000); f(&grid, 999); }}
    """
    path = folder / "p.c"
    path.write_text(text)
    known = AnalysisOptions(per_thread=frozenset({"hits"}), parts_of_loops=frozenset({("part", "i")}))
    facts = analyse(read_translation_unit(str(path), PreprocessOptions()), known)
    return next(loop.verdict for loop in facts.loops if loop.id == "f/1")


@pytest.mark.parametrize("ctype", ["int", "long", "size_t", "unsigned"])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("body", APART.values(), ids=APART.keys())
def test_parts_are_apart_where_iterations_are(body: str, length: str, ctype: str, tmp_path: Path) -> None:
    assert verdict(body, length, ctype, tmp_path).is_parallel


@pytest.mark.parametrize("ctype", ["int", "long", "size_t", "unsigned"])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("body", TOGETHER.values(), ids=TOGETHER.keys())
def test_what_only_a_part_keeps_apart_is_not(body: str, length: str, ctype: str, tmp_path: Path) -> None:
    assert verdict(body, length, ctype, tmp_path) is Verdict.SERIAL
