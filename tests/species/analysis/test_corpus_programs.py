"""The programs of corpus/: clean C99, deterministic, and each loop with a written verdict."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.support.places import ROOT

CORPUS = ROOT / "corpus"
PROGRAMS = sorted(str(path.relative_to(CORPUS)) for path in CORPUS.glob("[!a]*/*.c"))
VERDICTS = {
    "parallel",
    "reduction",
    "array-reduction",
    "array-private",
    "conditional",
    "symbolic",
    "serial",
}
# seed 003, table 3.2: the 30 algorithms
ALGORITHMS = [
    "2mm",
    "3mm",
    "adi",
    "atax",
    "bicg",
    "cholesky",
    "correlation",
    "covariance",
    "doitgen",
    "durbin",
    "dynprog",
    "fdtd-2d",
    "fdtd-2d-apml",
    "floyd-warshall",
    "gemm",
    "gemver",
    "gesummv",
    "gramschmidt",
    "jacobi-1d",
    "jacobi-2d",
    "lu",
    "ludcmp",
    "mvt",
    "reg_detect",
    "seidel-2d",
    "symm",
    "syr2k",
    "syrk",
    "trisolv",
    "trmm",
]
CC = shutil.which("cc")
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-fsanitize=address,undefined"]


@cache
def truth() -> dict[str, dict[str, list[str | dict[str, str]]]]:
    verdicts: dict[str, dict[str, list[str | dict[str, str]]]]
    verdicts = yaml.safe_load((CORPUS / "truth.yaml").read_text())
    return verdicts


@cache
def build_works() -> bool:
    """Is there a compiler that links the sanitizers?"""
    if CC is None:
        return False
    command = [CC, *FLAGS, "-x", "c", "-", "-o", "/dev/null"]
    return subprocess.run(command, input="int main(void){return 0;}", text=True, check=False).returncode == 0


def loop_count(source: str) -> int:
    """How many `for`, `while`, `do` (by its `while`) and FOR macros there are in the code proper."""
    code = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', " ", source, flags=re.S)
    code = re.sub(r"^#.*$", "", code, flags=re.M)
    return len(re.findall(r"\b(?:for|while|FOR)\b", code))


def run(executable: Path) -> str:
    result = subprocess.run([executable], capture_output=True, text=True, check=False, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", PROGRAMS)
def test_program_is_clean_and_deterministic(program: str, tmp_path: Path) -> None:
    if not build_works():
        pytest.skip("no C compiler with address and undefined-behaviour sanitizers")
    executable = tmp_path / "program"
    command = [str(CC), *FLAGS, str(CORPUS / program), "-o", str(executable), "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    output = run(executable)
    assert output.strip()
    assert not re.search(r"\b(?:nan|inf)\b", output)
    assert run(executable) == output


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_loop_has_a_written_verdict(program: str) -> None:
    verdicts = [entry for entries in truth()[program].values() for entry in entries]
    words = [entry if isinstance(entry, str) else next(iter(entry)) for entry in verdicts]
    assert set(words) <= VERDICTS
    assert all(isinstance(entry, str) or len(entry) == 1 for entry in verdicts)
    assert len(words) == loop_count((CORPUS / program).read_text())


def test_truth_speaks_of_existing_programs_only() -> None:
    assert sorted(truth()) == PROGRAMS


def test_all_algorithms_of_table_3_2_are_there() -> None:
    assert sorted(path.stem for path in (CORPUS / "polybench").glob("*.c")) == sorted(ALGORITHMS)
