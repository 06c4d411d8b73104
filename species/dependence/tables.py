"""Rows that the pointers of a table lead to: `double **a` is a two-dimensional array if its rows are apart.

Whether they are, only the run tells, except where `species.loops.rows` knows it: so
that a loop over them is parallel on the condition that no row overlaps with another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from species.dependence.aliases import Relation, came_from, is_constant, relation
from species.loops.model import Loop, PathStep, Place, Pointer, Reference, inner_loops
from species.loops.origins import Origins
from species.loops.pointees import holds_own
from species.sets.affine import Affine
from species.symbols.symbols import Symbol
from species.symbols.types import CHAR, CType


@dataclass(frozen=True)
class _Cell:
    """A place as an element of an array: behind the pointers of a table, or of tables in a table.

    `table` is the object, or the array in one (`image->plane`), whose elements are the pointers, or hold
    them in a member, which is `array.held_in`.
    """

    table: Place
    array: Symbol
    path: tuple[PathStep, ...]


class Tables:
    """The tables of one function, each with a symbol for all its rows."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._rows: dict[tuple[Place, tuple[str, ...]], Symbol] = {}

    def as_arrays(self, loop: Loop, references: list[Reference]) -> list[Reference]:
        """The references of a loop, those to rows of a table that it walks over as to an array's elements."""
        inside = inner_loops(loop)
        found = [self._cell(r.place, loop, inside, references) for r in references]
        pairs = list(zip(references, found, strict=True))
        walked = {cell.array for r, cell in pairs if cell and _moves(r.place, inside) and _is_cell(r)}
        nested = {cell.table for r, cell in pairs if cell and cell.array.table.symbol.table and _is_cell(r)}
        return [
            replace(r, place=replace(r.place, symbol=cell.array, path=cell.path, base=None))
            if cell is not None and (cell.array in walked if _is_cell(r) else cell.table in nested)
            else r
            for r, cell in pairs
        ]

    def _cell(
        self, place: Place, loop: Loop, inside: frozenset[int], references: list[Reference]
    ) -> _Cell | None:
        owner = _leads(place, loop, inside)
        if owner is None:
            return None
        around, row, member = steps_of(owner)
        around = tuple(self._before(step, loop) for step in around)
        table, row = Place(owner.symbol, around, owner.base), self._before(row, loop)
        if not _is_still(replace(owner, path=(*around, row, *member)), references, loop):
            return None
        if table.base is None or not table.base.loops & inside:
            pointer = owner.ctype if around or member else owner.symbol.ctype.target
            return _Cell(table, self._array(table, pointer, member), (row, *place.path))
        outer = self._cell(owner, loop, inside, references) if not around and not member else None
        if outer is None or outer.array.table.symbol.table:
            return None
        array = self._array(Place(outer.array), outer.array.ctype.target)
        return _Cell(outer.table, array, (*outer.path, *place.path))

    def _before(self, step: PathStep, loop: Loop) -> PathStep:
        return self._origins.before(step, loop.number) if isinstance(step, Affine) else step

    def _array(self, table: Place, row: CType | None, member: tuple[str, ...] = ()) -> Symbol:
        """What stands for all rows of a table, or of the tables in it, to which pointers of a type lead."""
        key = table, member
        if key not in self._rows:
            symbol = table.symbol
            ctype = CType("array", symbol.ctype.text, target=row)
            members = "".join(f".{step}" for step in table.path if isinstance(step, str))
            if members and table.base is not None:
                members = f"->{members[1:]}"
            name = symbol.name + members + "".join(f".{step}" for step in member)
            self._rows[key] = Symbol(name, ctype, "memory", table=table, held_in=member)
        return self._rows[key]


def tables_of(rows: Symbol) -> Iterator[Place]:
    """The tables that lead to rows: that of their pointers, and the one that leads there."""
    while rows.table is not None:
        yield rows.table
        rows = rows.table.symbol


def _is_cell(reference: Reference) -> bool:
    """Is it no pointer of a table?"""
    place = reference.place
    return place.ctype.kind != "pointer" or any(isinstance(step, str) for step in place.path)


def _leads(place: Place, loop: Loop, inside: frozenset[int]) -> Place | None:
    """The pointer `a[i]`, out of a table of such, that a place is reached through while the loop runs."""
    owner = came_from(place) if place.symbol.storage == "memory" else None
    if owner is None or place.loose or owner.loose or is_constant(owner):
        return None
    around, number, member = steps_of(owner)
    if not isinstance(number, Affine) or not place.path or not isinstance(place.path[0], Affine):
        return None
    if any(isinstance(s, Affine) and s.loops & inside for s in around) or (member and holds_own(owner)):
        return None
    row = owner.ctype if around or member else owner.symbol.ctype.target
    if row is None or row.kind != "pointer" or row.target is None or row.restrict:
        return None
    if not _is_in_row(place, row.target):
        return None
    return owner if _moves(place, inside) or _points_there(loop.entry.get(owner), place) else None


def steps_of(owner: Place) -> tuple[tuple[PathStep, ...], PathStep, tuple[str, ...]]:
    """The way to a table's pointer: to the table, the number of its element, and the member that it is."""
    numbers = [k for k, step in enumerate(owner.path) if isinstance(step, Affine)]
    if not numbers:
        return (), "", ()
    last = numbers[-1]
    member = tuple(step for step in owner.path[last + 1 :] if isinstance(step, str))
    return owner.path[:last], owner.path[last], member


def _is_in_row(place: Place, cell: CType) -> bool:
    """Is it a cell of a row of such cells, or a member of one, and nothing of another type?"""
    if cell.kind == "struct":
        found: CType | None = place.symbol.ctype.target
        whole = len(place.path) > 1 and place.byte is None and place.flat is None
        return whole and found is not None and _alike(cell, found)
    is_bytes = place.ctype.bits == CHAR.bits  # that are copied
    found = place.symbol.ctype.target if is_bytes else place.ctype
    plain = cell.is_number or cell.kind == "pointer"
    return len(place.path) == 1 and plain and found is not None and _alike(cell, found)


def _alike(one: CType, other: CType) -> bool:
    return one.text.removeprefix("const ") == other.text.removeprefix("const ")


def _points_there(value: object, place: Place) -> bool:
    """Is it a pointer to the start of the row, still?"""
    start = Place(place.symbol, (), place.base)
    return isinstance(value, Pointer) and value.place == start and value.offset == Affine()


def _moves(place: Place, inside: frozenset[int]) -> bool:
    return place.base is not None and bool(place.base.loops & inside)


def _is_still(cell: Place, references: Sequence[Reference], loop: Loop) -> bool:
    """Does nothing in the loop write the table's pointers, of which `cell` is one, by its name?  (Bytes that
    may be written there are asked about, as all that may be the same memory is.)
    """
    written = (r.place for r in references if r.write)
    apart = (Relation.NONE, Relation.MAY)
    return all(relation(p, cell, loop) in apart or _in_other_member(p, cell) for p in written)


def _in_other_member(one: Place, other: Place) -> bool:
    """Are two places of one object in different members of a structure?"""
    if one.symbol is not other.symbol or one.base != other.base or one.loose or other.loose:
        return False
    steps = zip(one.path, other.path, strict=False)
    different = ((a, b) for a, b in steps if a != b and (isinstance(a, str) or isinstance(b, str)))
    return all(isinstance(step, str) for step in next(different, (None,)))
