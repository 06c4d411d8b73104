"""Segments that data bounds: `for (e = start[v]; e < start[v + 1]; e++)`; does one reach into the next?

No text shows that offsets ascend; a pass over them does, before the loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from species.dependence.aliases import Relation, relation
from species.dependence.exact.dependence_test import Dependence, meeting
from species.dependence.findings import Finding
from species.loops.model import Loop, Place, Reference, inner_loops
from species.loops.shifted import at, place_of
from species.sets.affine import Affine, Atom, Counter
from species.sets.conditions import Compare, Condition, atoms


@dataclass(frozen=True)
class InOrder:
    """What an iteration and the next one find in memory: `after + slack` is at least `before`."""

    after: Place
    before: Place
    slack: int


@dataclass(frozen=True)
class Ordered:
    """Dependences that are not there while numbers in memory are `in_order`; `finding` if nobody asks."""

    in_order: InOrder
    dependences: tuple[Dependence, ...]
    finding: Finding


def element(atom: Atom, loop: Loop) -> Place | None:
    """Where a number is read that each iteration of a loop finds in the next element of an array."""
    place, inside = place_of(atom), inner_loops(loop)
    if place is None or place.loose or place.flat is not None or place.byte is not None:
        return None
    moving = [step for step in place.subscripts if step.loops & inside]
    steps = [
        step for step in moving if step.loops == {loop.number} and abs(step.coefficient(loop.counter)) == 1
    ]
    plain = all(isinstance(a, Counter) for step in moving for a, _ in step.terms if a.loops & inside)
    leads = place.base is None or not place.base.loops & inside
    is_number = place.ctype.is_integer and place.ctype.bits in (8, 16, 32, 64)
    return place if len(moving) == len(steps) == 1 and plain and leads and is_number else None


def in_order(expression: Affine, loop: Loop) -> InOrder | None:
    """What says that a difference of two numbers in memory is never negative: the ends of segments.

    (Of places that data chooses, one for each iteration, it would say that they ascend: they seldom do.)
    """
    by_sign = {coefficient: atom for atom, coefficient in expression.ordered}
    if set(by_sign) != {1, -1} or len(expression.terms) != 2:
        return None
    after, before = (element(by_sign[sign], loop) for sign in (1, -1))
    if after is None or before is None:
        return None
    if _are_alike(after, before):
        apart = sum((a - b for a, b in zip(after.subscripts, before.subscripts, strict=True)), Affine())
        ascends = apart.is_constant and apart.constant > 0 and expression.constant >= 0
    else:
        ascends = expression.constant >= -1  # ends may be in their segments
    return InOrder(after, before, expression.constant) if ascends else None


def _are_alike(a: Place, b: Place) -> bool:
    """Are they elements of one array?"""
    names = [[step for step in place.path if isinstance(step, str)] for place in (a, b)]
    return (a.symbol, a.base) == (b.symbol, b.base) and names[0] == names[1]


def are_kept(needed: Iterable[InOrder], loop: Loop, references: Iterable[Reference]) -> bool:
    """Does the loop leave the numbers alone, and read all of them in each of its iterations?

    (What might be written through another pointer is asked for besides.)
    """
    found = list(references)
    places = [place for each in needed for place in (each.after, each.before)]
    return all(_is_read(place, loop, found) and not _is_written(place, loop, found) for place in places)


def _is_written(place: Place, loop: Loop, references: Iterable[Reference]) -> bool:
    """Does the loop write such a member of the same array?"""
    return any(
        r.write and relation(place, r.place, loop) is Relation.SAME and meeting(place, r.place) is not None
        for r in references
    )


def _is_read(place: Place, loop: Loop, references: Iterable[Reference]) -> bool:
    """Is it read, or will it be by the next iteration, whatever is the case?  (The last one is not asked.)"""
    always, counter = {*loop.conditions, loop.bound}, Affine.of(loop.counter)
    places = [at(place, loop.counter, counter + by) for by in (-1, 0)]
    return any(
        not r.write
        and any(_is_beside(r.place, each) for each in places)
        and all(c in always or _is_natural(c) for c in r.conditions)
        for r in references
    )


def _is_beside(a: Place, b: Place) -> bool:
    """Are they in one element, if not the same?"""
    one, other = ([*takewhile(lambda step: not isinstance(step, str), place.path)] for place in (a, b))
    return (a.symbol, a.base, a.loose) == (b.symbol, b.base, b.loose) and bool(one) and one == other


def _is_natural(condition: Condition) -> bool:
    """Does it say of a counter that it is not negative?  (Headers inside are evaluated once at least.)"""
    counters = (Affine.of(a) for a in atoms(condition) if isinstance(a, Counter))
    return isinstance(condition, Compare) and condition.expression in counters
