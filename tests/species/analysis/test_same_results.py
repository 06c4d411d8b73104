"""Results are the same in every run: they depend neither on hashes nor on where things lie in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cuvier.machine.text import as_yaml
from tests.support.machines import with_device
from tests.support.places import ROOT

REPOSITORY = ROOT

# What is known to be equal could be said with either variable.
EQUAL = """double v[400][400];
void f(int lb, int ub, int n) {
  if (ub == lb)
    for (int i = 0; i < lb; i++)
      for (int j = n - 1 - lb + i, k = n - 1; j >= 0; j--, k--)
        v[lb + ub - i][k] = v[i][j];
}
"""


def ran(seed: int, *arguments: str) -> str:
    """What `cuvier` prints where hashes begin with `seed`."""
    command = [sys.executable, "-m", "cuvier", *arguments]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=REPOSITORY, env=environment, check=True
    )
    return done.stdout


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["equal", "polybench/lu.c", "features/vla_2d.c"])
def test_reports_do_not_depend_on_hashes(name: str, tmp_path: Path) -> None:
    file = tmp_path / "equal.c"
    file.write_text(EQUAL if name == "equal" else (REPOSITORY / "corpus" / name).read_text())
    reports = {ran(seed, "report", "--no-cache", "--format", "json", str(file)) for seed in range(1, 7)}
    assert len(reports) == 1


def test_programs_do_not_depend_on_hashes(tmp_path: Path) -> None:
    """Copies of several arrays begin behind one launch."""
    machine = tmp_path / "machine.yaml"
    machine.write_text(as_yaml(with_device(launch=2e-6, latency=3e-5)))
    made = set()
    for seed in (1, 2, 4):
        target = ("--target", "opencl", "--machine", str(machine), "-o", str(tmp_path / str(seed)))
        ran(seed, "compile", "corpus/features/malloc_arrays.c", *target)
        made.add((tmp_path / str(seed) / "malloc_arrays.c").read_text())
    assert len(made) == 1 and made.pop().count("_host_copyout(") > 1
