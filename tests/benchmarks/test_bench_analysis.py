"""The benchmark of the analyser still knows the stages that it times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.places import ROOT


def test_the_benchmark_times_every_stage(tmp_path: Path) -> None:
    program = tmp_path / "a.c"
    program.write_text("double a[9];\nvoid f(void) {\n    for (int i = 0; i < 9; i++) a[i] = i;\n}\n")
    command = [sys.executable, "benchmarks/analysis.py", str(program)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for stage in ("preprocess", "parse", "loops", "data flow", "dependence", "characterise", "kernels"):
        assert stage in done.stdout
    assert "1 files in" in done.stdout
    assert "peak memory" in done.stdout
