"""Runs traces through caches."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.cache.counts import GroupCounts, LevelMisses, Misses, misses_of, rate_error
from models.cache.library import library
from models.cache.machines import CacheLevel, CacheMachine, Gpu
from models.cache.structures import KINDS, NEVER, WRITES, Groups, Machine, Shape, StepNoted, Tally
from models.cache.trace import Trace


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
        self.tallies, self.groups = (Tally * references)(), Groups()

    def misses(self) -> tuple[Misses, ...]:
        return tuple(misses_of(t) for t in self.tallies)

    def result(self, groups: GroupCounts, share: float) -> LevelMisses:
        return LevelMisses(self.misses(), rate_error(groups, share), share)


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
        library().cache_count(self.handle, counted.tallies, counted.groups)

    def __del__(self) -> None:
        self._close(self.handle)


class SequentialRun:
    """Traces in their order, one after the other: every cache is asked for what the one before it misses.

    With `instructions`, the number of the last cache, accesses to instructions go to that one first, and
    then to those after the first.
    """

    def __init__(self, caches: Sequence[Shared], references: int, instructions: int | None = None) -> None:
        self._caches, self._first = caches, len(caches) if instructions is None else instructions
        self._counted = [_Counted(references) for _ in caches]
        for cache, memory in zip(caches, self._counted, strict=True):
            cache.count_in(memory)

    def run(self, trace: Trace) -> None:
        handles = (ctypes.c_void_p * len(self._caches))(*(cache.handle for cache in self._caches))
        count = ctypes.c_uint64(trace.count)
        library().cache_sequential(handles, len(self._caches), self._first, trace.records, count)

    def result(self) -> tuple[LevelMisses, ...]:
        return tuple(
            memory.result([(each[0], each[1]) for each in memory.groups], 1 / cache.sampled)
            for cache, memory in zip(self._caches, self._counted, strict=True)
        )


def sequential_misses(
    caches: Sequence[Shared], trace: Trace, references: int, instructions: int | None = None
) -> tuple[LevelMisses, ...]:
    """What a `SequentialRun` of one trace finds."""
    run = SequentialRun(caches, references, instructions)
    run.run(trace)
    return run.result()


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
