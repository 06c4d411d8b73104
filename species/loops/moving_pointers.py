"""Pointers that an outer loop moves, as an inner loop sees them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from species.loops.induction import resolved
from species.loops.model import Loop, Place, Pointer, Reference
from species.loops.origins import Origins
from species.sets.affine import Affine
from species.sets.conditions import Compare, Condition, rewritten
from species.sets.domains import implied


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


def with_origins(loop: Loop, references: Iterable[Reference], origins: Origins) -> list[Reference]:
    """The references where no write in the loop happens to change what subscripts and conditions read."""

    @cache
    def before(expression: Affine) -> Affine:
        return origins.before(expression, loop.number)

    @cache  # most references have their conditions in common
    def conditions_before(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(rewritten(c, before) for c in conditions)

    def moved(reference: Reference) -> Reference:
        place = origins.place_before(reference.place, loop.number)
        path = tuple(before(s) if isinstance(s, Affine) else s for s in place.path)
        flat = before(place.flat) if place.flat is not None else None
        byte = before(place.byte) if place.byte is not None else None
        conditions = conditions_before(reference.conditions)
        same = place is reference.place and (path, flat, byte) == (place.path, place.flat, place.byte)
        if same and conditions == reference.conditions:
            return reference
        return replace(
            reference, place=replace(place, path=path, flat=flat, byte=byte), conditions=conditions
        )

    return [moved(reference) for reference in references]


def seen_from(loop: Loop, reference: Reference) -> Reference:
    """The reference with subscripts that count from where its pointer is when the loop begins."""
    place = reference.place
    offset = offset_on_entry(loop, place)
    if offset is None:
        return reference
    offset = resolved(offset, reference.conditions)
    if place.byte is not None:
        return replace(reference, place=replace(place, byte=None))
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
