"""Places in terms of names as they stand right before a loop.

    t = a; a = b; b = t;
    for (i = 0; i < n; i++) a[i] = b[i];       // writes what `b` pointed to when the function began

The model names an object after the variable that led to it first.  A person reads, and writes, the names that
the loop has: what that variable points to now, or whether it is hidden by another one, decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from species.core.memo import kept
from species.loops.model import Loop, Place, Pointer
from species.sets.affine import Affine, Value
from species.sets.truths import has_choice
from species.source.syntax.tree import variables
from species.symbols.symbols import Symbol
from species.symbols.types import CType


def standing(loop: Loop, place: Place) -> Place | None:
    """The same place, named and subscripted by what leads to its object right before the loop; None: no name
    that is visible there does.
    """
    own = place.symbol
    if _is_chosen(place):  # `up[x]`, where `up` is one of two pointers into the object
        named = (each for each in _by_pointers(loop, place) if not _is_chosen(each))
        if (found := next(named, None)) is not None:
            return found
    if place.base is None:
        has_name = own.storage == "memory" or loop.sees(own)
        return place if has_name else _by_pointer(loop, place)
    if own.storage == "memory":
        return _by_owner(loop, place, place.base) or _by_pointer(loop, place)
    return place if loop.sees(own) and _leads_to(loop, own, place) else _by_pointer(loop, place)


def _is_chosen(place: Place) -> bool:
    """Is a part of its subscripts, or of those of the pointer to it, one of two values?"""
    owner = place.base.key[2] if place.base is not None and len(place.base.key) > 2 else None
    chosen = any(has_choice(step) for step in place.path if isinstance(step, Affine))
    return chosen or (isinstance(owner, Place) and _is_chosen(owner))


def _leads_to(loop: Loop, variable: Symbol | Place, place: Place) -> bool:
    """Does what is in a variable, or a place, lead to the object of another place?

    What the loop is the first to read is as it was.
    """
    if variable not in loop.entry:
        return True
    value = loop.entry[variable]
    return isinstance(value, Pointer) and not value.place.path and value.place.base == place.base


def _by_owner(loop: Loop, place: Place, base: Value) -> Place | None:
    """As `standing`, where the pointer to the object lies in memory: `g->a[i]`, `rows[k][i]`."""
    owner = base.key[2] if len(base.key) > 2 else None
    if not isinstance(owner, Place) or not _leads_to(loop, owner, place):
        return None
    found = standing(loop, owner)
    if found is None or found == owner:
        return found and place
    symbol = Symbol(found.name, place.symbol.ctype, "memory", exposed=True)
    return replace(place, symbol=symbol, base=replace(base, key=("entry", 0, found, found.name)))


def _by_pointer(loop: Loop, place: Place) -> Place | None:
    """As `standing`, by a variable that points into the object: best to its start, and one that the loop
    names.
    """
    return next(_by_pointers(loop, place), None)


def _by_pointers(loop: Loop, place: Place) -> Iterator[Place]:
    found = sorted(_pointers(loop, place), key=lambda each: _rank(loop, *each))
    yield from filter(None, (_from(pointer, value, place) for pointer, value in found))


def _pointers(loop: Loop, place: Place) -> Iterator[tuple[Symbol, Pointer]]:
    for key, value in loop.entry.items():
        if not isinstance(key, Symbol) or not isinstance(value, Pointer) or value.reach == "cell":
            continue
        start = value.place
        leads = start.symbol is place.symbol and start.base == place.base and not start.loose
        if leads and loop.sees(key) and key not in loop.set_in_header:
            yield key, value


def _rank(loop: Loop, pointer: Symbol, value: Pointer) -> tuple[bool, bool]:
    at_start = not value.place.path and value.offset == Affine()
    return not at_start, pointer.name not in names_in(loop)


@kept(1000)
def names_in(loop: Loop) -> frozenset[str]:
    """The names in the loop's text."""
    return frozenset(node.name for node in variables(loop.node))


def _from(pointer: Symbol, value: Pointer, place: Place) -> Place | None:
    """The place as one that the pointer leads to, whose value is given; None if that takes a cast."""
    start = value.place.path
    if start != place.path[: len(start)]:
        return None
    if not _is_alike(pointer.ctype, place, len(start)):
        return None
    if place.loose or place.flat is not None:
        whole = not start and value.offset == Affine()
        return replace(place, symbol=pointer, base=None) if whole else None
    path = place.path[len(start) :]
    if not path or not isinstance(path[0], Affine):
        return None
    lengths = place.lengths[len(start) :]
    moved = (path[0] - value.offset, *path[1:])
    return replace(place, symbol=pointer, base=None, path=moved, lengths=lengths)


def _is_alike(pointer: CType, place: Place, depth: int) -> bool:
    """Does the pointer lead to what lies so many subscripts deep in the place's object?"""
    target = place.symbol.ctype.decayed.target
    for _ in range(depth):
        target = target.target if target is not None and target.kind == "array" else None
    return target is not None and _plain(pointer.decayed.target) == _plain(target)


def _plain(ctype: CType | None) -> CType | None:
    """The type without `const`."""
    return replace(ctype, const=False, text=ctype.text.removeprefix("const ")) if ctype is not None else None
