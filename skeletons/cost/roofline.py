"""Roofline estimates: how long a kernel would take with a skeleton on the target's machine, at best.

The boat hull model (Nugteren and Corporaal 2012) in small: the operations and bytes of a species, against the
rates of the machine, the longer of the two counting.  What several iterations ask for is paid where the
skeleton keeps it.  These are rough figures, made to compare skeletons with each other and not with a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from models.machine import Machine
from skeletons.catalogue.descriptor import Skeleton, Target
from skeletons.cost.work import Traffic, Work

CACHED = 4.0  # times the bandwidth of the memory: what caches give
FAST = 12.0  # and the fast memory of a block
WARP = 32  # threads of a device that is no CPU, which get a cell that all of them ask for at once
SECTOR = 32  # bytes that a device moves for a cell whose neighbours nobody asks for at that moment
RESIDENT = 16  # warps for each multiprocessor that hide the latency of its memory
GROUPS = 0.25  # of a CPU's rates, where it has to make the work-items of a group in turns
ROWS = 3  # of neighbours that an iteration reads, as a rule
BLOCK, TILE = 16.0, 64.0  # how often a block uses what it shares, and with tiles in registers
_NAMES = ("block_x", "block_y", "block_z")


@dataclass(frozen=True)
class Cost:
    """Estimated seconds: for moving, for computing (they overlap), and in all."""

    memory: float
    compute: float
    seconds: float

    @property
    def bound(self) -> str:
        """What takes longest."""
        if self.seconds > 2 * max(self.memory, self.compute):
            return "starting it"
        return "memory" if self.memory >= self.compute else "operations"


@dataclass(frozen=True)
class Roof:
    """The rates of what a target runs on."""

    bandwidth: float
    operations: float
    start: float
    fast: float  # times the bandwidth: what is kept in fast memory
    sector: int  # bytes that a scattered cell costs; 0: as many as the cell has
    resident: float  # iterations that keep all of it busy
    copies: bool  # fast memory is memory like any other: to fill it is work, and brings nothing


def roof_of(target: Target, machine: Machine, *, double: bool) -> Roof:
    """The device's for accelerators; one core's for plain C; else that of all cores."""
    if not target.accelerator:
        one = target.name == "c"
        rate, peak = machine.bandwidth, machine.double if double else machine.single
        start = 0.0 if one else machine.region
        cores = 1 if one else machine.cores
        return Roof(
            rate.one if one else rate.all, peak.one if one else peak.all, start, CACHED, 0, cores, True
        )
    device = machine.device(target.name)
    peak_rate = (device.double or device.single / 32) if double else device.single
    if device.kind == "cpu":
        return Roof(device.bandwidth, peak_rate, device.launch, CACHED, 0, device.units, True)
    resident = device.units * device.warp * RESIDENT
    return Roof(device.bandwidth, peak_rate, device.launch, FAST, SECTOR, resident, False)


def thread_rates(target: Target, machine: Machine) -> tuple[float, float]:
    """Bytes and operations (double precision) per second of one thread that nobody keeps company."""
    roof = roof_of(target, machine, double=True)
    return roof.bandwidth / roof.resident, roof.operations / roof.resident


def cost_of(work: Work, skeleton: Skeleton, target: Target, machine: Machine) -> Cost:
    """The estimate for a kernel that does `work`."""
    roof = roof_of(target, machine, double=work.double)
    together, places = _together(work, skeleton)
    threads = max(1.0, work.iterations * skeleton.cost.threads / together)
    busy = min(1.0, threads / roof.resident) * skeleton.cost.efficiency
    busy *= GROUPS if target.accelerator and roof.copies and "device" not in skeleton.requires else 1.0
    # Where few threads wait for memory, there is bandwidth to waste: they wait no longer for scattered cells.
    used, moved = (
        min(sum(_moved(part, skeleton, kind, place, together) for part in work.traffic) for place in places)
        for kind in (replace(roof, sector=0), roof)
    )
    memory = max(used / (roof.bandwidth * busy), moved / (roof.bandwidth * skeleton.cost.efficiency))
    compute = work.operations / (roof.operations * busy)
    starts = 2 if skeleton.cost.reuse == "rows" else 1
    return Cost(memory, compute, max(memory, compute) + starts * roof.start)


def _together(work: Work, skeleton: Skeleton) -> tuple[int, frozenset[int]]:
    """The iterations that a thread makes side by side, and the places of the base loops that may be of."""
    sizes = {parameter.name: parameter.default for parameter in skeleton.parameters}
    anywhere = frozenset({0}).union(*(part.still for part in work.traffic))
    match skeleton.cost.reuse:
        case "merge":
            return sizes.get("merge", 1), anywhere
        case "coarse" if work.coarse is not None and work.iterations >= sizes.get("busy", 0):
            return sizes.get("coarse", 1), frozenset({work.coarse.place})
    return 1, anywhere


def _moved(part: Traffic, skeleton: Skeleton, roof: Roof, place: int, together: int) -> float:
    """The bytes that an array costs, those from faster places counted less.

    `place` is that of the base loop of which so many iterations are made `together`.
    """
    again = part.requested - part.touched
    match skeleton.cost.reuse:
        case "tile" if part.pattern == "neighbourhood" and not part.write:
            loaded = part.touched * _halo(part, skeleton)
            return loaded * (1 + (1 / CACHED if roof.copies else 0)) + again / roof.fast
        case "merge" | "coarse" if place in part.still and not part.write and not roof.copies:
            again = max(0.0, part.requested / together - part.touched)
        case "coarse" if part.pattern == "neighbourhood" and not part.write:
            again = max(0.0, part.requested * (ROWS - 1 + together) / (ROWS * together) - part.touched)
        case "rows" if part.scattered and len(part.elements) == 2 and (part.pattern == "chunk" or part.write):
            return 3 * part.touched + again / CACHED  # read and written once more
        case "shared" | "registers" as reuse if again > 0 and not part.write:
            times = BLOCK if reuse == "shared" else TILE
            staged = again / times / CACHED + again / (roof.fast * (8 if times == TILE else 1))
            return part.touched + min(staged, again / CACHED / _readers(part, roof))
    is_scattered = part.scattered and skeleton.cost.reuse != "team"
    wasted = max(1.0, roof.sector / part.size) if is_scattered else 1.0
    return part.touched * wasted + again / CACHED / _readers(part, roof)


def _readers(part: Traffic, roof: Roof) -> int:
    """The threads that get a cell by one request."""
    return WARP if part.for_all and not roof.copies else 1


def _halo(part: Traffic, skeleton: Skeleton) -> float:
    """Cells that a block loads for each one that is its own."""
    sizes = {parameter.name: parameter.default for parameter in skeleton.parameters}
    blocks = [sizes.get("width", 64)] if len(part.elements) == 1 else [sizes.get(name, 8) for name in _NAMES]
    grown = 1.0
    for elements, block in zip(reversed(part.elements), blocks, strict=False):
        grown *= (block + elements - 1) / block
    return grown


TIE = 1.1  # estimates are rough: what is so close to the best is as good


def ranked(costs: list[tuple[Skeleton, Cost]]) -> list[tuple[Skeleton, Cost]]:
    """The best first: by priority those that are about as good as the best, then the others by cost."""
    best = min((cost.seconds for _, cost in costs), default=inf)
    return sorted(costs, key=lambda item: _rank(item[0], item[1], best))


def _rank(skeleton: Skeleton, cost: Cost, best: float) -> tuple[float, float, str]:
    if cost.seconds <= TIE * best:
        return (0.0, -skeleton.priority, skeleton.name)
    return (cost.seconds, -skeleton.priority, skeleton.name)
