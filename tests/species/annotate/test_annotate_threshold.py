"""`cuvier annotate --style openmp`: pragmas where threads pay."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.pipeline.driver import annotate_file, unmarked
from models.machine import DEFAULT, Machine
from species.annotate import AnnotateOptions
from species.source import PreprocessOptions

OPENMP = AnnotateOptions("openmp")
SOURCE = """enum { N = 40, MANY = 10000000 };
double a[N], b[MANY], g[64][64];
struct vector { int size; double *data; };
static double twice(double y) { return 2 * y; }
static double power(double y, int k) { double p = 1; while (k-- > 0) p = y / (p + 1); return p; }
static double cube(double y) { return power(y, 3); }
void f(int n, int m, double *x, struct vector *restrict v) {
  @
}
"""


def pragmas(loop: str, folder: Path, machine: Machine | None = DEFAULT) -> tuple[list[str], list[str]]:
    """The clauses of the pragmas, and the notes about loops that have none."""
    source = folder / "app.c"
    source.write_text(SOURCE.replace("@", loop))
    found = annotate_file(source, PreprocessOptions(), OPENMP, machine=machine)
    assert found.after is not None
    clauses = re.findall(r"#pragma omp parallel for ?(.*?) ?/\*", found.after)
    return clauses, [note.message for note in unmarked(found.facts, OPENMP, found.disputed)]


@pytest.mark.parametrize(
    ("loop", "clauses"),
    [
        ("for (int i = 0; i < MANY; i++) b[i] = 1;", [""]),
        ("for (int i = 0; i < N; i++) a[i] = 1;", []),
        ("for (int i = 0; i < 9; i++) for (int j = 0; j < 64; j++) g[i][j] = 1;", []),
        ("for (int i = 0; i < n; i++) b[i] = 1;", ["if(n > #)"]),
        ("for (int i = 2; i < n; i++) b[i] = 1;", ["if((long)n-2 > #)"]),
        ("for (int i = m; i < n; i++) b[i] = 1;", ["if((long)n-(long)m > #)"]),
        ("for (int i = 0; i < v->size; i++) b[i] = 1;", ["if(v->size > #)"]),
        ("for (int i = 2; i < v->size; i++) b[i] = 1;", ["if(v->size - 2 > #)"]),
        ("for (int i = 0; i < n; i++) v->data[i] = 1;", ["if(n > #)"]),
        ("for (int i = 0; i < 9; i++) v->data[i] = 1;", []),
        ("for (int i = 0; i < n; i++) v->data[i] = twice(i);", ["if(n > #)"]),
        ("for (int i = 0; i < n; i++) v->data[i] = cube(i);", ["if(n > #)"]),
        ("for (int i = 0; i < n; i++) x[i] = a[i % N];", ["if((n > #) && (cuvier_f_1(n, x)))"]),
        ("for (int i = 0; i < N; i++) { int k = m; while (k > 1) k /= 2; a[i] = k; }", []),
        ("for (int t = 0; t < m; t++) for (int i = 1; i < N; i++) a[i] = a[i] * 2 + t;", []),
        ("for (int i = 0; i < N; i++) for (int j = 0; j < m; j++) a[i] += b[j];", ["if(m > #)"]),
    ],
)
def test_what_pays(loop: str, clauses: list[str], tmp_path: Path) -> None:
    found, notes = pragmas(loop, tmp_path)
    shapes = [re.sub(r"\d{3,}", "#", each) for each in found]
    assert shapes == clauses
    assert notes == []


def test_slow_starts_ask_for_more(tmp_path: Path) -> None:
    loop = "for (int i = 0; i < n; i++) b[i] = 1;"
    counts = [
        int(re.findall(r"\d+", pragmas(loop, tmp_path, replace(DEFAULT, region=region))[0][0])[0])
        for region in (1e-6, 1e-5)
    ]
    assert counts[1] == 10 * counts[0]


def test_without_it_all_are_marked(tmp_path: Path) -> None:
    assert pragmas("for (int i = 0; i < N; i++) a[i] = 1;", tmp_path, None) == ([""], [])
