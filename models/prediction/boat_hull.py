"""What a loop takes on a machine, predicted from its species alone: the boat hull model.

After Nugteren and Corporaal (2012), as seed 003 (section 3.2.4) sums it up: a roofline for each species,
without any code for the target.  The species says how many iterations may run at the same time, which lowers
the roofs of the machine, and what is copied.  Data is taken to come from memory, not from caches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from models.machine import SCALAR, Device, Machine, Rate

TERMS = COMPUTE, MEMORY, COPIES, LAUNCH = "compute", "memory", "copies", "launch"
PLAIN = 2.0  # times as many operations as other code make multiply-adds on a device
WARPS = 8  # of a unit of a graphics processor that hide how long its memory takes


@dataclass(frozen=True)
class Work:
    """A loop in one run of a program: sums over all its `launches`, of which each has `parallel` iterations
    that may run at the same time (1: they must run in order).

    A device is given `copied` bytes and gives them back, in `copies` pieces.  `double`: of double precision.
    """

    operations: float
    bytes: float
    launches: float
    parallel: float
    copied: float
    copies: float
    double: bool

    @property
    def intensity(self) -> float:
        """Operations for each byte that is moved."""
        return self.operations / self.bytes if self.bytes else float("inf")


@dataclass(frozen=True)
class Time:
    """Seconds of one run by what they are spent with; computing and moving happen at the same time."""

    terms: Mapping[str, float]

    @property
    def seconds(self) -> float:
        """The sum, in which of computing and moving only the longer one counts."""
        roof = max(self.terms.get(COMPUTE, 0.0), self.terms.get(MEMORY, 0.0))
        return roof + self.terms.get(COPIES, 0.0) + self.terms.get(LAUNCH, 0.0)

    @property
    def bound(self) -> str:
        """The longest term: what to shorten first."""
        return max(self.terms, key=lambda name: self.terms[name])


def one_thread(work: Work, machine: Machine) -> Time:
    """On one core, without vectors."""
    return _on_cores(work, machine, 1.0)


def all_cores(work: Work, machine: Machine) -> Time:
    """On as many cores as the iterations keep busy, in a parallel region for each launch."""
    time = _on_cores(work, machine, min(work.parallel, float(machine.cores)))
    return Time({**time.terms, LAUNCH: work.launches * machine.region})


def on_device(work: Work, device: Device, *, copying: bool) -> Time:
    """On a device, where the data is there already, or (`copying`) is copied for each launch and back."""
    used = min(1.0, work.parallel / threads_of(device))
    compute = work.operations / (roof_of(device, double=work.double) * used) if work.operations else 0.0
    moved = work.bytes / (device.bandwidth * used)
    terms = {COMPUTE: compute, MEMORY: moved, LAUNCH: work.launches * device.launch}
    if copying:
        terms[COPIES] = work.copied / device.copying + work.copies * device.latency
    return Time(terms)


def obstacle(work: Work, device: Device) -> str:
    """Why the device cannot run the loop; empty: it can."""
    if work.parallel <= 1:
        return "its iterations run in order"
    if work.double and not device.double:
        return "the device has no double precision"
    if work.copied / max(1.0, work.launches) > device.memory:
        return "its data does not fit into the device's memory"
    return ""


def threads_of(device: Device) -> float:
    """The threads that keep all of a device busy."""
    return device.units * (WARPS * device.warp if device.kind == "gpu" else 1.0)


def roof_of(device: Device, *, double: bool) -> float:
    """The operations per second that code reaches whose operations are no multiply-adds."""
    return (device.double if double else device.single) / PLAIN


def roof_of_cores(machine: Machine) -> Rate:
    """The operations per second that code reaches without vectors and multiply-adds, of either precision."""
    return Rate(machine.double.one / SCALAR, machine.double.all / SCALAR)


def ridge(roof: float, bandwidth: float) -> float:
    """The operations per byte from which on a roof limits a loop, and no longer the memory."""
    return roof / bandwidth


def _on_cores(work: Work, machine: Machine, cores: float) -> Time:
    roof, bandwidth = roof_of_cores(machine), machine.bandwidth
    computed = min(roof.one * cores, roof.all) if cores > 1 else roof.one
    moved = min(bandwidth.one * cores, bandwidth.all) if cores > 1 else bandwidth.one
    return Time({COMPUTE: work.operations / computed, MEMORY: work.bytes / moved})
