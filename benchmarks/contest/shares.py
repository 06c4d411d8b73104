"""What the times of kernels mean: shares of the roofline and of the library, against a plain kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.machine import Device

from .devices import LIBRARY, OURS, PLAIN, TENSOR, Built, Kernel, Variant
from .launches import Timed, Times

BANDWIDTH_BAR, LIBRARY_BAR = 0.8, 0.6
LONG = 20e-6  # seconds that the limit of a launch must have for the bars: shorter ones are starts, not work


@dataclass(frozen=True)
class Row:
    """One kernel of one program; times are those of all its launches in one run."""

    program: str
    precision: str
    kernel: Kernel
    seconds: float
    launches: int
    limit: float | None  # seconds that the device's rates allow
    is_memory: bool  # they are its bandwidth
    plain: float | None  # seconds of the default skeleton
    library: float | None
    tensor: float | None  # seconds by tensor cores
    is_whole: bool = False  # all kernels that the program's formulas are about

    @property
    def share(self) -> float | None:
        """Of the roofline."""
        return self.limit / self.seconds if self.limit and self.seconds else None

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the default skeleton."""
        return self.plain / self.seconds if self.plain and self.seconds else None

    @property
    def of_library(self) -> float | None:
        """The share of the library's speed."""
        return self.library / self.seconds if self.library and self.seconds else None

    @property
    def tensor_of_library(self) -> float | None:
        """The share of the library's speed by tensor cores."""
        return self.library / self.tensor if self.library and self.tensor else None

    @property
    def is_judged(self) -> bool:
        """Does a launch take long enough to say something of its bandwidth?"""
        return (
            self.is_memory
            and not self.is_whole
            and bool(self.limit)
            and (self.limit or 0) / self.launches >= LONG
        )


@dataclass
class Result:
    """What came of one program in one precision; `notes` say what failed.

    `bytes` and `operations` are those of the program's formulas (benchmarks/sizes.yaml).
    """

    program: str
    precision: str
    bytes: float = 0.0
    operations: float = 0.0
    built: dict[str, Built] = field(default_factory=dict)
    times: dict[str, Timed] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def rows(result: Result, device: Device) -> list[Row]:
    """The kernels of a program, in the order in which they were launched first, and all of them as one."""
    ours, built = result.times.get(OURS.key), result.built.get(OURS.key)
    if ours is None or built is None:
        return []
    found = []
    for name, times in ours.kernels.items():
        kernel = built.kernels.get(name, Kernel(name, "", "", None, None))
        plain = _times(result.times, PLAIN.key, name)
        calls = _calls(kernel, times, plain)
        limit, is_memory = _limit(kernel.bytes, kernel.operations, device, result.precision)
        limit = limit * calls if limit is not None else None
        library = _times(result.times, LIBRARY.key, name) if _by(LIBRARY, result, name) else None
        tensor = _times(result.times, TENSOR.key, name) if _by(TENSOR, result, name) else None
        others = [found.seconds if found else None for found in (plain, library, tensor)]
        found.append(
            Row(result.program, result.precision, kernel, times.seconds, calls, limit, is_memory, *others)
        )
    return [*found, *_whole(result, device)]


def _calls(kernel: Kernel, times: Times, plain: Times | None) -> int:
    """How often the loop was made: scans are two launches, and transpositions are one of their own."""
    if kernel.skeleton == "scan":
        return max(1, times.launches // 2)
    return plain.launches if plain else times.launches


def _by(variant: Variant, result: Result, name: str) -> bool:
    """Does a kernel of the variant have a skeleton that was asked for?"""
    built = result.built.get(variant.key)
    return built is not None and name in built.kernels and built.kernels[name].is_asked_for


def _whole(result: Result, device: Device) -> list[Row]:
    """All kernels of what the program's formulas are about, as one; none where there are no such."""
    sums = {key: _sum(result.built[key], times) for key, times in result.times.items()}
    ours = sums[OURS.key]
    if ours is None or not result.bytes:
        return []
    limit, is_memory = _limit(result.bytes, result.operations, device, result.precision)
    library = result.built.get(LIBRARY.key)
    calls = library is not None and any(kernel.is_asked_for for kernel in library.kernels.values())
    keys = (PLAIN.key, LIBRARY.key, TENSOR.key)
    others = {key: found.seconds if (found := sums.get(key)) else None for key in keys}
    kernel = Kernel("all of it", "", "", result.bytes, result.operations)
    times = (ours.seconds, ours.launches, limit, is_memory)
    plain, by_library = others[PLAIN.key], others[LIBRARY.key] if calls else None
    tensor = others[TENSOR.key]
    return [Row(result.program, result.precision, kernel, *times, plain, by_library, tensor, is_whole=True)]


def _sum(built: Built, timed: Timed) -> Times | None:
    """Of all kernels that are timed."""
    found = [t for name, t in timed.kernels.items() if name in built.kernels and built.kernels[name].is_timed]
    return Times(sum(t.seconds for t in found), sum(t.launches for t in found)) if found else None


def _times(times: Mapping[str, Timed], key: str, kernel: str) -> Times | None:
    return times[key].kernels.get(kernel) if key in times else None


def _limit(
    moved: float | None, operations: float | None, device: Device, precision: str
) -> tuple[float | None, bool]:
    """The seconds that so much takes at least, and whether memory decides."""
    if moved is None or operations is None:
        return None, False
    peak = (device.double or device.single / 32) if precision == "double" else device.single
    moving, computing = moved / device.bandwidth, operations / peak
    return max(moving, computing), moving >= computing
