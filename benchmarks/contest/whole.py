"""Whole programs: made by the command, at larger sizes, and what they print compared."""

from __future__ import annotations

import re
import subprocess
import sys

from .contenders import ROOT
from .running import difference

STEPS = ("TSTEPS", "T", "STEPS", "ITERATIONS")
TOLERANCE = 1e-8  # relative: reductions are made in another order


def cuvier(*arguments: str, timeout: int = 300) -> subprocess.CompletedProcess[str]:
    """The command, in the repository."""
    command = [sys.executable, "-m", "cuvier", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=ROOT, check=False)


def scaled_sizes(text: str, scale: int) -> list[str]:
    """`-D` flags that multiply the program's default sizes; counts of time steps stay."""
    sizes = re.findall(r"#ifndef (\w+)\s+#define \1 (\d+)\s", text)
    return [f"-D{name}={int(value) * scale}" for name, value in sizes if name not in STEPS]


def alike(a: str, b: str) -> bool:
    """Equal texts, but for the last digits of numbers."""
    return difference(a, b, TOLERANCE) is None
