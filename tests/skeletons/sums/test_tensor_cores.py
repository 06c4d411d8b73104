"""Products of doubles by tensor cores: taken where asked for, equal but for the rounding, or refused."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import SkeletonError
from skeletons import CompileOptions
from skeletons.program.requested import unmade
from tests.kernels.fuzz import KINDS, compare
from tests.skeletons.sums.test_skeletons_contraction import PRODUCT, SOURCE, chosen, kernel
from tests.support import accelerated

NAME = "contraction-tensor"
WANTED = CompileOptions(wanted=frozenset({"tensor-cores"}))
SMALL = {"block_m": 32, "block_n": 24, "block_k": 8, "thread_m": 2, "thread_n": 2}
TAKEN = {
    "a plain product": PRODUCT,
    "a product taken away": "for (k = 0; k < p; k++) C[i][j] = C[i][j] - x * A[i][k] * B[k][j];",
    "two products": "for (k = 0; k < p; k++) C[i][j] += A[i][k] * B[j][k] - A[j][k] * (B[i][k] * x);",
    "a choice for each side": "for (k = 0; k < p; k++) C[i][j] += (k < i ? A[i][k] : A[k][i]) * B[k][j];",
    "a third loop": "for (k = 0; k < p; k++) for (int l = 0; l < 9; l++) C[i][j] += D[i][k][l] * D[j][l][k];",
}
OTHERS = {
    "a sum of its own": "for (k = 0; k < p; k++) C[i][j] += A[i][k] * B[k][j] + A[i][k];",
    "a quotient": "for (k = 0; k < p; k++) C[i][j] += A[i][k] / B[k][j];",
    "a function": "for (k = 0; k < p; k++) C[i][j] += fabs(A[i][k] - B[k][j]);",
    "a factor": "for (k = 0; k < p; k++) C[i][j] = A[i][k] * B[k][j] + C[i][j] * A[i][k];",
}


def made(text: str, folder: Path, options: CompileOptions = WANTED) -> accelerated.Written:
    source = folder / "p.c"
    source.write_text(text)
    return accelerated.written(source, "cuda", folder / "out", options=options)


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN.keys())
def test_taken(body: str, tmp_path: Path) -> None:
    found = made(kernel(body), tmp_path)
    assert found.skeletons == [NAME]
    assert unmade(["tensor-cores"], found.choices) == []


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_other_sums_are_left_to_other_skeletons(body: str, tmp_path: Path) -> None:
    found = made(kernel(body), tmp_path)
    assert NAME not in found.skeletons
    assert unmade(["tensor-cores"], found.choices) == ["tensor-cores"]


def test_only_where_it_is_asked_for(tmp_path: Path) -> None:
    assert chosen(kernel(PRODUCT), "cuda", tmp_path).skeletons == ["contraction"]
    strict = made(kernel(PRODUCT), tmp_path, CompileOptions(wanted=WANTED.wanted, strict_fp=True))
    assert strict.skeletons == ["contraction"]
    assert "--strict-fp" in strict.reason(NAME)
    with pytest.raises(SkeletonError, match="only with --with tensor-cores"):
        made(kernel(PRODUCT), tmp_path, CompileOptions(preferred=(NAME,)))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("parameters", [{}, SMALL], ids=["default", "small"])
def test_in_the_shim(parameters: dict[str, int], tmp_path: Path) -> None:
    kind = replace(KINDS["tensor"], parameters=parameters)
    assert compare(kind, 12, 6, tmp_path)[NAME] >= 3


@pytest.mark.long
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert (
        accelerated.spills(accelerated.written(SOURCE, "cuda", tmp_path, options=WANTED), architecture) == []
    )
