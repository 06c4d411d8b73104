"""Numbers that refute a claim: they spare the search for a proof that there cannot be."""

from __future__ import annotations

from random import Random

from species.core.memo import kept
from species.sets.affine import Affine
from species.sets.conditions import Compare, Condition, negated
from species.sets.local_search import Search
from species.sets.numeric import Point

STARTS = 6  # points that are looked for, for the same conditions
TRIES = 3  # to find two values
REPAIRS = 60  # for each of them
FEW_REPAIRS = 12  # where one of these points is to be moved
MOVED = 3  # of them


@kept(2_000)
def _searched(conditions: tuple[Condition, ...]) -> tuple[Search, tuple[Point, ...]]:
    """A search with the conditions, and points at which they hold."""
    search, random = _search(conditions), Random(0)
    tries = (search.repaired(search.point(random), random, REPAIRS) for _ in range(STARTS))
    return search, tuple(point for point in tries if point is not None)


def _search(conditions: tuple[Condition, ...]) -> Search:
    search = Search()
    for condition in conditions:
        search.add(condition)
    return search


def refuted(claim: Compare, conditions: tuple[Condition, ...], thoroughly: bool = False) -> bool:
    """Are there numbers under which the conditions hold, and the claim does not?

    Looked for among a few at which the conditions hold; `thoroughly`: near them, too.
    """
    known, points = _searched(conditions)
    if not points:
        return False
    against = known.alone(negated(claim))
    grown = [against.grown(point) for point in points]
    if any(map(against.is_solved, grown)):
        return True
    if not thoroughly:
        return False
    search, random = known.extended(negated(claim)), Random(0)
    moved = (search.repaired(point, random, FEW_REPAIRS) for point in grown[:MOVED])
    return any(point is not None for point in moved)


def values(expression: Affine, conditions: tuple[Condition, ...]) -> list[int]:
    """Two different values of the expression where the conditions hold; fewer where none are found."""
    search, random = _search(conditions), Random(0)
    wanted = search.sum(expression)
    found: list[int] = []
    point = None
    for _ in range(TRIES):
        point = search.repaired(point or search.point(random), random, REPAIRS)
        if point is not None:
            found.append(wanted.value(point))
            search.add(negated(Compare(expression - found[-1], equal=True)))
        if len(found) == 2:
            break
    return found
