"""Numbers in memory of another type, by their bytes: `(float *)(image->base + y * image->pitch)`.

A number covers its bytes, of which any one stands for it: two numbers that overlap have one in common.  All
of an object's references become such ones, or none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from species.loops.expressions import byte_size
from species.loops.model import Place, Reference
from species.sets.affine import Affine, Value
from species.sets.conditions import Both, Compare, Fact
from species.symbols.symbols import Symbol
from species.symbols.types import WIDEST

_Object = tuple[Symbol, Value | None]


def by_bytes(references: list[Reference]) -> list[Reference]:
    """The references, those to objects that are used as memory of several types by a byte that they touch."""
    seen = {_object(r.place) for r in references if r.place.byte is not None}
    lost = {_object(r.place) for r in references if _object(r.place) in seen and _byte(r.place) is None}
    return [_touching(r) if _object(r.place) in seen - lost else r for r in references]


def as_written(references: Iterable[Reference]) -> list[Reference]:
    """The same references as the program has them."""
    return [
        replace(r, place=replace(r.place, path=(), loose=True)) if r.place.byte is not None else r
        for r in references
    ]


def _object(place: Place) -> _Object:
    return place.symbol, place.base


def _byte(place: Place) -> Affine | None:
    """The number of the first byte of a place."""
    size = byte_size(place.ctype)
    if place.symbol.storage != "memory" and place.symbol.ctype.kind != "pointer":
        return None  # a variable, of which threads may need copies
    if place.byte is not None or size is None or place.loose or place.flat is not None:
        return place.byte
    step = place.path[0] if len(place.path) == 1 else None
    return step.scaled(size) if isinstance(step, Affine) else None


def _touching(reference: Reference) -> Reference:
    place, first, size = reference.place, _byte(reference.place), byte_size(reference.place.ctype)
    assert first is not None and size is not None
    byte = Value(("byte", place), frozenset(reference.loops), "byte", WIDEST, "not affine")
    within = Both((Compare(Affine.of(byte)), Compare(-Affine.of(byte) + (size - 1))))
    touched = replace(place, path=(first + Affine.of(byte),), loose=False, byte=first)
    return replace(reference, place=touched, conditions=(*reference.conditions, Fact((within,), byte)))
