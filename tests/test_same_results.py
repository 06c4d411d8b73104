"""Results are the same in every run: they depend neither on hashes nor on where things lie in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent

# What is known to be equal could be said with either variable.
EQUAL = """double v[400][400];
void f(int lb, int ub, int n) {
  if (ub == lb)
    for (int i = 0; i < lb; i++)
      for (int j = n - 1 - lb + i, k = n - 1; j >= 0; j--, k--)
        v[lb + ub - i][k] = v[i][j];
}
"""


def reported(file: Path, seed: int) -> str:
    command = [sys.executable, "-m", "cuvier", "report", "--no-cache", "--format", "json", str(file)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=REPOSITORY, env=environment, check=True
    )
    return done.stdout


@pytest.mark.parametrize("name", ["equal", "polybench/lu.c", "features/vla_2d.c"])
def test_reports_do_not_depend_on_hashes(name: str, tmp_path: Path) -> None:
    file = tmp_path / "equal.c"
    file.write_text(EQUAL if name == "equal" else (REPOSITORY / "corpus" / name).read_text())
    assert len({reported(file, seed) for seed in range(1, 7)}) == 1
