"""Null pointers: what tests of optional arguments, `if (out != NULL) *out = x`, find in a call's own case."""

from __future__ import annotations

from species.loops.environment import Known
from species.loops.model import Place, Pointer
from species.sets.affine import Affine, constant
from species.sets.conditions import FALSE, TRUE, Condition
from species.symbols.symbols import Symbol
from species.symbols.types import UNKNOWN, CType

_NOWHERE = Symbol("NULL", UNKNOWN, "memory")
_OWN = ("local", "parameter", "static", "global")


def null_pointer(target: CType | None) -> Pointer:
    return Pointer(Place(_NOWHERE, (), None, target or UNKNOWN), Affine(), target or UNKNOWN)


def is_null(value: Known) -> bool:
    """Is it certain to be a null pointer?"""
    return isinstance(value, Pointer) and value.place.symbol is _NOWHERE and value.offset == constant(0)


def is_zero(value: Known, ctype: CType) -> bool:
    """Does it compare with pointers as a null pointer?"""
    return is_null(value) or (ctype.is_integer and value == constant(0))


def is_nowhere(place: Place) -> bool:
    """Does it lie where a null pointer leads to?  No correct program gets there."""
    return place.symbol is _NOWHERE


def points_somewhere(value: Known) -> Condition | None:
    """Whether a pointer is no null pointer, where that is certain: the addresses of variables never are."""
    if is_null(value):
        return FALSE
    if not isinstance(value, Pointer) or value.place.base is not None:
        return None
    symbol = value.place.symbol
    named = symbol.storage in _OWN and not (symbol.is_rows or symbol.table or symbol.replaceable)
    return TRUE if named and not symbol.peculiar else None
