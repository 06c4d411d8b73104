"""Little work stays with one thread, where sizes are known only when the program runs."""

from __future__ import annotations

import re

import pytest

from models.run_time_thresholds import condition
from skeletons import CompileOptions, Library, compile_unit
from species import analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.skeletons.schedule.test_transformed_nests import compiled
from transfers import around_kernels

SAXPY = "for (int i = 0; i < n; i++) y[i] += x[i];"
LIMITED = {
    "a vector": (SAXPY, "parallel for if(n > #)"),
    "a part of it": ("for (int i = 3; i < n; i++) y[i] = x[i];", "if((long)n-3 > #)"),
    "a sum": ("for (int i = 0; i < n; i++) s += x[i];", "reduction(+:s) if(n > #)"),
    "rows": (
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[j][i] = B[j][i] + 1;",
        "parallel for if((double)n * m > #)",
    ),
    "several loops in a region": (
        "for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < m; j++) y[i] += A[i][j] * x[j]; }",
        "parallel if((double)n * m > #)",
    ),
    "what threads do between two meetings": (
        """for (int t = 0; t < m; t++) {
            for (int i = 1; i < n; i++) y[i] = x[i - 1] + x[i];
            for (int i = 1; i < n; i++) x[i] = y[i] * t; }""",
        "parallel if((double)(n - 1) > #)",
    ),
    "blocks of columns": (
        """for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j]; }""",
        "parallel if((double)(n - 65) * (-((n - 2) % 64) + n - 2) > #)",
    ),
}
ALWAYS = {
    "a known size": "for (int i = 0; i < 400; i++) for (int j = 0; j < 400; j++) A[j][i] = B[j][i] + 1;",
}


@pytest.mark.parametrize("name", LIMITED)
def test_has_a_condition(name: str) -> None:
    nest, clause = LIMITED[name]
    assert clause in re.sub(r"> \d+\)", "> #)", compiled(nest).files["nests.c"])
    assert " if(" not in compiled(nest, without=frozenset({"threshold"})).files["nests.c"]


@pytest.mark.parametrize("name", ALWAYS)
def test_has_none(name: str) -> None:
    text = compiled(ALWAYS[name]).files["nests.c"]
    assert "omp parallel" in text and " if(" not in text


def test_slower_threads_need_more_work() -> None:
    assert condition(["n"], 2e-9, 100e-6) == "n > 50000"
    assert condition(["n", "m + 1"], 2e-9, 100e-6) == "(double)n * (m + 1) > 50000"
    assert condition(["n", "100"], 2e-9, 100e-6) == "n > 500"
    assert condition(["n", "1000000"], 2e-9, 100e-6) == condition(["12"], 2e-9, 100e-6) == ""


@pytest.mark.parametrize("ctype", ["unsigned char", "short"])
def test_no_comparison_is_always_false(ctype: str) -> None:
    """gcc warns of `n > 10000` where `n` cannot be as large."""
    text = f"void f({ctype} n, float *x) {{ for (int i = 0; i < n; i++) x[i] = 1; }}\n"
    unit = read_translation_unit("p.c", PreprocessOptions(), text=text)
    facts = analyse(unit)
    made = compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), CompileOptions())
    assert "if((double)n > " in made.files["p.c"]
