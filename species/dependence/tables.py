"""Rows that the pointers of a table lead to: `double **a` is a two-dimensional array if its rows are apart.

Whether they are nobody knows before the program runs (where it is known, see `species.loops.rows`), so that
a loop over them is parallel on the condition that no row overlaps with another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from species.dependence.aliases import Relation, came_from, is_constant, relation
from species.loops.affine import Affine, Value
from species.loops.nest import Loop, Place, Pointer, Reference, inner_loops
from species.loops.origins import Origins
from species.loops.symbols import Symbol
from species.loops.types import CHAR, CType

Table = tuple[Symbol, Value | None]  # the variable, and the value that it has


class Tables:
    """The tables of one function, each with a symbol for all its rows."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._rows: dict[Table, Symbol] = {}

    def as_arrays(self, loop: Loop, references: list[Reference]) -> list[Reference]:
        """The references of a loop, those to rows of a table that it walks over as to an array's elements."""
        inside = inner_loops(loop)
        leading = {id(r): owner for r in references if (owner := _leads(r.place, loop, inside)) is not None}
        walked = {_table(leading[id(r)]) for r in references if id(r) in leading and _moves(r.place, inside)}
        tables = {table for table in walked if _is_still(table, inside, references, loop)}
        found = ((r, leading.get(id(r))) for r in references)
        return [
            r if owner is None or _table(owner) not in tables else self._in_array(r, owner, loop)
            for r, owner in found
        ]

    def _in_array(self, reference: Reference, owner: Place, loop: Loop) -> Reference:
        symbol, value = table = _table(owner)
        if table not in self._rows:
            ctype = CType("array", symbol.ctype.text, target=symbol.ctype.target)
            self._rows[table] = Symbol(symbol.name, ctype, "memory", table=Place(symbol, (), value))
        row = tuple(self._origins.before(s, loop.number) for s in owner.subscripts)
        place = reference.place
        return replace(
            reference, place=replace(place, symbol=self._rows[table], path=(*row, *place.path), base=None)
        )


def _leads(place: Place, loop: Loop, inside: frozenset[int]) -> Place | None:
    """The pointer `a[i]`, out of a table of such, that a place is reached through while the loop runs."""
    owner = came_from(place) if place.symbol.storage == "memory" else None
    if owner is None or place.loose or owner.loose or is_constant(owner):
        return None
    steps = (*owner.path, *place.path)
    if len(owner.path) != 1 or len(place.path) != 1 or not all(isinstance(s, Affine) for s in steps):
        return None
    row = owner.symbol.ctype.target
    if row is None or row.kind != "pointer" or row.target is None or row.restrict:
        return None
    cell = (
        place.symbol.ctype.target if place.ctype.bits == CHAR.bits else place.ctype
    )  # bytes that are copied
    if not row.target.is_number or cell is None or not _alike(row.target, cell):
        return None
    return owner if _moves(place, inside) or _points_there(loop.entry.get(owner), place) else None


def _alike(one: CType, other: CType) -> bool:
    return one.text.removeprefix("const ") == other.text.removeprefix("const ")


def _points_there(value: object, place: Place) -> bool:
    """Is it a pointer to the start of the row, still?"""
    start = Place(place.symbol, (), place.base)
    return isinstance(value, Pointer) and value.place == start and value.offset == Affine()


def _table(owner: Place) -> Table:
    return owner.symbol, owner.base


def _moves(place: Place, inside: frozenset[int]) -> bool:
    return place.base is not None and bool(place.base.loops & inside)


def _is_still(table: Table, inside: frozenset[int], references: Sequence[Reference], loop: Loop) -> bool:
    """Is it one table in the whole loop, and does nothing there write its pointers?"""
    symbol, value = table
    if value is not None and value.loops & inside:
        return False
    cell = Place(symbol, (Affine(),), value, symbol.ctype.target or symbol.ctype)
    return all(relation(r.place, cell, loop) is Relation.NONE for r in references if r.write)
