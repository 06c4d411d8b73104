"""What is counted: accesses, misses by kind, and reuse distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from operator import add

from models.cache.structures import BUCKETS, KINDS, Tally

Counts = tuple[int, ...]
GroupCounts = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Misses:
    """Of one reference at one level: accesses, after coalescing, and misses in the order of KINDS.

    `asked` counts accesses of threads, before coalescing; `turns` counts instructions of warps.  `distances`
    counts reuse distances in lines: 0, 1, 2-3, 4-7, ...; at its end, first accesses.
    """

    asked: int
    accesses: int
    misses: tuple[int, ...]
    distances: tuple[int, ...]
    turns: int = 0

    def __add__(self, other: Misses) -> Misses:
        def both(own: Counts, others: Counts) -> Counts:
            return tuple(map(add, own, others))

        asked, accesses = self.asked + other.asked, self.accesses + other.accesses
        misses, distances = both(self.misses, other.misses), both(self.distances, other.distances)
        return Misses(asked, accesses, misses, distances, self.turns + other.turns)


NOTHING = Misses(0, 0, (0,) * len(KINDS), (0,) * BUCKETS)


@dataclass(frozen=True)
class LevelMisses:
    """What a level saw.

    `error` is the half-width of the 95 % confidence interval of the miss rate, from the differences between
    samples; 0 where everything was looked at.  `share` is the part of cores or sets that was looked at.
    """

    references: tuple[Misses, ...]
    error: float = 0.0
    share: float = 1.0


def misses_of(tally: Tally) -> Misses:
    asked = tally.asked or tally.accesses
    return Misses(asked, tally.accesses, tuple(tally.misses), tuple(tally.distances), tally.turns)


def rate_error(groups: GroupCounts, share: float) -> float:
    """Of a ratio of sums over groups, of which `share` was looked at: 1.96 standard errors."""
    used = [(accesses, misses) for accesses, misses in groups if accesses]
    if share >= 1 or len(used) < 2:
        return 0.0
    accesses, misses = (sum(column) for column in zip(*used, strict=True))
    squares = sum((m - a * misses / accesses) ** 2 for a, m in used)
    return float(1.96 * sqrt((1 - share) * len(used) / (len(used) - 1) * squares) / accesses)
