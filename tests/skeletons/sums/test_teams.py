"""Sums that the threads of a team make: along rows, down columns, or left to others where it is not sound."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skeletons import CompileOptions
from skeletons.body.simd_sums import BY_TEAMS
from tests.support import accelerated
from tests.support.places import ROOT

CORPUS = ROOT / "corpus" / "polybench"
ROWS = "for (int i = 0; i < n; i++)"
ALONG, DOWN = "threadIdx.x, own = threadIdx.y", "threadIdx.y, own = threadIdx.x"


def kernel(body: str, around: str = "") -> str:
    return (
        f"#include <math.h>\n{around}\n"
        "double A[900][900], B[900][900], x[900], y[900], z[900]; int len[900], k;\n"
        f"void f(int n, int m, int p) {{ double s; {ROWS} {{ {body} }} }}\n"
    )


def chosen(body: str, folder: Path, options: CompileOptions | None = None) -> accelerated.Written:
    source = folder / "p.c"
    source.write_text(kernel(body))
    wanted = CompileOptions(preferred=("team",)) if options is None else options
    return accelerated.written(source, "cuda", folder / "out", options=wanted)


def device(found: accelerated.Written) -> str:
    return (found.folder / f"{found.name}_kernels.cu").read_text()


TAKEN = {
    "a row": ("y[i] = 0; for (int j = 0; j < m; j++) y[i] += A[i][j] * x[j];", ALONG),
    "a column": ("y[i] = 1; for (int j = 0; j < m; j++) y[i] -= A[j][i] * x[j];", DOWN),
    "a variable": ("s = x[i]; for (int j = 0; j < m; j++) s = A[i][j] + s; y[i] = s / 2;", ALONG),
    "its own variable": ("double t = 0; for (int j = 0; j < m; j++) t += A[j][i]; y[i] = t;", DOWN),
    "two sums": ("for (int j = 0; j < m; j++) { y[i] += A[i][j]; z[i] += B[i][j] * x[j]; }", ALONG),
    "a triangle": ("for (int j = 0; j <= i; j++) y[i] += A[i][j] * x[j];", ALONG),
    "downwards in steps": ("for (int j = m; j > 2; j -= 3) y[i] += A[i][j];", ALONG),
    "what it reads is written afterwards": (
        "s = A[i][p]; for (int j = 0; j < p; j++) s -= A[i][j] * x[j]; A[i][p] = s;",
        ALONG,
    ),
}
OTHERS = {
    "what it reads is written before": (
        "A[i][0] = i; for (int j = 0; j < m; j++) y[i] += A[i][j];",
        "A may be written before the inner loop",
    ),
    "the sum is read": (
        "for (int j = 0; j < m; j++) { y[i] += x[j]; z[i] += y[i]; }",
        "y is used beside the sum y[i]",
    ),
    "a product": ("for (int j = 0; j < m; j++) y[i] *= A[i][j];", "does not only add"),
    "the sum is scaled": ("for (int j = 0; j < m; j++) y[i] = (y[i] + x[j]) * 2;", "does not add to y[i]"),
    "it is taken away from": ("for (int j = 0; j < m; j++) y[i] = x[j] - y[i];", "does not add to y[i]"),
    "a variable of the loop": (
        "for (int j = 0; j < m; j++) { double t = A[i][j]; y[i] += t * t; }",
        "does not consist of assignments",
    ),
    "a variable from before": (
        "s = x[i] + 1; for (int j = 0; j < m; j++) y[i] += A[i][j] * s;",
        "s is no variable",
    ),
    "a bound from an array": (
        "for (int j = 0; j < len[i]; j++) y[i] += A[i][j];",
        "no arithmetic of variables",
    ),
    "a few steps": ("for (int j = 0; j < 16; j++) y[i] += A[i][j];", "too few for a team"),
    "a number that counts": ("for (k = 0; k < m; k++) y[i] += A[i][k]; z[i] = k;", "k"),
}


@pytest.mark.parametrize(("body", "where"), TAKEN.values(), ids=TAKEN.keys())
def test_taken(body: str, where: str, tmp_path: Path) -> None:
    found = chosen(body, tmp_path)
    assert found.skeletons == ["team"]
    assert where in device(found)
    assert BY_TEAMS in device(found)  # or results would be compared to the last bit


@pytest.mark.parametrize(("body", "reason"), OTHERS.values(), ids=OTHERS.keys())
def test_left_to_others(body: str, reason: str, tmp_path: Path) -> None:
    found = chosen(body, tmp_path, CompileOptions(without=frozenset({"distribute", "interchange"})))
    assert "team" not in found.skeletons
    assert reason in found.reason("team")


def test_not_where_sums_keep_their_order(tmp_path: Path) -> None:
    body, _ = TAKEN["a row"]
    strict = chosen(body, tmp_path, CompileOptions(strict_fp=True))
    assert "team" not in strict.skeletons
    assert "--strict-fp" in strict.reason("team")


def test_sums_whose_parts_fill_fast_memory(tmp_path: Path) -> None:
    sums = " ".join(f"s{k} += A[j][i] * {k};" for k in range(13))
    declared = ", ".join(f"s{k} = 0" for k in range(13))
    total = " + ".join(f"s{k}" for k in range(13))
    body = f"double {declared}; for (int j = 0; j < m; j++) {{ {sums} }} y[i] = {total};"
    found = chosen(body, tmp_path, CompileOptions())
    assert found.skeletons == ["default"]
    assert "13 sums take more than the 49152 bytes" in found.reason("team")


@pytest.mark.parametrize(("name", "count"), [("mvt", 2), ("gesummv", 1), ("cholesky", 1)])
def test_chosen_in_the_corpus(name: str, count: int, tmp_path: Path) -> None:
    found = accelerated.written(CORPUS / f"{name}.c", "cuda", tmp_path)
    assert found.skeletons.count("team") >= count


@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert accelerated.spills(chosen(TAKEN["two sums"][0], tmp_path), architecture) == []
