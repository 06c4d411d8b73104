"""What sharing kernels among devices takes of a program's time (Matz et al., seed 002, section 9.2)."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from cuvier.base.errors import UserError

RUNS = 5


@dataclass(frozen=True)
class Overhead:
    """Medians, in seconds: as it is, without copies, and without the account of where values are."""

    program: str
    alpha: float
    beta: float
    gamma: float

    @property
    def application(self) -> float:
        return self.gamma / self.alpha

    @property
    def transfers(self) -> float:
        return (self.alpha - self.beta) / self.alpha

    @property
    def account(self) -> float:
        return (self.beta - self.gamma) / self.alpha


def shares(folder: Path, arguments: tuple[str, ...]) -> Overhead:
    """Run the program in a folder, each way in turn; UserError where there is none, or it fails."""
    command = [str(program_in(folder)), *arguments]
    times: dict[str, list[float]] = {"alpha": [], "beta": [], "gamma": []}
    for _ in range(RUNS):
        for way, found in times.items():
            found.append(timed(command, {"CUVIER_OVERHEAD": way}, may_fail=way != "alpha"))
    return Overhead(command[0], *(statistics.median(found) for found in times.values()))


def timed(command: list[str], settings: dict[str, str], may_fail: bool = False) -> float:
    """Seconds that a command takes in an environment with the settings; UserError where it fails."""
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, **settings})
    seconds = time.monotonic() - started
    if done.returncode and not may_fail:
        complaint = done.stderr.decode(errors="replace")[-300:]
        raise UserError(f"{command[0]} ended with status {done.returncode}: {complaint}")
    return seconds


def program_in(folder: Path) -> Path:
    """The built program for several devices in a folder; UserError where there is none."""
    if not (folder / "cuvier_devices.h").is_file():
        raise UserError(f"'{folder}' has no program for several devices: give the folder of one")
    found = [p for p in folder.iterdir() if p.is_file() and os.access(p, os.X_OK) and not p.suffix]
    if len(found) != 1:
        raise UserError(f"'{folder}' has {len(found)} executables: build it first (make -C {folder})")
    return found[0].resolve()
