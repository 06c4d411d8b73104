"""Wavefronts: nests of which every loop carries a dependence run in tiles, along diagonals."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, Program, compile_unit
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.nests import doacross
from tests.nests.compared import printed
from tests.skeletons.program.test_sizes import program_of
from transfers import around_kernels

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")

HEAD = "#define N 2000\nstatic double a[N][N], b[N][N]; static int d[N][N]; static char s[N], t[N];\n"
NESTS = {
    "Gauss-Seidel": """for (int k = 0; k < 100; k++)
        for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
        a[i][j] = 0.2 * (a[i][j] + a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1]);""",
    "nine points": """for (int k = 0; k < 100; k++)
        for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
        a[i][j] = (a[i][j-1] + a[i-1][j-1] + a[i-1][j+1] + a[i][j] + a[i+1][j-1] + a[i+1][j+1]) * 0.2;""",
    "one sweep": """for (int i = 1; i < N; i++) for (int j = 1; j < N; j++)
        a[i][j] = 0.5 * (a[i-1][j] + a[i][j-1]);""",
    "edit distance": """for (int i = 1; i < N; i++) for (int j = 1; j < N; j++) {
        int c = d[i-1][j-1] + (s[i] != t[j]);
        if (d[i-1][j] + 1 < c) c = d[i-1][j] + 1;
        if (d[i][j-1] + 1 < c) c = d[i][j-1] + 1;
        d[i][j] = c; }""",
    "two arrays": """for (int i = 1; i < N; i++) for (int j = 1; j < N; j++) {
        a[i][j] = b[i-1][j] + 1; b[i][j] = a[i][j-1] * 0.5; }""",
    "backwards": """for (int i = N - 2; i >= 0; i--) for (int j = 1; j < N; j++)
        a[i][j] = 0.5 * (a[i+1][j] + a[i][j-1]);""",
}
LEFT = {
    "parallel inside": "for (int i = 1; i < N; i++) for (int j = 0; j < N; j++) a[i][j] = a[i-1][j] + 1;",
    "a sum": """double x = 0; for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) x += a[i][j];
        a[0][0] = x;""",
    "sums of rows and columns": """static double r[N], c[N];
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { r[i] += a[i][j]; c[j] += a[i][j]; }""",
    "cells that are few": """for (int k = 0; k < 9; k++) for (int i = 1; i < 9; i++)
        for (int j = 1; j < 9; j++) a[i][j] = a[i-1][j] + a[i][j-1];""",
    "a distance that grows": """for (int i = 1; i < N / 2; i++) for (int j = 1; j < N / 2; j++)
        a[i][j] = a[i-1][2 * j] + a[i][j-1];""",
}


def compiled(nest: str, **options: object) -> Program:
    text = f"{HEAD}void f(void) {{ {nest} }}"
    unit = read_translation_unit("p.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    flags = CompileOptions(**options)  # type: ignore[arg-type]
    return compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), flags)


def steps(program: Program) -> set[str]:
    return {step for choice in program.choices for step in choice.steps}


@pytest.mark.parametrize("name", NESTS)
def test_such_nests_run_along_diagonals(name: str) -> None:
    program = compiled(NESTS[name])
    assert "wavefront" in steps(program)
    text = program.files["p.c"]
    assert re.search(r"_wave\+\+\) \{\s+#pragma omp for", text)
    assert "wavefront" not in steps(compiled(NESTS[name], without=frozenset({"wavefront"})))


@pytest.mark.parametrize("name", LEFT)
def test_what_has_no_diagonals_or_needs_none(name: str) -> None:
    assert "wavefront" not in steps(compiled(LEFT[name]))


@needs_gcc
@pytest.mark.parametrize("seed", [2, 5, 8, 11, 14])
def test_random_nests_compute_the_same(seed: int, tmp_path: Path) -> None:
    _, _, wrong = doacross.tried(seed)
    assert not wrong


@needs_gcc
def test_results_are_equal_to_the_bit(tmp_path: Path) -> None:
    text = doacross.program(1003)
    program = doacross.compiled(text)
    assert "wavefront" in steps(program)
    flags = ("-ffp-contract=off",)
    assert printed(program.files["program.c"], tmp_path, *flags) == printed(text, tmp_path, *flags)


RESIDUAL = """void f(int n, double (*u)[n], double *worst, double *sum) {
    double w = 0, s = 0;
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) {
        double old = u[i][j];
        u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        KEEP
    }
    *worst = w; *sum = s; }"""


@pytest.mark.parametrize(
    ("keep", "clause"),
    [
        ("s += (u[i][j] - old) * (u[i][j] - old);", "reduction(+:s)"),
        ("if (u[i][j] - old > w) w = u[i][j] - old;", "reduction(max:w)"),
        ("s += old; if (old > w) w = old;", "reduction(+:s) reduction(max:w)"),
    ],
)
def test_sweeps_keep_residuals(keep: str, clause: str) -> None:
    program = program_of(RESIDUAL.replace("KEEP", keep), "openmp")
    assert f"#pragma omp for {clause}\n" in program.files["sized.c"]
    strict = program_of(RESIDUAL.replace("KEEP", keep), "openmp", strict_fp=True)
    assert not any(choice.steps for choice in strict.choices)


@pytest.mark.parametrize(
    "keep", ["s += old; if (s > 9) u[i][j] = 0;", "s = s * 0.5 + old;", "s += old; s *= 2;"]
)
def test_what_is_more_than_a_residual_keeps_sweeps_serial(keep: str) -> None:
    program = program_of(RESIDUAL.replace("KEEP", keep), "openmp")
    assert not any(choice.steps for choice in program.choices)
