"""How a program would scale on several GPUs: a model over counts of what moves (Matz et al., seed 002)."""

from __future__ import annotations

import json
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cuvier.bench.overhead import RUNS, program_in, timed

Counted = tuple[int, int]  # bytes, copies


@dataclass(frozen=True)
class Link:
    """What a copy takes: bytes in a second, and seconds for each copy besides."""

    bandwidth: float
    latency: float


@dataclass(frozen=True)
class Scaled:
    """A program on some devices: bytes and copies more than on one (counted), and seconds (modelled)."""

    devices: int
    moved: int
    copies: int
    seconds: float


@dataclass(frozen=True)
class Alone:
    """Seconds of a program on one device (measured), and those of them in its kernels."""

    whole: float
    kernels: float


def scaled(folder: Path, arguments: tuple[str, ...], most: int, link: Link) -> tuple[Alone, list[Scaled]]:
    """A program on 1, 2, 4, … and `most` devices: each takes its share of kernels, copies go one by one.

    T(G) = host + kernels / G + bytes(G) / bandwidth + copies(G) latency.  UserError where it does not run.
    """
    command = [str(program_in(folder)), *arguments]
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        alone = _alone(command, report)
        counts = sorted({most, *(1 << k for k in range(most.bit_length()))})
        counted = {count: _counted(command, count, report) for count in counts}
    rows = [_row(counted[count], counted[1], count, alone, link) for count in counts]
    return alone, rows


def _alone(command: list[str], report: Path) -> Alone:
    whole, kernels = [], []
    for _ in range(RUNS):
        whole.append(timed(command, _on(1)))
        timed(command, {**_on(1), "CUVIER_TIMES": str(report)})
        kernels.append(sum(sum(times) for times in json.loads(report.read_text()).values()))
    return Alone(statistics.median(whole), min(statistics.median(kernels), statistics.median(whole)))


def _row(counted: Counted, first: Counted, devices: int, alone: Alone, link: Link) -> Scaled:
    moved, copies = (max(0, more - one) for more, one in zip(counted, first, strict=True))
    compute = alone.whole - alone.kernels + alone.kernels / devices
    return Scaled(devices, moved, copies, compute + moved / link.bandwidth + copies * link.latency)


def _counted(command: list[str], devices: int, report: Path) -> Counted:
    timed(command, {**_on(devices), "CUVIER_COUNTERS": str(report)})
    copies = json.loads(report.read_text())["copies"]
    return sum(copy["bytes"] for copy in copies), sum(copy["count"] for copy in copies)


def _on(devices: int) -> dict[str, str]:
    """Parts of the first device."""
    return {"CUVIER_DEVICES": ",".join(["0"] * devices)}
