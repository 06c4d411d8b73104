"""Rows that the pointers of a table lead to: `double **a` is a two-dimensional array if its rows are apart.

Whether they are nobody knows before the program runs (where it is known, see `species.loops.rows`), so that
a loop over them is parallel on the condition that no row overlaps with another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from species.dependence.aliases import Relation, came_from, is_constant, relation
from species.loops.affine import Affine, Value
from species.loops.nest import Loop, PathStep, Place, Pointer, Reference, inner_loops
from species.loops.origins import Origins
from species.loops.symbols import Symbol
from species.loops.types import CHAR, CType

Table = tuple[Symbol, Value | None]  # the variable, and the value that it has


@dataclass(frozen=True)
class _Cell:
    """A place as an element of an array: behind the pointers of a table, or of tables in a table."""

    table: Table
    array: Symbol
    path: tuple[PathStep, ...]


class Tables:
    """The tables of one function, each with a symbol for all its rows."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._rows: dict[Table, Symbol] = {}

    def as_arrays(self, loop: Loop, references: list[Reference]) -> list[Reference]:
        """The references of a loop, those to rows of a table that it walks over as to an array's elements."""
        inside = inner_loops(loop)
        found = [self._cell(r.place, loop, inside, references) for r in references]
        pairs = list(zip(references, found, strict=True))
        walked = {cell.table for r, cell in pairs if cell and _moves(r.place, inside) and _is_number(r)}
        nested = {cell.table for r, cell in pairs if cell and cell.array.table.symbol.table and _is_number(r)}
        return [
            replace(r, place=replace(r.place, symbol=cell.array, path=cell.path, base=None))
            if cell is not None and cell.table in (walked if _is_number(r) else nested)
            else r
            for r, cell in pairs
        ]

    def _cell(
        self, place: Place, loop: Loop, inside: frozenset[int], references: list[Reference]
    ) -> _Cell | None:
        owner = _leads(place, loop, inside)
        if owner is None:
            return None
        row = tuple(self._origins.before(s, loop.number) for s in owner.subscripts)
        table = _table(owner)
        if table[1] is None or not table[1].loops & inside:
            return (
                _Cell(table, self._array(table), (*row, *place.path))
                if _is_still(table, references, loop)
                else None
            )
        outer = self._cell(owner, loop, inside, references)
        if outer is None or outer.array.table.symbol.table or not _is_still(table, references, loop):
            return None
        return _Cell(outer.table, self._array((outer.array, None)), (*outer.path, *place.path))

    def _array(self, table: Table) -> Symbol:
        """What stands for all rows of a table, or of the tables in it."""
        if table not in self._rows:
            symbol, value = table
            ctype = CType("array", symbol.ctype.text, target=symbol.ctype.target)
            self._rows[table] = Symbol(symbol.name, ctype, "memory", table=Place(symbol, (), value))
        return self._rows[table]


def tables_of(rows: Symbol) -> Iterator[Place]:
    """The tables that lead to rows: that of their pointers, and the one that leads there."""
    while rows.table is not None:
        yield rows.table
        rows = rows.table.symbol


def _is_number(reference: Reference) -> bool:
    return reference.place.ctype.kind != "pointer"


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
    if (
        cell is None
        or not (row.target.is_number or row.target.kind == "pointer")
        or not _alike(row.target, cell)
    ):
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


def _is_still(table: Table, references: Sequence[Reference], loop: Loop) -> bool:
    """Does nothing in the loop write the table's pointers?"""
    symbol, value = table
    cell = Place(symbol, (Affine(),), value, symbol.ctype.target or symbol.ctype)
    return all(relation(r.place, cell, loop) is Relation.NONE for r in references if r.write)
