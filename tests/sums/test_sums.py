"""Sums into members of structures: where they go through variables, and where they stay as they are."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library
from skeletons.catalogue.passes import SUMS, THRESHOLD
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.filters.fuzz import compare
from tests.stages.test_stages import needs_gcc
from tests.sums.generator import program

HEAD = """#include <stddef.h>
typedef struct stats { long count; double sum, most; int small : 4; volatile int seen; struct stats *next; } stats;
static stats all;
static double work(double x) { double s = 0; for (int k = 0; k < 9; k++) s += x * k; return s; }
"""
LOOP = "for (int i = 0; i < n; i++)"
TAKEN = {
    "by a pointer": f"void f(stats *s, const double *x, int n) {{ {LOOP} s->sum += work(x[i]); }}",
    "counted on a condition": f"void f(stats *s, int n) {{ {LOOP} if (work(i) > 3) s->count++; }}",
    "of a local structure": f"double f(int n) {{ stats t = {{ 0 }}; {LOOP} t.sum -= work(i); return t.sum; }}",
    "of a static structure": f"void f(int n) {{ {LOOP} all.sum = all.sum + work(i); }}",
    "of one behind another": f"void f(stats *s, int n) {{ {LOOP} s->next->count += work(i) > 2; }}",
    "the greatest": f"void f(stats *s, int n) {{ {LOOP} {{ double v = work(i); if (v > s->most) s->most = v; }} }}",
    "two": f"void f(stats *s, int n) {{ {LOOP} {{ double v = work(i); s->sum += v; if (v > 1) s->count++; }} }}",
}
STAYING = {
    "it is read": f"void f(stats *s, double *y, int n) {{ {LOOP} {{ s->sum += work(i); y[i] = s->sum; }} }}",
    "the pointer moves": f"void f(stats *s, int n) {{ {LOOP} {{ s->sum += work(i); s = s->next; }} }}",
    "a pointer of the body": f"void f(stats *s, int n) {{ {LOOP} {{ stats *t = s + 1; t->sum += work(i); }} }}",
    "volatile": f"void f(stats *s, int n) {{ {LOOP} s->seen += work(i) > 3; }}",
    "by a macro": f"#define SUM s->sum\\nvoid f(stats *s, int n) {{ {LOOP} SUM += work(i); }}".replace(
        "\\n", "\n"
    ),
}


def made(text: str, *without: str) -> str:
    """The OpenMP program."""
    flags, analysis, library = PreprocessOptions(), AnalysisOptions(scops=True), Library.load()
    unit = read_translation_unit("sums.c", flags, text=HEAD + text)
    options = CompileOptions(without=frozenset((THRESHOLD, *without)))
    found = generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options)
    return found.files["sums.c"]


def loop_of(text: str) -> str:
    """The text from the loop over i on."""
    return text[text.index("int n)") :]


@pytest.mark.parametrize("name", TAKEN)
def test_sums_go_through_variables(name: str) -> None:
    found = loop_of(made(TAKEN[name]))
    assert "#pragma omp parallel for" in found and "reduction(" in found
    assert "reduction(" not in loop_of(made(TAKEN[name], SUMS))


@pytest.mark.parametrize("name", STAYING)
def test_others_stay(name: str) -> None:
    assert "!= 0) s->" not in loop_of(made(STAYING[name]))


def test_order_of_sums_is_kept_if_wanted() -> None:
    flags, analysis, library = PreprocessOptions(), AnalysisOptions(scops=True), Library.load()
    unit = read_translation_unit("sums.c", flags, text=HEAD + TAKEN["by a pointer"])
    options = CompileOptions(without=frozenset({THRESHOLD}), strict_fp=True)
    found = generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options)
    assert "s->sum += work(x[i])" in found.files["sums.c"]


@needs_gcc
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(7000, 7010))
def test_random_sums(seed: int, tmp_path: Path) -> None:
    assert compare(program(seed), tmp_path, "openmp", strict_fp=False)
