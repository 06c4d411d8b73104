"""Little work stays with one thread, where sizes are known only when the program runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.machine import DEFAULT
from skeletons import CompileOptions, Library, compile_unit
from skeletons.emit.threshold import condition
from species import analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.test_transformed_nests import compiled
from transfers import around_kernels

SAXPY = "for (int i = 0; i < n; i++) y[i] += x[i];"
LIMITED = {
    "a vector": (SAXPY, "parallel for if(n > 2000)"),
    "a part of it": ("for (int i = 3; i < n; i++) y[i] = x[i];", "if((long)n-3 > 2000)"),
    "a sum": ("for (int i = 0; i < n; i++) s += x[i];", "reduction(+:s) if(n > 5000)"),
    "rows": (
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[j][i] = B[j][i] + 1;",
        "parallel for if((double)n * m > 200)",
    ),
    "several loops in a region": (
        "for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < m; j++) y[i] += A[i][j] * x[j]; }",
        "parallel if((double)n * m > 2000)",
    ),
}
ALWAYS = {
    "a known size": "for (int i = 0; i < 400; i++) y[i] += x[i];",
    "much in each iteration": """for (int i = 0; i < n; i++) for (int k = 0; k < 60; k++)
        y[i] += A[i][k] * B[k][i];""",
}


@pytest.mark.parametrize("name", LIMITED)
def test_has_a_condition(name: str) -> None:
    nest, clause = LIMITED[name]
    assert clause in compiled(nest).files["nests.c"]
    assert " if(" not in compiled(nest, without=frozenset({"threshold"})).files["nests.c"]


@pytest.mark.parametrize("name", ALWAYS)
def test_has_none(name: str) -> None:
    text = compiled(ALWAYS[name]).files["nests.c"]
    assert "omp parallel" in text and " if(" not in text


def test_slower_threads_need_more_work() -> None:
    slow = replace(DEFAULT, region=50e-6)
    assert condition(["n"], 2e-9, slow) == "n > 50000"
    assert condition(["n", "m + 1"], 2e-9, slow) == "(double)n * (m + 1) > 50000"
    assert condition(["n", "100"], 2e-9, slow) == "n > 500"
    assert condition(["n", "1000"], 2e-9, slow) == condition(["12"], 2e-9, slow) == ""


@pytest.mark.parametrize("ctype", ["unsigned char", "short"])
def test_no_comparison_is_always_false(ctype: str) -> None:
    """gcc warns of `n > 10000` where `n` cannot be as large."""
    text = f"void f({ctype} n, float *x) {{ for (int i = 0; i < n; i++) x[i] = 1; }}\n"
    unit = read_translation_unit("p.c", PreprocessOptions(), text=text)
    facts = analyse(unit)
    made = compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), CompileOptions())
    assert "if((double)n > " in made.files["p.c"]
