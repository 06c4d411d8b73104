"""The iterations of a nest, numbered from 0: so that those of two nests can be those of one loop."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from transfers.fuse.headers import extent, in_parentheses
from transfers.fuse.names import on_one_line
from transfers.fuse.pairs import Part

_MOST = 2**31 - 1


@dataclass(frozen=True)
class Range:
    """Per loop, outermost first, how often it runs (a number, and C), where it starts (C) and its step."""

    many: int
    counts: tuple[str, ...]
    starts: tuple[str, ...]
    steps: tuple[int, ...]

    @property
    def count(self) -> str:
        """How many iterations the nest makes, in C."""
        return " * ".join(self.counts)


def range_of(part: Part) -> Range | None:
    """The iterations of a kernel, where all bounds are numbers."""
    extents = [extent(node, loop) for node, loop in zip(part.nodes, part.kernel.loops, strict=True)]
    if any(found is None for found in extents):
        return None
    many = prod(found[0] for found in extents if found)
    loops = part.kernel.loops
    counts = tuple(found[1] for found in extents if found)
    starts = tuple(on_one_line(loop.lower) for loop in loops)
    return Range(many, counts, starts, tuple(loop.step for loop in loops)) if 0 < many <= _MOST // 2 else None


def values(found: Range, at: str) -> list[str]:
    """The values of the iterators, in C, in the iteration of the nest that has the number `at` (C)."""
    terms = []
    for k, (start, step) in enumerate(zip(found.starts, found.steps, strict=True)):
        inner = " * ".join(found.counts[k + 1 :])
        term = f"{at} / {inner if len(found.counts) == k + 2 else f'({inner})'}" if inner else at
        term = f"{term} % {found.counts[k]}" if k else term
        term = f"{step} * ({term})" if step != 1 else term
        terms.append(term if start == "0" else f"{in_parentheses(start)} + {term}")
    return terms
