"""Tables of rows that functions make, are handed and hand on; and what only looks like a table of its own."""

from __future__ import annotations

import pytest

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library
from species import AnalysisOptions, analyse
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double *kept, **all;
int other(double **p);
static double **made(int n, int m) {
    double **t = malloc(n * sizeof *t);
    if (!t) return NULL;
    for (int i = 0; i < n; i++) t[i] = malloc(m * sizeof **t);
    return t;
}
"""
ROWS = "for (int i = 0; i < n; i++) A[i] = malloc(n * sizeof **A);"
OWN = f"double **A = malloc(n * sizeof *A); {ROWS}"
LOOP = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = A[i][j] + 1;"

TABLES = {
    "made by a function": f"void f(int n) {{ double **A = made(n, n); {LOOP} }}",
    "made by a function, assigned later": f"""void f(int n) {{
        double **A; A = (double **)made(n, n); {LOOP} }}""",
    "made by a function that calls one": f"""
        double **twice(int n) {{ double **r = made(n, 2 * n); return r; }}
        void f(int n) {{ double **A = twice(n); if (A == NULL) exit(1); {LOOP} }}""",
    "filled and returned": f"double **f(int n) {{ {OWN} {LOOP} return A; }}",
    "handed to a function that uses it": f"""void show(double **p, int n) {{ printf("%f", p[n][n]); }}
        void f(int n) {{ {OWN} {LOOP} show(A, n); }}""",
    "handed to a function that makes the rows": f"""void rows(double **p, int n) {{
            for (int k = 0; k < n; k++) p[k] = malloc(8 * n); }}
        void f(int n) {{ double **A = malloc(n * sizeof *A); rows(A, n); {LOOP} }}""",
    "handed on": f"""void last(double **p) {{ p[0][0] = 1; }} void first(double **q) {{ last(q); }}
        void f(int n) {{ {OWN} first(A); {LOOP} }}""",
    "rows written to a file": f"void f(int n, FILE *o) {{ {OWN} {LOOP} fwrite(A[1], 8, n, o); }}",
    "cells read from a file": f"""void f(int n) {{ {OWN}
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) scanf("%lf", &A[i][j]); {LOOP} }}""",
    "rows handed to a function": f"""double sum(double *r, int n) {{ double s = 0;
            for (int k = 0; k < n; k++) s += r[k]; return s; }}
        void f(int n) {{ {OWN} kept[0] = sum(A[0], n); {LOOP} }}""",
    "freed by a function": f"""
        void done(double **p, int n) {{ for (int k = 0; k < n; k++) free(p[k]); free(p); }}
        void f(int n) {{ {OWN} {LOOP} done(A, n); }}""",
}


def nests(text: str) -> list[Verdict]:
    """The verdicts of the outermost loops of f."""
    return [loop.verdict for loop in loops_of(HEAD + text) if loop.function == "f" and loop.depth == 0]


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES.keys())
def test_rows_are_apart(text: str) -> None:
    assert nests(text)[-1] is Verdict.PARALLEL


def test_rows_filled_by_functions() -> None:
    text = f"""void clear(double *r, int n) {{ for (int k = 0; k < n; k++) r[k] = 0; }}
        void f(int n) {{ {OWN}
            for (int i = 0; i < n; i++) clear(A[i], n);
            for (int i = 0; i < n; i++) memset(A[i], 0, n * sizeof **A); }}"""
    assert nests(text)[1:] == [Verdict.PARALLEL, Verdict.PARALLEL]


def test_tables_that_functions_make_are_apart() -> None:
    text = """void f(int n) { double **A = made(n, n), **B = made(n, n);
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = B[j][i]; }"""
    assert nests(text) == [Verdict.PARALLEL]


NO_TABLES = {
    "a row that a function keeps": f"""void keep(double *r) {{ kept = r; }}
        void f(int n) {{ {OWN} keep(A[0]); {LOOP} }}""",
    "a row that a function gives back": f"""double *row(double **p, int k) {{ return p[k]; }}
        void f(int n) {{ {OWN} A[1] = row(A, 0); {LOOP} }}""",
    "one row twice, by a function": f"""void again(double **p) {{ p[0] = p[1]; }}
        void f(int n) {{ {OWN} again(A); {LOOP} }}""",
    "a table that a function keeps": f"""void keep(double **p) {{ all = p; }}
        void f(int n) {{ {OWN} keep(A); other(A); all[0] = all[1]; {LOOP} }}""",
    "a table that functions keep in turn": f"""void second(double **p, int k);
        void first(double **p, int k) {{ if (k) second(p, k - 1); all = p; }}
        void second(double **p, int k) {{ if (k) first(p, k - 1); }}
        void f(int n) {{ {OWN} second(A, 3); all[0] = all[1]; {LOOP} }}""",
    "a table for another file": f"void f(int n) {{ {OWN} other(A); {LOOP} }}",
    "a table for a pointer to a function": f"void f(int n, int (*g)(double **)) {{ {OWN} g(A); {LOOP} }}",
    "a table behind void": f"""void copy(void *p) {{ double **q = p; q[0] = q[1]; }}
        void f(int n) {{ {OWN} copy(A); {LOOP} }}""",
    "a table of varargs": f"""void any(int k, ...) {{ }} void f(int n) {{ {OWN} any(1, A); {LOOP} }}""",
    "pointers copied": f"""void f(int n, double **B) {{ double **A = malloc(n * sizeof *A);
        memcpy(A, B, n * sizeof *A); {LOOP} }}""",
    "one of two tables": f"""void f(int n, int c) {{ double **A = made(n, n), **B = made(n, n);
        if (c) A = B; A[0] = B[0]; {LOOP} }}""",
    "made once": """static double **once(int n) { static double **t; if (!t) t = made(n, n); return t; }
        void f(int n) { double **A = once(n), **B = once(n);
            for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = B[i - 1][j]; }""",
    "made of one block": f"""static double **block(int n) {{ double **t = malloc(n * sizeof *t);
            double *b = malloc(n * sizeof *b); for (int i = 0; i < n; i++) t[i] = b; return t; }}
        void f(int n) {{ double **A = block(n); {LOOP} }}""",
    "made, and a row kept": f"""static double **leak(int n) {{ double **t = malloc(n * sizeof *t);
            for (int i = 0; i < n; i++) kept = t[i] = malloc(n * 8); return t; }}
        void f(int n) {{ double **A = leak(n); A[0] = kept; {LOOP} }}""",
    "given back as it came": f"""static double **same(double **p) {{ return p; }}
        void f(int n, double **q) {{ double **A = same(q); {LOOP} }}""",
    "sometimes given back as it came": f"""static double **some(double **p, int n) {{
            double **t = made(n, n); if (n) return p; return t; }}
        void f(int n, double **q) {{ double **A = some(q, n); {LOOP} }}""",
    "a malloc of one's own": f"""static double pool[1000]; void *calloc(size_t n, size_t m) {{ return pool; }}
        void f(int n) {{ double **A = malloc(n * sizeof *A);
            for (int i = 0; i < n; i++) A[i] = calloc(n, 8); {LOOP} }}""",
    "a buffer for output": """void f(int n) { char **A = malloc(n * sizeof *A);
        setvbuf(stdout, A[0], 0, 9); A[1] = 0;
        for (int i = 0; i < n; i++) A[i] = malloc(n);
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = A[i][j] + 1; }""",
    "what fgets gives back": """void f(int n, FILE *h) { char **A = malloc(n * sizeof *A);
        for (int i = 0; i < n; i++) A[i] = malloc(n);
        char *p = fgets(A[0], n, h);
        for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) A[i - 1][j] = p[i]; }""",
    "a choice of tables": f"""void use(double **p) {{ p[0][0] = 1; }}
        void f(int n, double **q) {{ {OWN} use(n ? A : q); A[0] = q[0]; {LOOP} }}""",
    "an address of a row": f"""void set(double **p, double *r) {{ *p = r; }}
        void f(int n) {{ {OWN} set(&A[0], kept); set(&A[1], kept); {LOOP} }}""",
}


@pytest.mark.parametrize("text", NO_TABLES.values(), ids=NO_TABLES.keys())
def test_rows_that_may_be_one(text: str) -> None:
    assert nests(text)[-1] is not Verdict.PARALLEL


def test_rows_in_rows_of_a_table() -> None:
    text = f"""void shift(double *to, double *from, int n) {{ for (int k = 0; k < n; k++) to[k] = from[k]; }}
        void f(int n) {{ {OWN} for (int i = 1; i < n; i++) shift(A[i], A[i - 1], n); }}"""
    assert nests(text)[-1] is Verdict.SERIAL


@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_accelerators_leave_tables_to_the_host(target: str) -> None:
    """Regions of a table have an index for the table and one for its rows, its declaration has none."""
    text = f"{HEAD} void f(int n) {{ {OWN} {LOOP} for (int i = 0; i < n; i++) A[0][i] = i; }}"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    analysis = AnalysisOptions()
    facts = analyse(unit, analysis)
    generate(unit, facts, target, Library.load(), PreprocessOptions(), analysis, CompileOptions())
