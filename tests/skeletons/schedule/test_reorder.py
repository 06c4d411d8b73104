"""Nests come into an order that gives accelerators more parallel loops, and only then."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate, options_for
from skeletons import CompileOptions, Library, Program
from skeletons.schedule.reorder import reordered
from species import analyse
from species.analysis.options import DEFAULTS, AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.nests.fuzz import Tally, for_accelerators, run
from tests.support.places import ROOT

CORPUS = ROOT / "corpus"
DECLARED = "double A[400][300], B[400][300], x[400], y[400], z[400], s; int n, m;\n"
BETTER = {
    "sums into an array": "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[j] += A[i][j] * x[i];",
    "two in one": """for (int i = 0; i < n; i++) { z[i] = 0;
        for (int j = 0; j < m; j++) z[i] += A[i][j] * x[j];
        for (int j = 0; j < m; j++) y[j] += A[i][j] * z[i]; }""",
    "a row and its cells": """for (int i = 0; i < n; i++) { x[i] = 1;
        for (int j = 0; j < m; j++) A[i][j] = 2 * B[i][j]; }""",
    "a variable for one thing after another": """double t; for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) { t = A[i][j]; B[i][j] = t * t; }
        t = x[i]; z[i] = t * t; }""",
}
IN_ORDER = {
    "rows from rows below": """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)
        for (int k = i + 1; k < n; k++) A[i][j] += B[i][k] * A[k][j];""",
    "rows from rows above": """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)
        for (int k = 0; k < i; k++) A[i][j] -= x[k] * A[k][j];""",
    "rows from rows above, from below": """for (int i = n - 1; i >= 0; i--) for (int j = 0; j < m; j++)
        for (int k = i - 1; k >= 0; k--) A[i][j] -= x[k] * A[k][j];""",
}
IN_PARTS = {
    "paths": ("A[i][j] = A[i][j] < A[i][k] + A[k][j] ? A[i][j] : A[i][k] + A[k][j];", 9),
    "a pivot's row": ("A[i][j] = 2 * A[i][j] + 3 * A[k][j];", 3),
}
LEFT = {
    "as parallel as it can be": """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)
        A[i][j] = 2 * B[i][j];""",
    "a recurrence": """for (int i = 1; i < n; i++) for (int j = 1; j < m; j++)
        A[i][j] = A[i - 1][j + 1] + A[i][j - 1];""",
    "a sum and its start": """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { B[i][j] = 0;
        for (int k = 0; k < 9; k++) B[i][j] += A[i][k] * A[k][j]; }""",
    "split for nothing": """for (int i = 0; i < n; i++) { z[i] = 0;
        for (int j = 0; j < m; j++) z[i] += A[i][j]; }""",
}


def in_order(nest: str) -> str | None:
    unit = read_translation_unit(
        "f.c", PreprocessOptions(), text=f"{DECLARED}void f(void)\n{{\n  {nest}\n}}\n"
    )
    found = reordered(unit, analyse(unit, AnalysisOptions(scops=True)), CompileOptions())
    return found.text if found else None


@pytest.mark.parametrize("name", BETTER)
def test_is_put_in_order(name: str) -> None:
    text = in_order(BETTER[name])
    assert text is not None
    assert "omp" not in text


@pytest.mark.parametrize("name", LEFT)
def test_is_left(name: str) -> None:
    assert in_order(LEFT[name]) is None


def test_loops_over_sums_go_inside() -> None:
    text = in_order(BETTER["sums into an array"])
    assert text is not None
    assert text.index("int j") < text.index("int i")


@pytest.mark.parametrize("name", IN_ORDER)
def test_sums_in_place_come_in_blocks(name: str) -> None:
    """In each block there are the sums that wait for each other, and a product without any."""
    text = in_order(IN_ORDER[name])
    assert text is not None and "i_block" in text
    assert text.count("A[i][j]") == 2 and "64" in text


def test_sums_of_all_rows_do_not() -> None:
    nest = IN_ORDER["rows from rows below"].replace("k = i + 1", "k = 0")
    assert "i_block" not in (in_order(nest) or "")


@pytest.mark.parametrize(("body", "parts"), IN_PARTS.values(), ids=IN_PARTS.keys())
def test_rounds_come_in_parts(body: str, parts: int) -> None:
    size = "for (int k = 0; k < 300; k++) for (int i = 0; i < 300; i++) for (int j = 0; j < 300; j++) "
    text = in_order(size + body)
    assert text is not None and text.count("A[i][j] =") + text.count("A[k][") >= parts


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_the_order_of_rounds_is_kept_by_the_host(target: str) -> None:
    program = generated(CORPUS / "polybench" / "floyd-warshall.c", target)
    host = program.files["floyd-warshall.c"]
    rounds = host[host.index("static void kernel_") : host.index("int main")]
    assert rounds.count("for (") == 1 and rounds.count("_k") == 9


def generated(source: Path, target: str) -> Program:
    library = Library.load()
    analysis = options_for(library.target(target), DEFAULTS)
    unit = read_translation_unit(str(source), PreprocessOptions())
    made = (target, library, PreprocessOptions(), analysis, CompileOptions())
    return generate(unit, analyse(unit, analysis), *made)


@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_what_was_atomic_is_a_sum(target: str) -> None:
    source = CORPUS / "polybench" / "atax.c"
    program = generated(source, target)
    device = next(text for name, text in program.files.items() if name.endswith((".cu", ".cl")))
    assert "cuvier_add" not in device.split("kernel_atax")[1]
    text = source.read_text()
    starts = [loop.spans.whole.of(text)[:5] for loop in program.replaced if loop.spans]
    assert set(starts) == {"for ("}  # all are places in the original
    assert len(program.replaced) == len({loop.kernel.name for loop in program.replaced if loop.kernel})


def test_random_nests(tmp_path: Path) -> None:
    tally = Tally()
    run(list(range(40, 43)), tmp_path, tally, compiler=for_accelerators)
    assert tally.wrong == []
    assert tally.changed["interchange"]


def test_nests_without_an_iteration(tmp_path: Path) -> None:
    text = """for (int i = 0; i < n; i++) for (int j = i + 1; j < i; j++) {
        if (j + 1 == 3) z[i] = A[j][i];
        y[i] += A[j][i]; }"""
    unit = read_translation_unit(
        "f.c", PreprocessOptions(), text=f"{DECLARED}void f(void)\n{{\n  if (s > 1)\n {text}\n}}\n"
    )
    found = reordered(unit, analyse(unit, AnalysisOptions(scops=True)), CompileOptions(), cpu=True)
    assert found is not None and "if (s > 1)\n {\n{ }\n}" in found.text


def test_iterations_that_are_written_apart_declare_variables_of_their_own(tmp_path: Path) -> None:
    text = """for (int t = 0; t < 1; t++) {
        for (int i = 1; i >= 0; i--) {
            z[i] += y[i + 1] * z[i + 1];
            unsigned w = 0;
            z[i + 1] += w;
        }
        for (int i = 0; i < 2; i++) for (int j = i + 1; j < i; j++) x[i] = z[j];
    }"""
    source = f"unsigned x[9], y[9], z[9];\nvoid f(void)\n{{\n{text}\n}}\n"
    unit = read_translation_unit("f.c", PreprocessOptions(), text=source)
    found = reordered(unit, analyse(unit, AnalysisOptions(scops=True)), CompileOptions(), cpu=True)
    assert found is not None and found.text.count("unsigned w = 0;") == 2
    (tmp_path / "f.c").write_text(found.text)
    subprocess.run(["gcc", "-fsyntax-only", "f.c"], cwd=tmp_path, check=True)
