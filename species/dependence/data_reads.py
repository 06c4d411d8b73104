"""Which numbers in memory a loop is sure to read, so that they may be read before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from species.dependence.aliases import Relation, relation
from species.dependence.exact.dependence_test import meeting
from species.loops.model import Loop, Place, Reference, inner_loops
from species.loops.shifted import at, place_of
from species.sets.affine import Affine, Counter, constant
from species.sets.conditions import Compare, Condition, atoms
from species.sets.domains import implied


@dataclass(frozen=True)
class Read:
    """When every iteration reads a number: where conditions on values that the loop does not change hold, and
    where another number, its `length`, is positive in the iteration.
    """

    where: tuple[Condition, ...] = ()
    nonempty: Compare | None = None  # that the length is positive

    @property
    def length(self) -> Place | None:
        return _positive(self.nonempty) if self.nonempty is not None else None

    def is_made_by(self, reference: Reference) -> bool:
        """Is the number read wherever a reference is made?"""
        needed = self.where if self.nonempty is None else (*self.where, self.nonempty)
        return all(isinstance(c, Compare) and implied(c, reference.conditions) for c in needed)


def is_left_alone(place: Place, loop: Loop, references: Iterable[Reference]) -> bool:
    """Does the loop write no such member of the same array?"""
    return not any(
        r.write and relation(place, r.place, loop) is Relation.SAME and meeting(place, r.place) is not None
        for r in references
    )


def is_where_positive(reference: Reference, length: Place, loop: Loop) -> bool:
    """Is the reference made only in iterations that find a positive number at a place?"""
    inside = inner_loops(loop) - {loop.number}
    firsts = (_in_first(condition, inside) for condition in reference.conditions)
    larger = (
        first for first in firsts if isinstance(first, Compare) and _positive(first, more=True) == length
    )
    return any(implied(first, reference.conditions) for first in larger)


def read_of(
    place: Place, loop: Loop, references: Iterable[Reference], steps: tuple[int, ...] = (0,)
) -> Read | None:
    """When each iteration, or one that is so many steps away, reads a place that the loop's counter moves;
    None: only data says.
    """
    counter = Affine.of(loop.counter)
    places = [at(place, loop.counter, counter + by) for by in steps]
    near = (r for r in references if not r.write and any(_is_beside(r.place, each) for each in places))
    found = [read for r in near if (read := _read(r, loop)) is not None]
    return min(found, key=lambda read: (read.length is not None, len(read.where)), default=None)


def _read(reference: Reference, loop: Loop) -> Read | None:
    """When an iteration makes a reference in the first iterations of the loops inside."""
    always, inside = {*loop.conditions, loop.bound}, inner_loops(loop)
    where, nonempty = dict[Condition, None](), set[Compare]()
    for condition in reference.conditions:
        first = _in_first(condition, inside - {loop.number})
        if first is None:
            return None
        if condition in always or _is_natural(condition) or _is_true(first):
            continue
        if not any(atom.loops & inside for atom in atoms(first)):
            where[first] = None
            continue
        if not isinstance(first, Compare) or _positive(first) is None:
            return None
        nonempty.add(first)
    return Read(tuple(where), next(iter(nonempty), None)) if len(nonempty) < 2 else None


def _in_first(condition: Condition, inside: frozenset[int]) -> Condition | None:
    """The comparison in the first iteration of the loops inside; others if these do not move them."""
    if not any(atom.loops & inside for atom in atoms(condition)):
        return condition
    if not isinstance(condition, Compare):
        return None
    first = condition.expression.substitute(
        lambda atom: constant(0) if isinstance(atom, Counter) and atom.loop in inside else None
    )
    return None if first.loops & inside else Compare(first, condition.equal)


def _positive(condition: Compare, *, more: bool = False) -> Place | None:
    """The place of the number of which a condition says that it is positive, or even larger (`more`)."""
    least = -condition.expression.constant
    if condition.equal or least < 1 or (least > 1 and not more):
        return None
    terms = [*condition.expression.terms]
    return place_of(terms[0][0]) if len(terms) == 1 and terms[0][1] == 1 else None


def _is_beside(a: Place, b: Place) -> bool:
    """Are they in one element, if not the same?"""
    one, other = ([*takewhile(lambda step: not isinstance(step, str), place.path)] for place in (a, b))
    return (a.symbol, a.base, a.loose) == (b.symbol, b.base, b.loose) and bool(one) and one == other


def _is_true(condition: Condition) -> bool:
    return isinstance(condition, Compare) and implied(condition, ())


def _is_natural(condition: Condition) -> bool:
    """Does it say of a counter that it is not negative?  (Headers inside are evaluated once at least.)"""
    counters = (Affine.of(a) for a in atoms(condition) if isinstance(a, Counter))
    return isinstance(condition, Compare) and condition.expression in counters
