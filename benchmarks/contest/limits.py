"""What the machine can do, measured in the same run: the bandwidth of its memory, and its multiply-adds."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import cuvier.machine

from .contenders import Workshop
from .programs import Program
from .running import environment

SOURCES = Path(cuvier.machine.__file__).parent
STREAM_BYTES = 400_000_000  # three arrays, far beyond any cache
SECONDS = 0.3


@dataclass(frozen=True)
class Machine:
    """Bytes and operations per second; `single` means float, `one` one core."""

    triad_one: float
    triad: float
    double_one: float
    double: float
    single_one: float
    single: float


class Limits:
    """Builds the programs with which `cuvier machine` measures, and runs them."""

    def __init__(self, shop: Workshop, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._shop, self._folder = shop, folder
        self._bandwidth: dict[int, float] = {}
        self._build("triad", "triad.c")
        self._build("double", "fma.c", "-DREAL=double")
        self._build("single", "fma.c", "-DREAL=float")

    def _build(self, name: str, source: str, *flags: str) -> None:
        path = SOURCES / source
        self._shop.run(self._shop.gcc, *self._shop.flags, *flags, "-fopenmp", "-o", self._folder / name, path)

    def _run(self, name: str, threads: int, *arguments: str) -> float:
        command = [str(self._folder / name), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(threads), check=True)
        return float(done.stdout)

    def machine(self) -> Machine:
        threads = self._shop.threads
        triads = (self._run("triad", n, str(STREAM_BYTES), str(SECONDS)) for n in (1, threads))
        peaks = (self._run(t, n, str(SECONDS)) for t in ("double", "single") for n in (1, threads))
        self._machine = Machine(*triads, *peaks)
        return self._machine

    def bandwidth(self, size: float) -> float:
        """The triad over so many bytes, on all cores: what fits a cache is faster than STREAM."""
        rounded = min(int(size), STREAM_BYTES)
        if rounded not in self._bandwidth:
            self._bandwidth[rounded] = self._run("triad", self._shop.threads, str(rounded), str(SECONDS))
        return self._bandwidth[rounded]

    def seconds(self, program: Program) -> float:
        """What the limits allow: its bytes at the triad's rate for data of this size, or its operations."""
        machine = self._machine
        peak = machine.single if program.single else machine.double
        moving = program.amount(program.moved) / self.bandwidth(program.amount(program.data))
        return max(moving, program.amount(program.operations) / peak)
