"""Runs executables that speak the protocol of timing.c, and compares what they print."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

STACK = 1 << 30  # some programs have their arrays there
GRACE = 600.0  # seconds that a process gets beyond its budget: a single run may take long


class RunError(Exception):
    """A process failed, or did not follow the protocol."""


@dataclass(frozen=True)
class Runs:
    """The seconds of each run, and what each printed."""

    seconds: tuple[float, ...]
    outputs: tuple[str, ...]

    @property
    def measured(self) -> tuple[float, ...]:
        """All but the first run, which warms up; that too if it is the only one."""
        return self.seconds[1:] or self.seconds


def environment(threads: int) -> dict[str, str]:
    """One thread per core, and each stays on it."""
    count = str(threads)
    limits = {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count}
    return {**os.environ, **limits, "OMP_PROC_BIND": "true", "OMP_DYNAMIC": "false"}


def large_stack() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    size = STACK if hard == resource.RLIM_INFINITY else min(STACK, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (size, hard))


def execute(
    command: list[str],
    runs: int,
    seconds: float,
    threads: int,
    settings: Mapping[str, str] | None = None,
    grace: float = GRACE,
) -> Runs:
    """A first run, and up to so many more while the seconds last; `settings` go into the environment."""
    words = [*command, str(runs), f"{seconds:.3f}"]
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=seconds + grace,
            env={**environment(threads), **(settings or {})},
            preexec_fn=large_stack,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RunError("takes too long") from error
    if done.returncode:
        message = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise RunError(message)
    return parsed(done.stdout)


def parsed(text: str) -> Runs:
    """What stands before each line `@ <seconds>` is what that run printed."""
    outputs: list[str] = []
    times: list[float] = []
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("@ "):
            times.append(float(line[2:]))
            outputs.append("\n".join(lines))
            lines = []
        else:
            lines.append(line)
    if not times:
        raise RunError("no time was printed")
    return Runs(tuple(times), tuple(outputs))


def difference(expected: str, got: str, tolerance: float) -> str | None:
    """Where two outputs differ by more than a relative tolerance; None where they do not."""
    left, right = expected.split(), got.split()
    if len(left) != len(right):
        return f"{len(right)} words instead of {len(left)}"
    for a, b in zip(left, right, strict=True):
        if not _alike(a, b, tolerance):
            return f"{b} instead of {a}"
    return None


def _alike(a: str, b: str, tolerance: float) -> bool:
    try:
        x, y = float(a), float(b)
    except ValueError:
        return a == b
    return abs(x - y) <= tolerance * max(abs(x), abs(y))  # false for what is no number
