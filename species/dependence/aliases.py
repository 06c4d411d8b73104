"""May two places be the same memory?  By declarations, allocations, `restrict` and types."""

from __future__ import annotations

from enum import Enum

from species.core.memo import kept
from species.loops.model import Loop, Place, inner_loops
from species.loops.modified import compatible, is_object
from species.loops.pointees import is_apart_from, owner_of, share_allocation
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol


class Relation(Enum):
    """How two places are related: subscripts of the same object, nothing in common, or nobody knows."""

    SAME = "same"
    NONE = "none"
    MAY = "may"


def relation(a: Place, b: Place, loop: Loop) -> Relation:
    """The relation of the objects of two places over all iterations of a loop."""
    if a.symbol is b.symbol and a.base == b.base:
        moves = a.base is not None and a.base.loops & inner_loops(loop)  # row after row, which may overlap
        return Relation.MAY if moves else Relation.SAME
    if a.symbol is b.symbol:  # a pointer and what it points to, or what it has pointed to before
        return Relation.MAY if compatible(a.ctype, b.ctype) else Relation.NONE
    apart = not compatible(a.ctype, b.ctype) and not _meets_at_calls(a, b)
    if apart or is_constant(a) or is_constant(b) or _distinct(a, b, loop) or _distinct(b, a, loop):
        return Relation.NONE
    return Relation.NONE if is_apart_from(a, b) else Relation.MAY


def _distinct(a: Place, b: Place, loop: Loop) -> bool:
    """Is the object of `a` certainly not that of `b`, by what is known of `a`?"""
    if _is_own(a) and _is_own(b):
        return True
    if _is_unseen(a):
        return True
    if _is_promised(a, b, loop):
        return True
    return _is_parameter(b) and _is_own(a) and a.symbol.storage == "local"


def _is_promised(a: Place, b: Place, loop: Loop) -> bool:
    """Does `restrict` promise that nothing is reached both by the pointer to `a` and by what leads to `b`?

    A promise is made for one execution of the block that declares the pointer, or the structure that it
    is a member of (C11 6.7.3.1): of different iterations it says nothing if that block is inside of the loop.
    What a function's caller gives it is not based on the function's own pointers.  A pointer at file level
    promises for the whole program, in which anything may be based on it that this file or, if it is not
    static, another one has made of it; but none of its like, to which such a value must not be assigned.
    """
    pointer = _restricted(a)
    root = _declared(a) if pointer is not None else None
    if root is None or pointer is None or not _is_around(root, loop):
        return False
    if _is_own(b) or (not a.symbol.exposed and (root.scope is not None or a.symbol.storage == "static")):
        return True
    if root.scope is not None:
        return _is_parameter(b)
    other = _restricted(b)
    return other is not None and _is_of_file(pointer) and _is_of_file(other) and pointer != other


def _restricted(place: Place) -> Place | None:
    """The `restrict` pointer that the place is reached through."""
    if not place.symbol.ctype.restrict:
        return None
    return Place(place.symbol) if place.symbol.storage != "memory" else came_from(place)


def came_from(place: Place) -> Place | None:
    """Where the pointer was that a place is reached through, if it was no variable."""
    return owner_of(place) if place.base is not None and place.base.key[:1] == ("entry",) else None


def _declared(place: Place) -> Symbol | None:
    """The variable that leads to a place, by way of any number of pointers."""
    found: Place | None = place
    while found is not None and found.symbol.storage == "memory" and found.base is not None:
        found = came_from(found)
    return found.symbol if found is not None else None


def is_constant(place: Place) -> bool:
    """Is it memory that nobody writes?"""
    root = _declared(place)
    return root is not None and (root.is_constant or (place.symbol is root and _is_table(root)))


def _is_table(symbol: Symbol) -> bool:
    """Is it an array that is declared constant, which no pointer may change, either (C11 6.7.3)?"""
    ctype = symbol.ctype
    declared = symbol.storage in ("global", "static", "local") and ctype.kind == "array"
    return declared and ctype.is_readonly and ctype.element.is_number and not ctype.element.volatile


def _is_of_file(pointer: Place) -> bool:
    """Is it a variable at file level, or a member of one?"""
    declared = pointer.symbol.scope is None and pointer.symbol.outlives_function and pointer.base is None
    return declared and all(isinstance(step, str) for step in pointer.path)


@kept(20_000)
def _is_around(symbol: Symbol, loop: Loop) -> bool:
    """Does the scope of the variable hold the whole loop?"""
    return symbol.scope is None or any(node is loop.node for node in walk(symbol.scope))


def _meets_at_calls(a: Place, b: Place) -> bool:
    """Does a call of the function give both parameters one allocation, which may be of any type in turn?"""
    both = _is_parameter(a) and _is_parameter(b) and a.symbol.scope is b.symbol.scope
    return both and share_allocation(a, b)


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
