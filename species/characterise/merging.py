"""Merging of characterisations (theory.md section 2, which mends the seed's algorithm 3.3).

The result does not depend on the order of the references: those that agree in everything but their
position are joined where their domains overlap, until nothing changes.
"""

from __future__ import annotations

from dataclasses import replace

from species.characterise.tuples import Dimension, Tuple, Vector
from species.regions.bounds import Extreme, Interval
from species.sets.affine import Affine


def merge(tuples: list[Tuple], t_gap: int | None = None) -> list[Tuple]:
    """Merges to a fixpoint.  `t_gap` bounds the holes between elements of one iteration (None: any)."""
    pending = list(dict.fromkeys(tuples))
    changed = True
    while changed:
        changed = False
        for position, first in enumerate(pending):
            for other in pending[position + 1 :]:
                joined = _joined(first, other, t_gap)
                if joined is not None:
                    pending = [joined if t is first else t for t in pending if t is not other]
                    changed = True
                    break
            if changed:
                break
    return pending


def _joined(a: Tuple, b: Tuple, t_gap: int | None) -> Tuple | None:
    """The union of two characterisations, if they may merge."""
    if len(b.loops) > len(a.loops):
        a, b = b, a  # the deeper one's loops describe both
    same = (a.name, a.write, a.operator, _base_steps(a)) == (b.name, b.write, b.operator, _base_steps(b))
    if not same or len(a.dimensions) != len(b.dimensions):
        return None
    dimensions = []
    for one, other in zip(a.dimensions, b.dimensions, strict=True):
        joined = _joined_dimension(one, other, t_gap)
        if joined is None:
            return None
        dimensions.append(joined)
    holes = ["merged over a hole"] if any(map(_has_hole, a.dimensions, b.dimensions)) else []
    return replace(a, dimensions=tuple(dimensions), why=tuple(dict.fromkeys((*a.why, *b.why, *holes))))


def _base_steps(item: Tuple) -> dict[int, Vector]:
    """The 5-tuple's S: the loops that are no base loops do not count."""
    return {n: s for n, s, base in zip(item.loops, item.steps, item.base, strict=True) if base}


def _has_hole(a: Dimension, b: Dimension) -> bool:
    """Are elements between those of a and of b not touched?"""
    if a.offset is None or b.offset is None:
        return False
    first, second = (a, b) if (b.offset - a.offset).constant >= 0 else (b, a)
    assert first.offset is not None and second.offset is not None
    hole = second.offset - first.offset - first.elements
    return hole.constant > 0 or bool(hole.terms)


def _joined_dimension(a: Dimension, b: Dimension, t_gap: int | None) -> Dimension | None:
    if a == b:
        return a
    low_a, high_a, low_b, high_b = (
        a.domain[0].single,
        a.domain[1].single,
        b.domain[0].single,
        b.domain[1].single,
    )
    if low_a is None or high_a is None or low_b is None or high_b is None:
        return None
    if a.offset is None or b.offset is None:
        return None
    extents = (high_a - low_a - a.elements) - (high_b - low_b - b.elements)
    shift, shift_of_offset = low_b - low_a, b.offset - a.offset
    if extents.terms or extents.constant or not shift.is_constant or shift != shift_of_offset:
        return None
    if shift.constant < 0:
        return _joined_dimension(b, a, t_gap)
    return _shifted(a, b, shift.constant, (low_a, high_a, high_b), t_gap)


def _shifted(
    a: Dimension, b: Dimension, shift: int, ends: tuple[Affine, Affine, Affine], t_gap: int | None
) -> Dimension | None:
    """`b` lies `shift` elements further on than `a`."""
    low, high_a, high_b = ends
    overlap = high_a - low - shift
    if overlap.is_constant and overlap.constant < 0:
        return None  # the domains have nothing in common
    hole = -a.elements + shift
    if t_gap is not None and hole.is_constant and hole.constant > t_gap:
        return None
    growth = (b.elements + shift) - a.elements
    if not growth.is_constant:
        return None
    elements = b.elements + shift if growth.constant > 0 else a.elements
    end = high_b - high_a
    high = high_b if not end.is_constant or end.constant > 0 else high_a
    domain: Interval = (Extreme("min", (low,)), Extreme("max", (high,)))
    return Dimension(domain, elements, a.offset)
