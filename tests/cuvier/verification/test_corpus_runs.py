"""The corpus compiled, run and compared: generated programs, and the originals with OpenMP pragmas."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import LONG, POCL_FLAGS

from cuvier.base.errors import UserError
from cuvier.verification.output import compare_output
from cuvier.verification.verify import VerifyOptions, verify
from species import analyse
from species.annotate import AnnotateOptions, annotate, strip
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT

CORPUS = ROOT / "corpus"
PROGRAMS = sorted(str(p.relative_to(CORPUS)) for p in CORPUS.glob("[!a]*/*.c"))
POLYBENCH = [p for p in PROGRAMS if p.startswith("polybench/")]
FEATURES = [p for p in PROGRAMS if p.startswith("features/")]
SHIM = [f"polybench/{p}.c" for p in ("gemm", "jacobi-1d", "fdtd-2d", "covariance")] + [
    f"features/{p}.c" for p in ("reductions_min_max", "stencil_2d", "last_private", "negative_step")
]
# Every third program, but all of them in `make fuzz`: OpenMP in whole nests, which takes all, finds most.
EACH = 1 if os.environ.get(LONG) else 3
OPTIONS = VerifyOptions(PreprocessOptions())

pytestmark = pytest.mark.skipif(
    not (shutil.which("gcc") and shutil.which("make")), reason="needs gcc and make"
)


def run(program: Path) -> bytes:
    environment = {**os.environ, "OMP_NUM_THREADS": "4"}
    return subprocess.run([program], env=environment, capture_output=True, check=True, timeout=60).stdout


def build(source: Path, program: Path, *flags: str) -> None:
    command = ["gcc", "-std=gnu99", "-O1", *flags, "-o", str(program), str(source), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", PROGRAMS[::EACH])
def test_with_openmp_pragmas(name: str, tmp_path: Path) -> None:
    """Compiles without warnings, prints the same on four threads, and comes back byte by byte."""
    unit = read_translation_unit(str(CORPUS / name), PreprocessOptions())
    text = unit.source.text
    annotated = annotate(text, analyse(unit), AnnotateOptions(style="openmp"))
    assert strip(annotated) == text
    source = tmp_path / "annotated.c"
    source.write_text(annotated, encoding="utf-8", newline="")
    build(source, tmp_path / "parallel", "-fopenmp", "-Wall", "-Werror=unknown-pragmas")
    build(CORPUS / name, tmp_path / "original")
    result = compare_output(run(tmp_path / "original"), run(tmp_path / "parallel"), exact=False)
    assert result.ok, result.message


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", PROGRAMS[::EACH])
def test_openmp(name: str) -> None:
    assert verify(CORPUS / name, "openmp", OPTIONS).ok


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", [*POLYBENCH, *FEATURES][EACH - 1 :: EACH])
def test_opencl(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(POCL_FLAGS)  # kernels as users have them
    try:
        result = verify(CORPUS / name, "opencl", OPTIONS)
    except UserError as error:
        if "pocl" in str(error):
            pytest.skip(str(error))
        raise
    assert result.ok
    assert not result.unlaunched


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", SHIM)
def test_cuda_on_the_host_shim(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVCC", "none")  # it is tried in tests of its own
    options = VerifyOptions(PreprocessOptions(), device="host-shim")
    assert verify(CORPUS / name, "cuda", options).ok
