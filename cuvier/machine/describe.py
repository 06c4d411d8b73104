"""From the questions to the description: one step for each thing that is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cuvier.machine import devices, limits, processor
from cuvier.machine.disturbance import Moment, apart, disturbances, moment
from cuvier.machine.probes import Probes
from models.machine import Cache, Device, Machine, Rate

SECONDS = 0.25  # of each measurement
TIMES = 2  # that each thing is measured: the better result counts
RATES_APART = 0.2  # of the better result: a quiet machine does the same again
REGIONS_APART = 0.5
MOST_BYTES = 400_000_000  # of the three arrays whose bandwidth is measured
Step = tuple[str, Callable[[], None]]


@dataclass
class Survey:
    """Fills in, step by step, what `machine` is made of; `notes` say what is missing, and why."""

    probes: Probes
    notes: list[str] = field(default_factory=list)
    _apart: list[str] = field(default_factory=list)
    _begin: Moment = field(default_factory=lambda: moment(limits.cores()))
    _found: dict[str, Any] = field(default_factory=dict)

    def steps(self) -> Iterator[Step]:
        """What is to be done, in this order, with a title for each."""
        yield "processor", self._processor
        yield "bandwidth of the memory", self._bandwidth
        yield "multiply-adds in single precision", lambda: self._peak("single", "float")
        yield "multiply-adds in double precision", lambda: self._peak("double", "double")
        yield "parallel regions", self._region
        yield "CUDA", lambda: self._device(*devices.cuda(self.probes.folder))
        yield "OpenCL", lambda: self._device(*devices.opencl(self.probes))

    def machine(self, origin: str) -> Machine:
        """The description, after all steps."""
        return Machine(**self._found, origin=origin)

    def disturbances(self) -> list[str]:
        """What speaks against the measurements so far, in words: others used the machine, or they differ."""
        usable = limits.cores()
        return disturbances(self._begin, moment(usable), len(usable)) + self._apart

    def _processor(self) -> None:
        usable = limits.cores()
        caches, source = processor.caches(usable)
        if source == "assumed":
            self.notes.append("neither /sys nor getconf tells the sizes of the caches: they are assumed")
        self._found |= {
            "name": processor.name(),
            "cores": limits.count(usable),
            "caches": caches,
            "vector_bytes": self.probes.vector_bytes(),
        }

    @property
    def _cores(self) -> int:
        return int(self._found["cores"])

    def _bandwidth(self) -> None:
        triad = self.probes.build("triad.c", "triad")
        size = str(stream_bytes(self._found["caches"], _free_memory()))
        self._found["bandwidth"] = self._rate("the bandwidth", triad, size, str(SECONDS))

    def _peak(self, key: str, element: str) -> None:
        program = self.probes.build("fma.c", key, f"-DREAL={element}")
        self._found[key] = self._rate(f"{key} precision", program, str(SECONDS))

    def _rate(self, what: str, program: Path, *arguments: str) -> Rate:
        def best(threads: int) -> float:
            return max(self._repeated(what, RATES_APART, program, threads, *arguments))

        one = best(1)
        return Rate(one, best(self._cores) if self._cores > 1 else one)

    def _repeated(self, what: str, most: float, program: Path, threads: int, *arguments: str) -> list[float]:
        values = [self.probes.measure(program, threads, *arguments) for _ in range(TIMES)]
        self._apart += apart(f"{what} ({threads} thread{'s' * (threads > 1)})", values, most)
        return values

    def _region(self) -> None:
        program = self.probes.build("region.c", "region")
        values = self._repeated("a region", REGIONS_APART, program, self._cores, str(SECONDS))
        self._found["region"] = min(values)

    def _device(self, found: Device | None, why: str) -> None:
        self._found["devices"] = (*self._found.get("devices", ()), *([found] if found else ()))
        if why:
            self.notes.append(why)


def stream_bytes(caches: tuple[Cache, ...], free: int) -> int:
    """The bytes of the arrays that are streamed: far beyond all caches, and no more than memory allows."""
    return max(8 * caches[0].bytes, min(max(MOST_BYTES, 4 * caches[-1].bytes), free // 4))


def _free_memory(path: Path = Path("/proc/meminfo")) -> int:
    """The bytes that may be taken; where nobody tells, as many as are wanted."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return 4 * MOST_BYTES
    amounts = {line.split(":")[0]: line.split()[1] for line in lines if ":" in line}
    return int(amounts.get("MemAvailable", 4 * MOST_BYTES // 1024)) * 1024
