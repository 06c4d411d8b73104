"""Answers of points-to analysis: the objects that places and expressions may lie in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from species.loops.model import Place
from species.symbols.symbols import Symbol


@dataclass(frozen=True)
class Targets:
    """The objects that something may lie in: a set for every context of `function`.

    Without a function it is one set, for all contexts.
    """

    sets: tuple[int, ...]  # of the numbers of objects, as bits
    function: str = ""
    inner: int = 0  # those that are pointed into, behind their starts, in some context

    @property
    def merged(self) -> Targets:
        """The same, for whatever call of the function."""
        return Targets((reduce(or_, self.sets, 0),), inner=self.inner) if self.function else self

    @property
    def is_known(self) -> bool:
        """Is there an object in some context?  In others it is a null pointer, which nobody follows."""
        return any(self.sets)


def known(found: Targets) -> Targets | None:
    """The targets, where there are some."""
    return found if found.is_known else None


def owner_of(place: Place) -> Place | None:
    """Where the pointer was that a place is reached through, if it was no variable."""
    identity = place.base.key if place.base is not None else ()
    owner = identity[2] if len(identity) > 2 else None
    return owner if isinstance(owner, Place) else None


def is_apart_from(a: Symbol | Place, b: Symbol | Place) -> bool:
    """Does points-to analysis show that two things, in one execution of a function, are in other objects?"""
    analysis = analysis_of(a)
    if analysis is None or analysis_of(b) is not analysis:
        return False
    return not analysis.may_meet(analysis.of_key(a), analysis.of_key(b))


def share_allocation(a: Place, b: Place) -> bool:
    """Does points-to analysis know of a call of `malloc` that gave the memory of both?"""
    analysis = analysis_of(a)
    if analysis is None or analysis_of(b) is not analysis:
        return False
    return bool(analysis.share_allocation(analysis.of_key(a), analysis.of_key(b)))


def text_of(place: Place) -> Any:
    """The lvalue, where nothing else is known of the place."""
    identity = place.base.key if place.base is not None else ()
    return identity[2] if identity[:1] == ("somewhere",) else None


def holds_own(owner: Place) -> bool:
    """Does points-to analysis show that different cells like this one lead to different memory, always?"""
    analysis = analysis_of(owner)
    return analysis is not None and not owner.loose and analysis.holds_own(owner)


def are_starts(*places: Place) -> bool:
    """Does points-to analysis show that pointers to some places are apart as soon as they are not equal?"""
    analyses = {analysis_of(place) for place in places}
    analysis = analyses.pop()
    plain = all(place.base is not None and place.symbol.table is None for place in places)
    return plain and not analyses and analysis is not None and analysis.are_starts(*places)


def allocations_of(place: Place) -> list[Any]:
    """The calls that allocate the memory to whose start the pointer to a place leads; none: others may."""
    analysis = analysis_of(place)
    return list(analysis.allocations_of(place)) if analysis is not None and place.base is not None else []


def is_held_by_variables(symbol: Symbol) -> bool:
    """Does points-to analysis show that pointers to the memory of this one are in plain variables only?"""
    return symbol.points_to is not None and bool(symbol.points_to.is_held_by_variables(symbol))


def analysis_of(key: Symbol | Place) -> Any:
    """The points-to analysis of the file that a variable, or the one that leads to a place, belongs to."""
    owner: Place | None = key if isinstance(key, Place) else Place(key)
    found = owner
    while owner is not None and owner.symbol.storage == "memory":
        found, owner = owner, owner.symbol.table or owner_of(owner)
    found = owner or found
    return found.symbol.points_to if found is not None else None
