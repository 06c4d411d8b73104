"""Which loops run over rows, which over columns, which are summed over: from the factors of a product."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as choices
from typing import Any

from species.source.syntax.expressions import names

_MOST_FACTORS = 8


@dataclass(frozen=True)
class Grouping:
    """Two sides of a product; `first` and `second` are iterators that only one side reads."""

    first: frozenset[str]
    second: frozenset[str]
    batch: frozenset[str]  # output iterators that both sides read
    first_factors: tuple[Any, ...]
    second_factors: tuple[Any, ...]

    def swapped(self) -> Grouping:
        """The same with its sides exchanged."""
        return Grouping(self.second, self.first, self.batch, self.second_factors, self.first_factors)


def groupings(factors: tuple[Any, ...], iterators: frozenset[str], output: frozenset[str]) -> list[Grouping]:
    """All ways to take `factors` for a product of two sides, those with the fewest batch loops first.

    `output` are the iterators in the output's subscripts.  The other iterators, at least one, are summed over
    and both sides must read each of them.  Factors without iterators go to the first side.
    """
    used = [(factor, names(factor) & iterators) for factor in factors]
    varying = [pair for pair in used if pair[1]]
    if not 2 <= len(varying) <= _MOST_FACTORS or output == iterators:
        return []
    found = []
    for sides in choices((0, 1), repeat=len(varying) - 1):
        grouping = _grouping(used, dict(zip(map(id, (f for f, _ in varying)), (0, *sides), strict=True)))
        if _is_contraction(grouping, iterators, output):
            found.append(grouping)
    return sorted(found, key=lambda g: len(g.batch))


def _grouping(used: list[tuple[Any, frozenset[str]]], side: dict[int, int]) -> Grouping:
    parts: tuple[list[Any], list[Any]] = ([], [])
    reads: tuple[set[str], set[str]] = (set(), set())
    for factor, iterators in used:
        at = side.get(id(factor), 0)
        parts[at].append(factor)
        reads[at].update(iterators)
    first, second = map(frozenset, reads)
    return Grouping(first - second, second - first, first & second, tuple(parts[0]), tuple(parts[1]))


def _is_contraction(found: Grouping, iterators: frozenset[str], output: frozenset[str]) -> bool:
    everything = found.first | found.second | found.batch
    own = found.first | found.second
    return bool(everything == iterators and own <= output and found.first and found.second)


def without_sums(found: Grouping, output: frozenset[str]) -> Grouping:
    """The grouping with only output iterators in `batch`."""
    return Grouping(
        found.first, found.second, found.batch & output, found.first_factors, found.second_factors
    )
