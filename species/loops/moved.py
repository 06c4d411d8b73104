"""Pointers that an outer loop moves, as an inner loop sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from species.loops.affine import Affine, Value
from species.loops.conditions import Compare, Condition, with_values
from species.loops.domains import implied
from species.loops.induction import resolved
from species.loops.nest import Loop, Place, Pointer, Reference


def offset_on_entry(loop: Loop, place: Place) -> Affine | None:
    """How far the pointer that gives a place its name has been moved when the loop begins; None: not at all.

    Subscripts count from where the pointer was before it was moved.
    """
    if place.base is None or place.is_variable:
        return None
    now = loop.entry.get(place.symbol)
    if not isinstance(now, Pointer) or now.place != Place(place.symbol, (), place.base):
        return None
    return now.offset if now.offset != Affine() else None


def as_assumed(loops: Iterable[Loop], reference: Reference) -> Reference:
    """The reference where loops, innermost first, leave in memory what their conditions read."""
    for loop in loops:
        if loop.assumed and loop.number in reference.loops:
            reference = replace(
                reference,
                place=_with_values(reference.place, loop.kept),
                conditions=tuple(with_values(c, loop.kept) for c in reference.conditions),
            )
    return reference


def _with_values(place: Place, values: Mapping[Value, Affine]) -> Place:
    path = tuple(s.with_values(values) if isinstance(s, Affine) else s for s in place.path)
    flat = place.flat.with_values(values) if place.flat is not None else None
    return place if (path, flat) == (place.path, place.flat) else replace(place, path=path, flat=flat)


def seen_from(loop: Loop, reference: Reference) -> Reference:
    """The reference with subscripts that count from where its pointer is when the loop begins."""
    place = reference.place
    offset = offset_on_entry(loop, place)
    if offset is None:
        return reference
    offset = resolved(offset, reference.conditions)
    if not place.path or not isinstance(place.path[0], Affine):
        return reference
    found = replace(place, path=(place.path[0] - offset, *place.path[1:]))
    if place.flat is not None:
        found = replace(found, flat=replace(found, loose=False).linear)
    return replace(reference, place=found)


def in_rows(reference: Reference, provided: Iterable[Condition]) -> Reference:
    """The reference as an element of its row, if it is one wherever the conditions hold."""
    place = reference.place
    if place.flat is None or len(place.subscripts) != len(place.lengths) + 1:
        return reference
    facts, (last, length) = (*reference.conditions, *provided), (place.subscripts[-1], place.lengths[-1])
    stays = implied(Compare(last), facts) and implied(Compare(length - 1 - last), facts)
    return replace(reference, place=replace(place, loose=False, flat=None)) if stays else reference
