"""What is found: kernels, their levels, and references with their misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.cache import KINDS, NOTHING, Misses


@dataclass(frozen=True, order=True)
class Reference:
    """A reference in the user's file, with its text; or, where that has none such, in a generated kernel.

    One of `line` and `generated` is 0.
    """

    line: int
    generated: int
    text: str
    array: str
    write: bool


@dataclass(frozen=True)
class Level:
    """What a cache saw of a kernel; `seen` in the order of `KernelMisses.references`."""

    name: str
    line_bytes: int
    lines: int
    seen: tuple[Misses, ...]
    error: float = 0.0
    share: float = 1.0

    @property
    def total(self) -> Misses:
        return sum(self.seen, NOTHING)


@dataclass(frozen=True)
class KernelMisses:
    """A kernel or nest: levels from the nearest to the farthest.  Looked at were `launches` of `of`."""

    name: str
    file: str
    line: int
    references: tuple[Reference, ...]
    levels: tuple[Level, ...]
    launches: int = 1
    of: int = 1
    warp: int = 0  # threads that ask together; 0: one after the other
    cut: bool = False  # only the first accesses were looked at
    copies: bool = False  # all that it does is to assign one array to another


@dataclass(frozen=True)
class Findings:
    """Of a file on a machine."""

    file: str
    target: str
    machine: str
    kernels: tuple[KernelMisses, ...]
    notes: tuple[str, ...] = ()


def summed(
    references: Sequence[Reference], numbers: Sequence[int], seen: Sequence[Misses]
) -> tuple[Misses, ...]:
    """For each reference, the sum of what was seen with its number."""
    sums = [NOTHING] * len(references)
    for number, misses in zip(numbers, seen, strict=True):
        sums[number] += misses
    return tuple(sums)


def missed(misses: Misses) -> int:
    """All but those for a line in flight, which ask nothing of the next level."""
    return sum(misses.misses) - misses.misses[KINDS.index("latency")]


def percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0
