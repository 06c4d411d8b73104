"""The scripts of benchmarks/ start, and the one for transfers knows the programs that it changes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support import accelerated
from tests.support.places import ROOT

SCRIPTS = sorted(path.name for path in (ROOT / "benchmarks").glob("*.py"))


def run(*words: str) -> str:
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("script", SCRIPTS)
def test_help(script: str) -> None:
    assert f"benchmarks/{script}" in run(f"benchmarks/{script}", "--help")


@pytest.mark.long
@pytest.mark.skipif(not accelerated.has_opencl(), reason="no OpenCL device")
def test_transfers() -> None:
    table = run("benchmarks/transfers.py", "--scale", "1", "--runs", "1", "corpus/polybench/gemver.c")
    assert "| gemver | 0.46 | 0.00 |" in table
