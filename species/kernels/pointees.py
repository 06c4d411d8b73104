"""Objects that a nest reaches through pointers which are set before it, `double *x = v->x;`.

The analysis sees through such pointers; a kernel gets them, as it gets arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from species.dependence.flow.private_copies import starting_name
from species.loops.model import Loop, Place, Pointer, Reference
from species.sets.affine import Affine
from species.sets.truths import has_choice
from species.symbols.symbols import Symbol
from species.symbols.types import CType

Object = tuple[Symbol, Any]  # and the value that led there


def by_pointers(
    references: Sequence[Reference], loop: Loop, symbols: Mapping[int, Symbol], kept: Iterable[Symbol]
) -> tuple[list[Reference], dict[Object, Symbol]]:
    """The references in terms of the pointers that the text names, and for which objects these stand.

    So where one pointer, which the loop does not move and which points to the start of an array, leads to all
    that is touched of an object.  The objects in `kept` have their own names.
    """
    grouped: dict[Object, list[Reference]] = {}
    for reference in references:
        if not reference.place.is_variable:
            grouped.setdefault((reference.symbol, reference.place.base), []).append(reference)
    moved = {r.symbol for r in references if r.write and r.place.is_variable} | set(kept)
    found: dict[int, Reference] = {}
    names: dict[Object, Symbol] = {}
    for thing, own in grouped.items():
        pointer = pointer_to(own, symbols, loop)
        if pointer is None or pointer is thing[0] or moved & {pointer, thing[0]}:
            continue
        if any(symbol is thing[0] and base != thing[1] for symbol, base in grouped):
            continue
        seen = [through(r, pointer, loop) for r in own]
        if None not in seen:
            found |= {id(r): new for r, new in zip(own, seen, strict=True) if new is not None}
            names[thing] = pointer
    if len(set(names.values())) < len(names):
        return list(references), {}
    return [found.get(id(r), r) for r in references], names


def extents_of(
    names: Mapping[Object, Symbol], loop: Loop, known: Mapping[Symbol, tuple[Affine | None, ...]]
) -> dict[Symbol, tuple[Affine | None, ...]]:
    """How many elements arrays have by pointers to their starts: as many as the objects they lead to."""
    found = {}
    for (symbol, _), pointer in names.items():
        value = loop.entry.get(pointer)
        if not isinstance(value, Pointer) or value.offset != Affine():
            continue
        is_start = not any(step != Affine() for step in value.place.subscripts)
        if is_start and symbol in known and pointer not in known and _rank(pointer) == 1:
            found[pointer] = known[symbol]
    return found


def pointer_to(references: Sequence[Reference], symbols: Mapping[int, Symbol], loop: Loop) -> Symbol | None:
    """The variable that all of them start from."""
    found = {starting_name(r, symbols, loop) for r in references}
    return found.pop() if len(found) == 1 else None


def through(reference: Reference, pointer: Symbol, loop: Loop) -> Reference | None:
    """The reference as an element of the array that the pointer points to; None if it is none."""
    value, place = loop.entry.get(pointer), reference.place
    if (
        not isinstance(value, Pointer)
        or not (value.offset == Affine() or has_choice(value.offset))
        or value.reach == "cell"
        or not loop.sees(pointer)
    ):
        return None
    start = value.place
    if place.loose or place.flat is not None or start.loose or pointer.address_taken:
        return None
    if (start.symbol, start.base) != (place.symbol, place.base) or place.path[
        : len(start.path)
    ] != start.path:
        return None
    rest = place.path[len(start.path) :]
    first, *steps = [step for step in rest if isinstance(step, Affine)] or [Affine()]
    path = (first - value.offset, *steps)
    if len(path) != len(rest) or len(path) != _rank(pointer):
        return None
    if pointer.ctype.target is None or _plain(pointer.ctype.target.element) != _plain(place.ctype.element):
        return None
    return replace(
        reference, place=Place(pointer, path, None, place.ctype, lengths=place.lengths[1 - len(path) :])
    )


def _plain(ctype: CType) -> str:
    return ctype.text.removeprefix("const ")


def _rank(pointer: Symbol) -> int:
    """How many subscripts lead from a pointer to what is no array."""
    rank, target = 1, pointer.ctype.target
    while target is not None and target.kind == "array":
        rank, target = rank + 1, target.target
    return rank
