"""How long kernels run on a device: programs that write the times of their launches, run and read."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .devices import Built
from .running import RunError, Runs, difference, execute

ENVIRONMENT = {"CUDA_MODULE_LOADING": "EAGER"}  # or the first launch of a kernel waits for its code
GRACE = 25.0  # seconds beyond its budget after which a program is stopped


@dataclass(frozen=True)
class Times:
    """Seconds on the device of all launches of a kernel in one run of the program, and how many these are."""

    seconds: float
    launches: int


@dataclass(frozen=True)
class Timed:
    """The times by kernel, of all the whole program's timed part, and where its result is wrong."""

    kernels: Mapping[str, Times]
    whole: float
    wrong: str


def timed(
    built: Built, folder: Path, runs: int, seconds: float, expected: str | None, tolerance: float
) -> Timed:
    """Run a program; the medians of all its runs but the first.  RunError where it fails."""
    file = folder / "times.json"
    settings = {**ENVIRONMENT, "CUVIER_TIMES": str(file)}
    done = execute(built.command, runs, seconds, 1, settings, GRACE)
    try:
        times = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"no times of kernels: {error}") from error
    kernels = {name: per_run(values, len(done.seconds)) for name, values in times.items() if values}
    return Timed(kernels, statistics.median(done.measured), _wrong(done, expected, tolerance))


def per_run(values: Sequence[float], runs: int) -> Times:
    """The sum over one run: of all runs but the first, that in the middle."""
    each = max(1, len(values) // runs)
    sums = [sum(values[at : at + each]) for at in range(0, each * runs, each)]
    return Times(statistics.median(sums[1:] or sums), each)


def _wrong(done: Runs, expected: str | None, tolerance: float) -> str:
    if expected is None:
        return ""
    found = (difference(expected, output, tolerance) for output in done.outputs)
    return next((text for text in found if text), "")
