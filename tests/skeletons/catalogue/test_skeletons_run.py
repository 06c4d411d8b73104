"""Generated programs print what the original prints: built and run, on every target that this machine has."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, compile_unit, write_program
from skeletons.shim import build_command, translate
from species import analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.accelerated import has_opencl, shim_library
from tests.support.places import TESTS
from transfers import around_kernels

PROGRAMS = TESTS / "skeletons_programs"
WARNINGS = "-O1 -ffp-contract=off -std=gnu99 -Wall -Wextra -Werror"

EXPECTED = {
    "vectors": {"default"},
    "names": {"default"},
    "matrices": {"default", "neighbourhood-1d", "neighbourhood-2d", "triangle"},
    "reductions": {"default", "reduction"},
    "values": {"default", "reduction"},
}


def generate(name: str, target: str, folder: Path) -> set[str]:
    """Write the program; the names of the skeletons that were used."""
    unit = read_translation_unit(str(PROGRAMS / f"{name}.c"), PreprocessOptions())
    facts = analyse(unit)
    short = frozenset({"threshold"} if target == "openmp" else ())  # loops are to be taken, too
    options = CompileOptions(without=short)
    program = compile_unit(unit, facts, around_kernels(facts), target, Library.load(), options)
    write_program(program, folder)
    return {choice.skeleton.name for choice in program.choices if choice.skeleton is not None}


def output(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def make(folder: Path, *arguments: str) -> None:
    command = ["make", "-C", str(folder), f"CFLAGS={WARNINGS}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the original programs print."""
    if shutil.which("gcc") is None or shutil.which("make") is None:
        pytest.skip("no gcc or no make on this machine")
    folder = tmp_path_factory.mktemp("original")
    for name in EXPECTED:
        subprocess.run(
            ["gcc", *WARNINGS.split(), str(PROGRAMS / f"{name}.c"), "-o", str(folder / name), "-lm"],
            check=True,
        )
    return {name: output(folder / name) for name in EXPECTED}


@pytest.mark.parametrize("name", EXPECTED)
def test_outlined_c(name: str, tmp_path: Path, original: dict[str, str]) -> None:
    assert generate(name, "c", tmp_path) == {"default"}
    make(tmp_path)
    assert output(tmp_path / name) == original[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_openmp(name: str, tmp_path: Path, original: dict[str, str]) -> None:
    assert generate(name, "openmp", tmp_path) == EXPECTED[name] - {
        "neighbourhood-1d",
        "neighbourhood-2d",
        "triangle",
    }
    make(tmp_path)
    assert output(tmp_path / name) == original[name]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", EXPECTED)
def test_opencl(name: str, tmp_path: Path, original: dict[str, str]) -> None:
    if not has_opencl():
        pytest.skip("no OpenCL device on this machine")
    assert generate(name, "opencl", tmp_path) == EXPECTED[name]
    make(tmp_path)
    assert output(tmp_path / name) == original[name]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", EXPECTED)
def test_cuda_in_the_shim(name: str, tmp_path: Path, original: dict[str, str]) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no g++ on this machine")
    assert generate(name, "cuda", tmp_path) == EXPECTED[name]
    host = tmp_path / f"{name}.o"
    subprocess.run(["gcc", *WARNINGS.split(), "-c", str(tmp_path / f"{name}.c"), "-o", str(host)], check=True)
    device = tmp_path / f"{name}_kernels.cpp"
    translate(tmp_path / f"{name}_kernels.cu", device)
    extra = [str(host), "-I", str(tmp_path)]
    command = build_command("g++", device, tmp_path / name, extra, sanitize=True, library=shim_library())
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert output(tmp_path / name) == original[name]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", EXPECTED)
def test_cuda_compiles(name: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    generate(name, "cuda", tmp_path)
    make(tmp_path, "NVCCFLAGS=-O1 --fmad=false -Werror all-warnings", "ARCH=sm_75")


def test_an_opencl_error_is_reported_and_ends_the_program(tmp_path: Path) -> None:
    if not has_opencl():
        pytest.skip("no OpenCL device on this machine")
    generate("values", "opencl", tmp_path)
    make(tmp_path)
    environment = {"CUVIER_OPENCL_DEVICE": "99", "PATH": "/usr/bin:/bin"}
    done = subprocess.run([tmp_path / "values"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cuvier: CUVIER_OPENCL_DEVICE=99: there ")
