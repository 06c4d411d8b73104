"""May two places be the same memory?  By declarations, allocations, `restrict` and types."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from species.loops.modified import compatible, is_object
from species.loops.nest import Loop, Place
from species.loops.symbols import Symbol
from species.loops.updates import walk


class Relation(Enum):
    """How two places are related: subscripts of the same object, nothing in common, or nobody knows."""

    SAME = "same"
    NONE = "none"
    MAY = "may"


def relation(a: Place, b: Place, loop: Loop) -> Relation:
    """The relation of the objects of two places over all iterations of a loop."""
    if a.symbol is b.symbol and a.base == b.base:
        moves = a.base is not None and loop.number in a.base.loops
        return Relation.MAY if moves else Relation.SAME
    if a.symbol is b.symbol:  # a pointer and what it points to, or what it has pointed to before
        return Relation.MAY if compatible(a.ctype, b.ctype) else Relation.NONE
    if not compatible(a.ctype, b.ctype) or _distinct(a, b, loop) or _distinct(b, a, loop):
        return Relation.NONE
    return Relation.MAY


def _distinct(a: Place, b: Place, loop: Loop) -> bool:
    """Is the object of `a` certainly not that of `b`, by what is known of `a`?"""
    if _is_own(a) and _is_own(b):
        return True
    if _is_unseen(a):
        return True
    if _is_restricted(a, loop) and (not a.symbol.exposed or _is_own(b) or _is_parameter(b)):
        return True
    if _is_parameter(b) and _is_own(a) and a.symbol.storage == "local":
        return True
    return _is_parameter(a) and _is_apart_at_calls(a, b)


def _is_restricted(place: Place, loop: Loop) -> bool:
    """Is it reached through a `restrict` pointer whose promise holds for the loop as a whole?

    A promise is made for one execution of the block that declares the pointer, or the structure that it
    is a member of (C11 6.7.3.1): of different iterations it says nothing if that block is inside of the loop.
    """
    restricted, declared = place.symbol.ctype.restrict, place
    while declared.symbol.storage == "memory" and declared.base is not None:
        identity = declared.base.key
        if identity[0] != "entry" or not isinstance(identity[2], Place):
            return False
        declared = identity[2]
    return restricted and _is_around(declared.symbol, loop)


@lru_cache(maxsize=20_000)
def _is_around(symbol: Symbol, loop: Loop) -> bool:
    """Does the scope of the variable hold the whole loop?"""
    return symbol.scope is None or any(node is loop.node for node in walk(symbol.scope))


def _is_apart_at_calls(parameter: Place, other: Place) -> bool:
    """Does every call of the function give the parameter an object that is not the other's?"""
    objects = parameter.symbol.objects
    others: tuple[Symbol | None, ...] = ()
    if _is_parameter(other) and parameter.symbol.scope is other.symbol.scope:
        others = other.symbol.objects
    elif _is_own(other):
        others = (other.symbol,) * len(objects)
    pairs = list(zip(objects, others, strict=False))
    return bool(pairs) and all(x is not None and y is not None and x is not y for x, y in pairs)


def _is_own(place: Place) -> bool:
    """A declared object, or the one allocation that a pointer ever points to."""
    symbol = place.symbol
    if is_object(symbol) or symbol.is_rows or (symbol.is_scalar and place.base is None):
        return True
    return symbol.is_single_allocation and symbol.storage in ("local", "static")


def _is_unseen(place: Place) -> bool:
    """An object of its own that no other pointer can point to."""
    symbol: Symbol = place.symbol
    if not _is_own(place) or symbol.storage == "global" or symbol.address_taken:
        return False
    return (place.base is None and symbol.is_scalar) or not symbol.exposed


def _is_parameter(place: Place) -> bool:
    """A pointer with the value that the caller gave it."""
    symbol = place.symbol
    given = symbol.writes == 0 or (place.base is not None and place.base.key[:2] == ("entry", 0))
    return symbol.storage == "parameter" and given and not symbol.address_taken
