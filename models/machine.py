"""The machine that programs are made for: what `cuvier machine` writes, and what is assumed without that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from models.descriptors import read_descriptor

BUILT_IN = "built-in"

CORE_WATTS, GPU_WATTS = 8.0, 250.0  # where nobody says what a busy core, or a GPU, draws beyond idle
SCALAR = 16  # times as many operations as other code make vectors of multiply-adds


@dataclass(frozen=True)
class Cache:
    """A data cache: bytes, bytes of a line, and how many of the usable cores have it in common."""

    level: int
    bytes: int
    line: int
    shared_by: int


@dataclass(frozen=True)
class Rate:
    """What one core reaches, and what all of them reach together, per second."""

    one: float
    all: float


@dataclass(frozen=True)
class Device:
    """An accelerator, or a CPU as OpenCL sees it.

    `bandwidth` is in bytes per second, `single` and `double` in operations per second (a multiply-add is two;
    0: it has none of that precision); `registers_per_block` is 0 where nobody tells.  Starting a
    kernel takes `launch` seconds, a copy of a few bytes between host and device `latency` seconds, and long
    copies move `copying` bytes per second.  Before a program's first kernel runs, `opening` seconds go by.
    While kernels run, it draws `watts` more than idle (0: as many as the cores, of a CPU; else assumed).
    """

    api: str  # "cuda" or "opencl"
    name: str
    kind: str  # "gpu" or "cpu"
    units: int  # multiprocessors, compute units
    warp: int
    threads_per_block: int
    shared_per_block: int  # bytes
    registers_per_block: int
    memory: int  # bytes
    clock: int  # Hz
    bandwidth: float
    single: float
    double: float
    architecture: str = ""  # "sm_90"
    launch: float = 5e-6
    latency: float = 1e-5
    copying: float = 1e10
    opening: float = 0.2
    watts: float = 0.0


@dataclass(frozen=True)
class Machine:
    """Cores and memory as measured, in SI units; `origin` says who tells so: a file, or `built-in`."""

    name: str
    cores: int
    vector_bytes: int
    caches: tuple[Cache, ...]  # from the first level on, at least one
    bandwidth: Rate  # bytes
    single: Rate  # operations: a multiply-add is two
    double: Rate
    region: float  # seconds to start a parallel region and to meet behind it
    devices: tuple[Device, ...] = ()
    watts: float = 0.0  # that all cores draw beyond what they draw idle; 0: assumed
    origin: str = BUILT_IN

    @property
    def line(self) -> int:
        """Bytes of a cache line."""
        return self.caches[0].line

    def cache(self, level: int) -> Cache:
        """The cache of a level, or the last one where there are fewer."""
        return self.caches[min(level, len(self.caches)) - 1]

    def host_watts(self, cores: int) -> float:
        """What so many busy cores draw beyond what they draw idle."""
        return (self.watts or CORE_WATTS * self.cores) * min(cores, self.cores) / self.cores

    def device_watts(self, device: Device) -> float:
        """The same for a device that computes."""
        return device.watts or (GPU_WATTS if device.kind == "gpu" else self.host_watts(self.cores))

    def device(self, api: str) -> Device:
        """The described device of an interface, or one that is assumed."""
        return next((device for device in self.devices if device.api == api), replace(ASSUMED, api=api))


ASSUMED = Device(
    api="cuda",
    name="a graphics processor",
    kind="gpu",
    units=40,
    warp=32,
    threads_per_block=1024,
    shared_per_block=49152,
    registers_per_block=65536,
    memory=16 * 10**9,
    clock=1_500_000_000,
    bandwidth=300e9,
    single=8e12,
    double=4e12,
)
DEFAULT = Machine(
    name="four cores with 256-bit vectors",
    cores=4,
    vector_bytes=32,
    caches=(Cache(1, 32 << 10, 64, 1), Cache(2, 1 << 20, 64, 1), Cache(3, 32 << 20, 64, 4)),
    bandwidth=Rate(12.8e9, 25.6e9),
    single=Rate(80e9, 320e9),
    double=Rate(40e9, 160e9),
    region=1e-6,
)


def read_machine(path: Path) -> Machine:
    """The machine that a file describes; SkeletonError with a position for every mistake."""
    return machine_of(read_descriptor(path, "models/machine.schema.json"), str(path))


def machine_of(data: dict[str, Any], origin: str) -> Machine:
    """The machine of a description that is valid by machine.schema.json."""
    caches = sorted((Cache(**cache) for cache in data["caches"]), key=lambda cache: cache.level)
    return Machine(
        name=data["name"],
        cores=data["cores"],
        vector_bytes=data["vector_bytes"],
        caches=tuple(caches),
        bandwidth=Rate(**data["bandwidth"]),
        single=Rate(**data["single"]),
        double=Rate(**data["double"]),
        region=data["region"],
        devices=tuple(Device(**device) for device in data.get("devices", ())),
        watts=data.get("watts", 0.0),
        origin=origin,
    )


def core_seconds(operations: float, moved: float, machine: Machine, *, double: bool = True) -> float:
    """What one core takes for so many operations, without vectors, and bytes."""
    peak = (machine.double if double else machine.single).one / SCALAR
    return max(operations / peak, moved / machine.bandwidth.one)
