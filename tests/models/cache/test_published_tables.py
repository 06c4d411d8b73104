"""Tables 5.1 to 5.5 of seed 003, digit by digit."""

from __future__ import annotations

import pytest

from models.cache import KINDS, Access, CacheLevel, CacheMachine, Gpu, Step, Trace, gpu_misses

LINE = 16  # four elements of four bytes
X = (0, 5, 3, 9, 3, 3, 5)  # table 5.1


def steps_of(block: list[Access], gpu: Gpu, lines: int = 2, line: int = LINE) -> list[Step]:
    machine = CacheMachine("a table's", (CacheLevel("L1", lines * line, line),), gpu)
    found: list[Step] = []
    gpu_misses(machine, Trace.of_blocks([block]), [0, 0], [0, 1], steps=found.append)
    return found


def one_thread() -> list[Access]:
    return [Access(4 * element) for element in X]


def four_threads() -> list[Access]:
    """Thread t loads x[2t], and then x[2t+1]."""
    return [Access(4 * (2 * thread + load), 4, load, thread) for thread in range(4) for load in (0, 1)]


def test_table_5_1_by_addresses_and_by_lines() -> None:
    by_address = steps_of(one_thread(), Gpu(1, warp=1), line=4)
    by_line = steps_of(one_thread(), Gpu(1, warp=1))
    assert [step.line for step in by_address] == [0, 5, 3, 9, 3, 3, 5]
    assert [step.distance for step in by_address] == [None, None, None, None, 1, 0, 2]
    assert [step.line for step in by_line] == [0, 1, 0, 2, 0, 0, 1]
    assert [step.distance for step in by_line] == [None, None, 1, None, 1, 0, 2]


def test_table_5_1_misses_of_a_cache_of_two_lines() -> None:
    kinds = [step.kind for step in steps_of(one_thread(), Gpu(1, warp=1))]
    assert [kinds.count(kind) for kind in KINDS] == [3, 1, 0, 0, 0]  # 42 % and 14 % of 7


def round_robin(hit: int, miss: int, clips: bool = False) -> list[Step]:
    gpu = Gpu(1, warp=1, hit_latency=hit, miss_latency=miss, clips=clips, diverges=False)
    return steps_of(four_threads(), gpu)


def test_table_5_2_four_threads() -> None:
    found = round_robin(0, 0)
    assert [step.time for step in found] == list(range(8))
    assert [step.line for step in found] == [0, 0, 1, 1, 0, 0, 1, 1]
    assert [step.distance for step in found] == [None, 0, None, 0, 1, 0, 1, 0]


def test_table_5_3_a_fixed_latency() -> None:
    found = round_robin(2, 2)
    assert [step.distance for step in found] == [None, None, None, None, 0, 1, 0, 1]
    assert [step.kind == "hit" for step in found] == [False] * 4 + [True] * 4
    assert [step.effect for step in found] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert [step.line for step in found] == [0, 0, 1, 1, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("clips", "effects"), [(False, [2, 3, 4, 5, 4, 5, 6, 7]), (True, [2, 2, 4, 4, 4, 5, 6, 7])]
)
def test_table_5_4_latencies_of_misses_only(clips: bool, effects: list[int]) -> None:
    found = round_robin(0, 2, clips)
    assert [step.distance for step in found] == [None, None, None, None, 0, 0, 1, 0]
    assert [step.effect for step in found] == effects
    assert [step.kind for step in found] == ["compulsory", "latency"] * 2 + ["hit"] * 4


def test_table_5_5_a_warp_is_sent_away_for_want_of_a_register() -> None:
    """As in the table until time 1; from then on, effects at a time are seen after it, as in table 5.3."""
    gpu = Gpu(1, warp=1, miss_latency=2, mshrs=1, clips=False, diverges=False)
    threads = [access for access in four_threads() if access.thread in (0, 2)]
    renamed = [Access(each.address, 4, each.reference, each.thread // 2) for each in threads]
    found = steps_of(renamed, gpu)
    assert found[0] == Step(0, 0, None, "compulsory", 2)
    assert not any(step.time == 1 for step in found)
    assert [step.line for step in found] == [0, 0, 1, 1]
    assert found[-1].kind == "latency"  # it uses the register that line 1 has
