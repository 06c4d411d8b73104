"""Does it pay to make two kernels one?  Estimated from the characterisations of their references.

A fused kernel reads once what both of them touch in the same iteration, and is launched once.  It is larger:
more values live at once, and where a kernel reads the same cells again and again, its skeleton or the cache
serves it better alone (seed 003, section 4.5.1, found factors between 0.38 and 1.08 for whatever is legal).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from math import prod

from pycparser import c_ast

from models.sizes.amounts import UNKNOWN
from species.facts.loops import Characterisation
from species.source.syntax.tree import walk
from transfers.fuse.pairs import Neighbours, Part
from transfers.fuse.ranges import Range

LEAST_SAVING = 0.1  # of the bytes that both kernels move
MOST_ARRAYS = 12
MOST_OPERATIONS = 0.5  # per byte; beyond that, fused iterations are slower than two that overlap
FEW = 16384  # iterations
NEAR = 8  # cells, within which a cache or a tile serves several iterations
_BYTES = {"char": 1, "short": 2, "int": 4, "float": 4}


@dataclass(frozen=True)
class Saving:
    """What fusion is expected to bring, and whether that is enough; `share` of the bytes is saved."""

    pays: bool
    why: str
    share: float = 0.0


def saving(pair: Neighbours) -> Saving:
    """An estimate for two kernels."""
    moved = sum(chain(_traffic(pair.first), _traffic(pair.second)))
    saved = sum(_saved(pair))
    arrays = {array.name for part in (pair.first, pair.second) for array in part.kernel.arrays}
    if not saved and _is_small(pair) and len(arrays) <= MOST_ARRAYS:
        return Saving(True, "saves a launch, which costs more than so few iterations")
    if not saved:
        return Saving(False, "their iterations share no data")
    share = f"{100 * saved / moved:.0f} % of the memory traffic"
    if len(arrays) > MOST_ARRAYS:
        return Saving(False, f"saves {share}, but {len(arrays)} arrays are too many for one kernel")
    if saved < LEAST_SAVING * moved:
        return Saving(False, f"saves only {share}")
    if _sums(pair.first) != _sums(pair.second):
        return Saving(False, f"saves {share}, but reductions have their own skeleton")
    if _operations(pair.first) + _operations(pair.second) > MOST_OPERATIONS * moved:
        return Saving(False, f"saves {share}, but they compute more than they move")
    return Saving(True, f"saves {share}", saved / moved)


def beside(pair: Neighbours, ranges: tuple[Range | None, ...]) -> Saving:
    """An estimate for two kernels whose iterations follow one another in one launch."""
    arrays = {array.name for part in (pair.first, pair.second) for array in part.kernel.arrays}
    if any(found is None for found in ranges):
        return Saving(False, "their trip counts are unknown")
    if max(found.many for found in ranges if found) > FEW or not _is_all_short(pair):
        return Saving(False, "each is large enough for a launch of its own")
    if len(arrays) > MOST_ARRAYS:
        return Saving(False, f"{len(arrays)} arrays are too many for one kernel")
    if _sums(pair.first) != _sums(pair.second):
        return Saving(False, "reductions have their own skeleton")
    return Saving(True, "side by side, saves a launch, which costs more than so few iterations")


def _sums(part: Part) -> bool:
    """Does it combine values of all iterations?"""
    return any(scalar.role == "reduction" for scalar in part.kernel.scalars)


def _operations(part: Part) -> int:
    """What an iteration computes, subscripts and inner loops included, each of these once."""
    computing = (c_ast.BinaryOp, c_ast.UnaryOp, c_ast.FuncCall)
    return sum(isinstance(node, computing) for node in walk(part.body))


def _is_small(pair: Neighbours) -> bool:
    """Do both make few iterations, each of them short?"""
    loops = [loop for part in (pair.first, pair.second) for loop in part.kernel.loops]
    if any(loop.trips is None or not loop.trips.isdigit() for loop in loops):
        return False
    counts = (prod(int(str(loop.trips)) for loop in part.kernel.loops) for part in (pair.first, pair.second))
    return max(counts) <= FEW and _is_all_short(pair)


def _is_all_short(pair: Neighbours) -> bool:
    """Do iterations touch few cells?"""
    return all(_is_short(c) for part in (pair.first, pair.second) for c in part.facts.characterisations)


def _traffic(part: Part) -> Iterator[float]:
    """Bytes per iteration that each reference moves from or to memory, or to the cache again and again."""
    return (_bytes(part, c) for c in part.facts.characterisations)


def _bytes(part: Part, reference: Characterisation) -> float:
    """A cell that all iterations read counts nothing, and neighbours have theirs in common."""
    cells = prod(_cells(many) for many in reference.elements)
    stays = all(step == "0" for step in reference.step)
    return 0.0 if stays and cells == 1 else cells * _size(part, reference.name)


def _cells(many: str) -> float:
    """Of one dimension; all of a chunk, which no cache holds for all iterations."""
    count = float(many) if many.isdigit() else UNKNOWN
    return 1.0 if count <= NEAR else count


def _size(part: Part, array: str) -> int:
    element = next((a.element for a in part.kernel.arrays if a.name == array), "double")
    return _BYTES.get(element.split()[-1], 8)


def _saved(pair: Neighbours) -> Iterator[float]:
    """Reads of the second kernel that find what the first one has just touched."""
    for c in pair.second.facts.characterisations:
        near = any(_is_near(c, other) and _is_short(other) for other in pair.first.facts.characterisations)
        if c.access == "r" and near and _is_short(c):
            yield _bytes(pair.second, c)


def _is_short(reference: Characterisation) -> bool:
    """Is it an element, or a small neighbourhood?"""
    return all(_cells(many) == 1 for many in reference.elements)


def _is_near(one: Characterisation, other: Characterisation) -> bool:
    """Do two references move through the same cells, as far as one can tell?"""
    if (one.name, one.loop_steps) != (other.name, other.loop_steps):
        return False
    lows = [(a.low, b.low) for a, b in zip(one.domain, other.domain, strict=True)]
    numbers = [(int(a), int(b)) for a, b in lows if a.lstrip("-").isdigit() and b.lstrip("-").isdigit()]
    return all(abs(a - b) <= NEAR for a, b in numbers)
