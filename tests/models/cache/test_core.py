"""The core against plain models, and what holds for all caches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from models.cache import Access, CacheLevel, LevelMisses, Shared, Trace, sequential_misses

addresses = some.lists(some.integers(0, 400), max_size=300)


def run(trace: list[int], *levels: CacheLevel) -> tuple[LevelMisses, ...]:
    return sequential_misses([Shared(each) for each in levels], Trace.of(map(Access, trace)), 1)


def missed(level: LevelMisses) -> int:
    return sum(level.references[0].misses)


def cache(lines: int, ways: int = 0) -> CacheLevel:
    return CacheLevel("a", 16 * lines, 16, ways)


def lru_misses(lines: list[int], sets: int, ways: int) -> list[int]:
    """The lines that a plain simulation has to fetch, in order."""
    content: list[list[int]] = [[] for _ in range(sets)]
    fetched = []
    for line in lines:
        own = content[line % sets]
        if line in own:
            own.remove(line)
        else:
            fetched.append(line)
        own.append(line)
        del own[:-ways]
    return fetched


@given(addresses, some.sampled_from([(8, 1), (4, 2), (2, 4), (1, 8), (3, 2)]))
def test_sets_as_in_a_plain_simulation(trace: list[int], shape: tuple[int, int]) -> None:
    sets, ways = shape
    aligned = [4 * (address // 4) for address in trace]
    [found] = run(aligned, cache(sets * ways, ways))
    lines = [address // 16 for address in aligned]
    assert missed(found) == len(lru_misses(lines, sets, ways))


@given(addresses)
def test_distances_as_counted_by_hand(trace: list[int]) -> None:
    lines, stack, distances = [4 * a // 16 for a in trace], list[int](), list[int]()
    for line in lines:
        distances.append(stack[::-1].index(line) if line in stack else -1)
        stack = [other for other in stack if other != line] + [line]
    [found] = run([4 * a for a in trace], cache(8))
    assert found.references[0].distances[0] == distances.count(0)
    assert found.references[0].distances[1] == distances.count(1)
    assert found.references[0].distances[2] == distances.count(2) + distances.count(3)
    assert found.references[0].distances[-1] == distances.count(-1) == found.references[0].misses[0]
    assert sum(found.references[0].distances) == len(trace)


@given(addresses, some.integers(1, 20))
def test_a_larger_fully_associative_cache_never_misses_more(trace: list[int], lines: int) -> None:
    """Compulsory misses are as many.  (Of an access to two lines the first that is missed names the kind.)"""
    [small], [large] = run(trace, cache(lines)), run(trace, cache(lines + 1))
    assert missed(large) <= missed(small)
    aligned = [4 * (address // 4) for address in trace]
    [small], [large] = run(aligned, cache(lines)), run(aligned, cache(lines + 1))
    assert large.references[0].misses[0] == small.references[0].misses[0]


@given(addresses, some.sampled_from([1, 2, 4]))
def test_more_ways_of_as_many_sets_never_miss_more(trace: list[int], ways: int) -> None:
    """Inclusion: what is in a set of LRU order is in that of more ways."""
    aligned = [4 * (address // 4) for address in trace]
    [few], [many] = run(aligned, cache(4 * ways, ways)), run(aligned, cache(4 * (ways + 1), ways + 1))
    assert missed(many) <= missed(few)


@given(addresses)
def test_the_next_level_sees_what_this_one_misses(trace: list[int]) -> None:
    first, second = run(trace, cache(4, 2), cache(16, 4))
    assert second.references[0].accesses == missed(first)


@given(addresses)
def test_no_miss_of_a_fully_associative_cache_is_one_of_associativity(trace: list[int]) -> None:
    [found] = run(trace, cache(8))
    assert found.references[0].misses[2:] == (0, 0, 0)


def test_a_large_trace_renumbers_its_stack_and_counts_right() -> None:
    lines = [16 * (7 * i % 9973) for i in range(60_000)]
    [found] = run(lines, cache(4096))
    distant = found.references[0].distances[14]  # 8192 to 16383: all others lie between two uses
    assert (distant, found.references[0].distances[-1]) == (60_000 - 9973, 9973)


def test_a_sample_of_sets_states_its_error() -> None:
    lines = [16 * (i * i % 7919) for i in range(40_000)]
    trace = Trace.of(map(Access, lines))
    level = CacheLevel("a", 16 * 4096, 16, 4)
    [whole] = sequential_misses([Shared(level)], trace, 1)
    [part] = sequential_misses([Shared(level, sampled=4)], trace, 1)
    rates = [sum(each.references[0].misses) / each.references[0].accesses for each in (whole, part)]
    assert 0 < part.references[0].accesses < 15_000
    assert (whole.error, part.share) == (0, 0.25)
    assert 0 < part.error < 0.2
    assert abs(rates[0] - rates[1]) <= 2 * part.error
