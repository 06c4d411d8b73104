"""From the questions to the description: one step for each thing that is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cuvier.machine import devices, processor
from cuvier.machine.probes import Probes
from models.machine import Cache, Device, Machine, Rate

SECONDS = 0.4  # of each measurement
MOST_BYTES = 400_000_000  # of the three arrays whose bandwidth is measured
Step = tuple[str, Callable[[], None]]


@dataclass
class Survey:
    """Fills in, step by step, what `machine` is made of; `notes` say what is missing, and why."""

    probes: Probes
    notes: list[str] = field(default_factory=list)
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

    def _processor(self) -> None:
        usable = processor.cores()
        caches, source = processor.caches(usable)
        if source == "assumed":
            self.notes.append("neither /sys nor getconf tells the sizes of the caches: they are assumed")
        self._found |= {
            "name": processor.name(),
            "cores": len(usable),
            "caches": caches,
            "vector_bytes": self.probes.vector_bytes(),
        }

    @property
    def _cores(self) -> int:
        return int(self._found["cores"])

    def _bandwidth(self) -> None:
        triad = self.probes.build("triad.c", "triad")
        size = str(stream_bytes(self._found["caches"], _free_memory()))
        self._found["bandwidth"] = self._rate(triad, size, str(SECONDS))

    def _peak(self, key: str, element: str) -> None:
        program = self.probes.build("fma.c", key, f"-DREAL={element}")
        self._found[key] = self._rate(program, str(SECONDS))

    def _rate(self, program: Path, *arguments: str) -> Rate:
        one = self.probes.measure(program, 1, *arguments)
        return Rate(one, self.probes.measure(program, self._cores, *arguments) if self._cores > 1 else one)

    def _region(self) -> None:
        program = self.probes.build("region.c", "region")
        self._found["region"] = self.probes.measure(program, self._cores, str(SECONDS))

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
