"""Pointers to rows of arrays of arrays that may leave their row: every element has one number."""

from __future__ import annotations

import pytest

from species.facts.loops import LoopFacts, Verdict
from tests.species.analysis.test_budget import facts_within

DECLARED = "#define LOOP for (int i = 1; i < m; i++)\n#define EACH for (int k = 0; k < n; k++)\n"
ARRAYS = (
    "struct cell { int x, y; }; double A[100][64], x[100], T[9][7][64], s; struct cell C[100][64];\n"
    "struct { int v[8]; } D[100][64];\n"
    "static void scale(double *row, int n) { EACH row[k] *= 2; }\n"
    "static double sum(const double *row, int n) { double s = 0; EACH s += row[k]; return s; }\n"
)
CONDITIONS = {
    "a variable": ("LOOP { double *r = A[i]; EACH r[k] = 0; }", ["n <= 64"]),
    "an address": ("LOOP { double *r = &A[i][0]; EACH *r++ = 0; }", ["n <= 64"]),
    "from further on": ("LOOP { double *r = &A[i][4]; EACH r[k] = 0; }", ["n <= 64"]),
    "an argument": ("LOOP scale(A[i], n);", ["n <= 64"]),
    "of a block": ("LOOP scale(T[i][3], n);", ["n <= 448"]),
    "structures": ("LOOP { struct cell *r = C[i]; EACH r[k].y = r[k].x; }", ["n <= 64"]),
    "a parameter": ("LOOP scale(p[i], n);", ["n <= 64"]),
    "copied bytes": ("LOOP memset(A[i], 0, n * sizeof(double));", ["n <= 64"]),
}
PARALLEL = {
    "read only": "LOOP x[i] = sum(A[i], n);",
    "inner": "{ double *r = A[m]; EACH r[k] = r[k] + 1; }",
    "every other row": "LOOP { double *r = A[2 * i]; for (int k = 0; k < 128; k++) r[k] = 0; }",
    "one cell beside rows": "LOOP { double *r = A[i]; A[i][n] = 1; if (n > 3) r[n] = 0; }",
}
SERIAL = {
    "a row too long": "LOOP { double *r = A[i]; for (int k = 0; k < 65; k++) r[k] = 0; }",
    "the row before": "LOOP { double *r = A[i]; EACH r[k] = A[i - 1][k]; }",
    "behind the row before": "LOOP { double *r = A[i - 1]; A[i][0] = r[128]; }",
    "cells of the next row": "LOOP { double *r = A[i]; r[64 + n] = A[i][n]; }",
    "bytes of several rows": "LOOP memset(A[i], 0, 65 * sizeof(double));",
    "a pointer that moves": "{ double (*q)[64] = p; LOOP { q++; double *r = *q; r[64 + n] = q[0][n]; } }",
    "out of a member": "LOOP { int *r = D[i][2].v; r[n] = D[i + 1][2].v[0]; }",
    "one name": "LOOP { double *r = A[n]; EACH r[k] = i; }",
}


def outer(body: str) -> LoopFacts:
    text = f"{DECLARED}#include <string.h>\n{ARRAYS}void f(int m, int n, double (*p)[64]) {{\n{body}\n}}\n"
    return next(loop for loop in facts_within(60, text).loops if loop.function == "f")


@pytest.mark.parametrize(("body", "conditions"), CONDITIONS.values(), ids=CONDITIONS.keys())
def test_rows_may_be_long_enough(body: str, conditions: list[str]) -> None:
    loop = outer(body)
    assert loop.verdict is Verdict.CONDITIONAL
    assert [c for c in loop.conditions if "<=" in c and "char" not in c] == conditions


@pytest.mark.parametrize("body", PARALLEL.values(), ids=PARALLEL.keys())
def test_elements_have_one_number(body: str) -> None:
    assert outer(body).verdict is Verdict.PARALLEL


@pytest.mark.parametrize("body", SERIAL.values(), ids=SERIAL.keys())
def test_rows_that_are_left_meet_others(body: str) -> None:
    assert outer(body).verdict is Verdict.SERIAL


def test_rows_of_a_variable_length() -> None:
    text = (
        "void f(int m, int n, int w, double a[m][w]) {\n"
        "for (int i = 0; i < m; i++) { double *r = a[i]; for (int k = 0; k < n; k++) r[k] = 0; } }"
    )
    outer = facts_within(60, text).loops[0]
    assert outer.verdict is Verdict.CONDITIONAL
    assert outer.conditions == ("w >= n",)
