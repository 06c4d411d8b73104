"""Runs traces through caches."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

from models.cache.library import library
from models.cache.machines import CacheLevel, CacheMachine, Gpu
from models.cache.structures import KINDS, NEVER, WRITES, Groups, Histogram, Machine, Shape, StepNoted, Tally
from models.cache.trace import Trace

__all__ = ["KINDS", "LevelMisses", "Misses", "Step", "gpu_misses", "sequential_misses"]

Counts = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Misses:
    """Of one reference at one level: accesses, after coalescing, and misses in the order of KINDS.

    `asked` counts accesses of threads, before coalescing.
    """

    asked: int
    accesses: int
    misses: tuple[int, ...]


@dataclass(frozen=True)
class LevelMisses:
    """What a level saw.

    `histogram` counts reuse distances in lines: 0, 1, 2-3, 4-7, ...; at its end, first accesses.

    `error` is the half-width of the 95 % confidence interval of the miss rate, from the differences between
    samples; 0 where everything was looked at.  `share` is the part of cores or sets that was looked at.
    """

    references: tuple[Misses, ...]
    histogram: tuple[int, ...]
    error: float = 0.0
    share: float = 1.0


@dataclass(frozen=True)
class Step:
    """One request: its time, line, reuse distance (None: never asked for), kind, and when it takes effect."""

    time: int
    line: int
    distance: int | None
    kind: str  # of KINDS, or "hit"
    effect: int


class _Counted:
    """Memory in which the core counts."""

    def __init__(self, references: int) -> None:
        self.tallies, self.histogram, self.groups = (Tally * references)(), Histogram(), Groups()

    def misses(self) -> tuple[Misses, ...]:
        return tuple(Misses(t.asked or t.accesses, t.accesses, tuple(t.misses)) for t in self.tallies)

    def result(self, groups: Counts, share: float) -> LevelMisses:
        return LevelMisses(self.misses(), tuple(self.histogram), _error(groups, share), share)


def shape_of(level: CacheLevel, sampled: int = 1) -> Shape:
    """The level for the core; one in `sampled` sets is looked at, a power of two."""
    masks = [sum(1 << bit for bit in bits) for bits in level.parities]
    parities = (ctypes.c_uint64 * 16)(*masks)
    sector, writes = level.sector or level.line, WRITES.index(level.writes)
    numbers = (level.line, sector, level.lines, level.sets, level.ways, bool(masks), writes, sampled)
    return Shape(*numbers, parities)


class Shared:
    """A cache that keeps its content from one trace to the next."""

    def __init__(self, level: CacheLevel, sampled: int = 1) -> None:
        self.level, self.sampled, self._close = level, sampled, library().cache_close
        self.handle = ctypes.c_void_p(library().cache_open(ctypes.byref(shape_of(level, sampled))))

    def count_in(self, counted: _Counted) -> None:
        library().cache_count(self.handle, counted.tallies, ctypes.byref(counted.histogram), counted.groups)

    def __del__(self) -> None:
        self._close(self.handle)


def sequential_misses(
    caches: Sequence[Shared], trace: Trace, references: int, instructions: int | None = None
) -> tuple[LevelMisses, ...]:
    """The trace in its order: every cache is asked for what the one before it misses.

    With `instructions`, the number of the last cache, accesses to instructions go to that one first, and
    then to those after the first.
    """
    counted = [_Counted(references) for _ in caches]
    for cache, memory in zip(caches, counted, strict=True):
        cache.count_in(memory)
    handles = (ctypes.c_void_p * len(caches))(*(cache.handle for cache in caches))
    first = len(caches) if instructions is None else instructions
    library().cache_sequential(handles, len(caches), first, trace.records, ctypes.c_uint64(trace.count))
    return tuple(
        memory.result([(each[0], each[1]) for each in memory.groups], 1 / cache.sampled)
        for cache, memory in zip(caches, counted, strict=True)
    )


def gpu_misses(
    machine: CacheMachine,
    trace: Trace,
    references: Sequence[int],
    code: Sequence[int],
    shared: Shared | None = None,
    simulated: int | None = None,
    steps: Callable[[Step], object] | None = None,
) -> tuple[LevelMisses, ...]:
    """One launch: the caches of the first `simulated` cores, and `shared`, which keeps its content.

    `references` has, for the numbers in the trace, those of the result; `code` their places in the program.
    `steps` is told of the requests in their order.
    """
    assert machine.gpu is not None
    gpu, number = machine.gpu, max(references, default=-1) + 1
    cores = 1 if gpu.warp == 0 else min(simulated or gpu.cores, gpu.cores)
    first, second = _Counted(number), _Counted(number)
    if shared:
        shared.count_in(second)
    seen, noted = ((ctypes.c_uint64 * 2) * cores)(), (StepNoted * (trace.count * 32 if steps else 0))()
    made = library().cache_gpu(
        ctypes.byref(_machine(gpu, cores)),
        ctypes.byref(shape_of(machine.levels[0])),
        first.tallies,
        ctypes.byref(first.histogram),
        shared.handle if shared else None,
        trace.records,
        ctypes.c_uint64(trace.count),
        (ctypes.c_uint32 * len(references))(*references),
        (ctypes.c_uint64 * len(code))(*code),
        seen,
        noted,
        ctypes.c_uint64(len(noted)),
    )
    if steps:
        for each in noted[:made]:
            steps(_step(each))
    share = 1.0 if gpu.warp == 0 else cores / gpu.cores
    result = first.result([(each[0], each[1]) for each in seen], share)
    return (result, second.result([], share)) if shared else (result,)


def _machine(gpu: Gpu, simulated: int) -> Machine:
    return Machine(
        *(gpu.cores, simulated, gpu.warp, gpu.active_blocks, gpu.active_threads),
        *(gpu.mshrs, gpu.mshrs_per_warp, gpu.hit_latency, gpu.miss_latency, gpu.deviation),
        *(gpu.clips, gpu.diverges, gpu.coalesces, 20140215),
    )


def _step(noted: StepNoted) -> Step:
    distance = None if noted.distance == NEVER else noted.distance
    return Step(noted.time, noted.number, distance, (*KINDS, "hit")[noted.kind], noted.effect)


def _error(groups: Counts, share: float) -> float:
    """Of a ratio of sums over groups, of which `share` was looked at: 1.96 standard errors."""
    used = [(accesses, misses) for accesses, misses in groups if accesses]
    if share >= 1 or len(used) < 2:
        return 0.0
    accesses, misses = (sum(column) for column in zip(*used, strict=True))
    squares = sum((m - a * misses / accesses) ** 2 for a, m in used)
    return float(1.96 * sqrt((1 - share) * len(used) / (len(used) - 1) * squares) / accesses)
