"""Structures that are elements of arrays, as devices see them: of numbers, laid out as C does by itself."""

from __future__ import annotations

import re
from dataclasses import replace

from species.loops.model import Place, Reference
from species.sets.affine import Affine
from species.source import TranslationUnit
from species.symbols.types import BIT_FIELD, CType, TypeTable

_LAYOUT = re.compile(
    r"\b(?:__)?(?:packed|aligned|ms_struct|gcc_struct|scalar_storage_order)(?:__)?\b"
    r"|\b(?:_Alignas|alignas|pack)\b"
)


class Structures:
    """Answers for one file.  `laid_out`: it says itself how structures lie in memory, perhaps."""

    def __init__(self, unit: TranslationUnit, types: TypeTable) -> None:
        self._unit, self._types = unit, types
        self.laid_out = any(_LAYOUT.search(source.text) for source in unit.sources.values())

    def in_element(self, place: Place) -> bool:
        """Is it a part of an element of an array, of structures that mean the same on every device?"""
        count = rank(place)
        ctype: CType | None = place.symbol.ctype
        for _ in range(count):
            ctype = ctype.target if ctype is not None else None
        return count > 0 and ctype is not None and not self.laid_out and self._is_plain(ctype)

    def _is_plain(self, ctype: CType) -> bool:
        """Numbers, and arrays and structures of numbers."""
        if ctype.kind == "array" and ctype.target is not None:
            return self._is_plain(ctype.target)
        if ctype.kind != "struct":
            is_number = ctype.kind in ("int", "float") and ctype.text != BIT_FIELD
            return is_number and ctype.bits in (8, 16, 32, 64)
        members, node = self._types.members(ctype), self._types.definition(ctype)
        if node is None or not self._unit.is_user_file(self._unit.position(node.coord).file):
            return False  # who knows how a system header lays it out
        return bool(members) and all(map(self._is_plain, members))


def has_member(place: Place) -> bool:
    return any(isinstance(step, str) for step in place.path)


def rank(place: Place) -> int:
    """The subscripts of the array itself: those before any member."""
    return next((k for k, step in enumerate(place.path) if not isinstance(step, Affine)), len(place.path))


def as_whole(reference: Reference) -> Reference:
    """The reference as if it were to the whole element of which it is to a part."""
    place = reference.place
    if not has_member(place):
        return reference
    return replace(reference, place=replace(place, path=place.path[: rank(place)]))
