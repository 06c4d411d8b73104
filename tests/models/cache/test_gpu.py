"""GPUs: coalescing, cores, barriers, registers, sectors, writes, and each extension turned off."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from models.cache import (
    EXTENSIONS,
    Access,
    CacheLevel,
    CacheMachine,
    Gpu,
    LevelMisses,
    Shared,
    Step,
    Trace,
    gpu_misses,
    known_machines,
    read_machine,
)

L1 = CacheLevel("L1", 128 * 128, 128, 4)
PLAIN = CacheMachine("plain", (L1,), Gpu(1))


def run(machine: CacheMachine, blocks: list[list[Access | None]], references: int = 1) -> LevelMisses:
    return gpu_misses(machine, Trace.of_blocks(blocks), range(references), range(references))[0]


def read_once(stride: int, threads: int = 32) -> list[list[Access | None]]:
    return [[Access(stride * thread, 4, 0, thread) for thread in range(threads)]]


@pytest.mark.parametrize(("stride", "requests"), [(0, 1), (4, 1), (8, 2), (128, 32), (256, 32)])
def test_a_warp_asks_for_each_line_once(stride: int, requests: int) -> None:
    found = run(PLAIN, read_once(stride)).references[0]
    assert (found.asked, found.accesses, found.misses[0]) == (32, requests, requests)


def test_without_coalescing_every_thread_asks() -> None:
    found = run(PLAIN.without("coalescing"), read_once(4)).references[0]
    assert (found.accesses, found.misses[0]) == (32, 1)


def test_every_core_has_a_cache() -> None:
    blocks = read_once(4) * 6
    one, three = run(PLAIN, blocks), run(CacheMachine("", (L1,), Gpu(3)), blocks)
    assert (one.references[0].misses[0], three.references[0].misses[0]) == (1, 3)


def test_the_shared_cache_sees_what_cores_miss() -> None:
    machine, second = CacheMachine("", (L1,), Gpu(3)), CacheLevel("L2", 1 << 16, 128, 8)
    _, found = gpu_misses(machine, Trace.of_blocks(read_once(4) * 6), [0], [0], Shared(second))
    assert (found.references[0].accesses, found.references[0].misses[0]) == (3, 1)


def test_some_cores_stand_for_all() -> None:
    machine, source = CacheMachine("", (L1,), Gpu(14)), random.Random(3)
    blocks: list[list[Access | None]] = [
        [Access(4 * source.randrange(1 << 13), 4, 0, thread) for thread in range(32)] for _ in range(140)
    ]
    trace = Trace.of_blocks(blocks)
    [whole], [part] = gpu_misses(machine, trace, [0], [0]), gpu_misses(machine, trace, [0], [0], None, 4)
    rate, estimate = (sum(each.references[0].misses) / each.references[0].accesses for each in (whole, part))
    assert (whole.error, part.share) == (0, 4 / 14)
    assert part.error > 0
    assert abs(rate - estimate) < 2 * part.error


def test_a_barrier_holds_the_warps_that_come_first() -> None:
    """The first warp reads twice before the barrier, the second once: line 9 comes after all of them."""
    block: list[Access | None] = [Access(0, 4, 0, 0), Access(128, 4, 0, 0), Access(256, 4, 0, 32), None]
    block += [Access(9 * 128, 4, 1, 0), Access(9 * 128, 4, 1, 32)]
    steps: list[Step] = []
    gpu_misses(PLAIN, Trace.of_blocks([block]), [0, 0], [0, 1], steps=steps.append)
    assert [step.line for step in steps] == [0, 2, 1, 9, 9]


def test_lanes_meet_again_behind_a_branch() -> None:
    """Only even lanes read reference 0; all read reference 1, in one request."""
    block: list[Access | None] = [
        Access(4096 * reference + 4 * thread, 4, reference, thread)
        for thread in range(32)
        for reference in ((0, 1) if thread % 2 == 0 else (1,))
    ]
    found = run(PLAIN, [block], 2)
    assert [(each.asked, each.accesses) for each in found.references] == [(16, 1), (32, 1)]


def test_a_line_in_flight_is_a_miss_of_latency() -> None:
    slow = replace(PLAIN, gpu=Gpu(1, miss_latency=50))
    block = [Access(4 * thread, 4, 0, thread) for thread in range(64)]
    blocks: list[list[Access | None]] = [
        [*block[:32], *(replace(a, address=a.address - 128) for a in block[32:])]
    ]
    assert run(slow, blocks).references[0].misses == (1, 0, 0, 0, 1)
    assert run(slow.without("latencies"), blocks).references[0].misses == (1, 0, 0, 0, 0)


def by_rows(threads: int, cells: int) -> list[list[Access | None]]:
    """Figure 5.4: every thread reads a row of 1024 cells of 4 bytes."""
    return [[Access(4096 * thread + 4 * k, 4, 0, thread) for thread in range(threads) for k in range(cells)]]


def test_threads_that_run_ahead_reuse_their_lines() -> None:
    """Seed 003, 5.1.6: for 256 rows in a cache of 128 lines, fewer registers mean fewer misses."""
    level = CacheLevel("L1", 128 * 128, 128)
    fair = CacheMachine("", (level,), Gpu(1, miss_latency=100))
    few = CacheMachine("", (level,), Gpu(1, miss_latency=100, mshrs=64))
    fair_misses, few_misses = (sum(run(each, by_rows(256, 64)).references[0].misses) for each in (fair, few))
    assert fair_misses == 256 * 64  # in turns, threads 128 to 255 take the lines of threads 0 to 127
    assert few_misses < fair_misses / 2
    assert fair.gpu
    even = CacheMachine("", (level,), replace(fair.gpu, mshrs=64, mshrs_per_warp=6))
    assert sum(run(even, by_rows(256, 64)).references[0].misses) == fair_misses  # nobody runs ahead


def test_power_of_two_strides_collide_without_a_hash() -> None:
    hashed = read_machine("fermi-16k")
    direct = replace(hashed, levels=(replace(hashed.levels[0], parities=()),))
    rows = [4096 * row for row in range(64)]
    block: list[Access | None] = [Access(row, 4, 0, 0) for _ in range(2) for row in rows]
    for machine, expected in ((direct, 64), (hashed, 0), (direct.without("associativity"), 0)):
        found = run(machine, [block]).references[0]
        assert (found.misses[0], found.misses[2]) == (64, expected)


def test_sectors_are_fetched_one_by_one() -> None:
    level = CacheLevel("L1", 128 * 128, 128, 4, sector=32)
    block: list[Access | None] = [Access(32 * k, 4, 0, 0) for k in (0, 1, 0, 1, 3)]
    assert run(CacheMachine("", (level,), Gpu(1)), [block]).references[0].misses == (3, 0, 0, 0, 0)


@pytest.mark.parametrize(("writes", "misses"), [("allocate", 1), ("through", 1), ("evict", 2)])
def test_writes(writes: str, misses: int) -> None:
    """A read, a write, and the read again."""
    machine = CacheMachine("", (replace(L1, writes=writes),), Gpu(1))
    block: list[Access | None] = [Access(0, 4, 0), Access(0, 4, 1, write=True), Access(0, 4, 2)]
    found = run(machine, [block], 3)
    assert sum(sum(each.misses) for each in found.references) == misses


def test_extensions_can_be_turned_off_for_all_machines() -> None:
    for name in known_machines():
        for extension in EXTENSIONS:
            machine = read_machine(name).without(extension)
            found = run(machine, by_rows(64, 8)).references[0]
            assert found.asked == 64 * 8
            assert sum(found.misses) <= found.accesses
