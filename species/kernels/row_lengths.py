"""Rows that each have a length of their own: `for (i = 0; i < d[k].n; i++) d[k].v[i]`.

The tests of rows are given where the lengths stand, and read that of each row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from species.dependence.tables import steps_of
from species.grammar.nodes import Range
from species.loops.model import Place, Reference
from species.regions.c_printer import operand
from species.regions.entry_names import EntryNames
from species.regions.hull import Region, Regions
from species.sets.affine import Affine, Atom, Counter, Value
from species.sets.conditions import Compare, Condition, atoms, rewritten
from species.symbols.types import LONG, CType

NESTED = 8  # times is a cell used, at least, that loops inside use
_NAME = "cuvier_length"
_LENGTH = Affine.of(Value(("iterator", -2), frozenset(), _NAME, LONG))


@dataclass(frozen=True)
class Lengths:
    """Numbers in the elements of a `table`, or in a member of these, one for each row."""

    table: Place
    member: tuple[str, ...]
    ctype: CType


@dataclass(frozen=True)
class Jagged:
    """Rows, and in each the cells from the first to one so far behind its length, each used `work` times."""

    rows: Range
    cells: Range
    lengths: Lengths
    work: int

    def text(self, names: EntryNames, runs: str) -> str | None:
        """The arguments of `MEMBERS_APART`: where the first length is if something `runs`, how far they are
        apart, their size, which is negative with a sign, and the work.
        """
        name = names.table(self.lengths.table)
        if name is None:
            return None
        member, ctype = ".".join(self.lengths.member), self.lengths.ctype
        first = f"&{operand(name)}->{member}" if member else name
        size = ctype.bits // 8 * (1 if ctype.unsigned else -1)
        return f"({runs} ? {first} : 0), sizeof(*{operand(name)}), {size}, {self.work}"


def jagged(regions: Regions, inside: frozenset[int], own: Sequence[Reference]) -> Jagged | None:
    """What references touch of rows; None where no number of the row alone says how far that goes.

    The length of all of them is read, and those that have cells are reached: for certain, where the pointers
    are not in the same elements as the lengths.
    """
    cut = [found for reference in own if (found := _Cut.of(reference, inside))]
    known = {each.lengths for each in cut}
    if len(cut) < len(own) or len(known) != 1:
        return None
    table, lengths = own[0].symbol.table, known.pop()
    beside = lengths.table == table
    counting = regions.assuming() if beside else regions
    if not all(counting.is_certain(each.cells) for each in cut):
        return None
    rows = _common(regions, [each.row for each in cut])
    cells = _common(counting, [each.cells for each in cut], by_one=not beside)
    if rows is None or cells is None or _NAME in f"{rows} {cells.low}":
        return None
    entered = regions.where_entered(Region((rows,), exact=True, covered=False), [each.row for each in cut])
    high = re.fullmatch(rf"{_NAME}([+-].*)?", cells.high)
    if high is None or not entered:
        return None
    behind = (high[1] or "0").removeprefix("+")
    counted = {number for each in cut for number in {*each.cells.loops} - {*each.row.loops}}
    work = NESTED if any(regions.model.numbered[number].children for number in counted) else 1
    return Jagged(entered[0], Range(cells.low, behind), lengths, work)


def _common(regions: Regions, references: Sequence[Reference], by_one: bool = True) -> Range | None:
    """What all the references touch; with `by_one`, if one of them alone touches as much."""
    whole = regions.hull(references)
    if whole is None or not whole.exact:
        return None
    alone = (regions.hull([reference]) for reference in references)
    one = not by_one or any(each is not None and each.ranges == whole.ranges for each in alone)
    return whole.ranges[0] if one else None


@dataclass(frozen=True)
class _Cut:
    """A reference to a row as one to the row, wherever that has cells, and one to the cells, in terms of the
    length.
    """

    row: Reference
    cells: Reference
    lengths: Lengths

    @staticmethod
    def of(reference: Reference, inside: frozenset[int]) -> _Cut | None:
        if len(reference.place.subscripts) != 2 or reference.place.loose:
            return None
        row, cell = reference.place.subscripts
        moving = [_moving(condition, inside) for condition in reference.conditions]
        values = {atom for each in moving for atom in each if isinstance(atom, Value)}
        length = values.pop() if len(values) == 1 else None
        lengths = _lengths(length, row, inside) if length is not None else None
        if length is None or lengths is None:
            return None
        beside = {atom for each in moving if length in each for atom in each} - {length}
        own = beside | {length}
        together = [c for c, each in zip(reference.conditions, moving, strict=True) if each & own]
        plain = all(isinstance(c, Compare) and _moving(c, inside) <= own for c in together)
        moved = {atom for atom in cell.atoms() if atom.loops & inside}
        if len(beside) != 1 or not plain or own.intersection(row.atoms()) or not moved <= own:
            return None
        return _cut(reference, length, own, lengths)


def _cut(reference: Reference, length: Value, own: set[Atom], lengths: Lengths) -> _Cut:
    def named(value: Affine) -> Affine:
        return value.substitute(lambda atom: _LENGTH if atom == length else None)

    row, cell = reference.place.subscripts
    kept = tuple(c for c in reference.conditions if own.isdisjoint(atoms(c)))
    counted = {atom.loop for atom in own if isinstance(atom, Counter)}
    return _Cut(
        replace(
            reference,
            place=replace(reference.place, path=(row,)),
            conditions=kept,
            loops=tuple(number for number in reference.loops if number not in counted),
        ),
        replace(
            reference,
            place=replace(reference.place, path=(named(cell),)),
            conditions=tuple(rewritten(c, named) for c in reference.conditions),
        ),
        lengths,
    )


def _moving(condition: Condition, inside: frozenset[int]) -> frozenset[Atom]:
    return frozenset(atom for atom in atoms(condition) if atom.loops & inside)


def _lengths(length: Value, row: Affine, inside: frozenset[int]) -> Lengths | None:
    """Where a value is read, if that is as it was before the loop, and the row's number in a table."""
    where = length.key[2] if length.key[0] == "entry" and length.key[1] not in inside else None
    if not isinstance(where, Place) or where.loose or where.byte is not None or where.flat is not None:
        return None
    around, number, member = steps_of(where)
    still = not any(isinstance(step, Affine) and step.loops & inside for step in around)
    if number != row or not still or (where.base is not None and where.base.loops & inside):
        return None
    if not length.ctype.is_integer or length.ctype.bits not in (32, 64) or where.ctype != length.ctype:
        return None
    return Lengths(Place(where.symbol, around, where.base), member, length.ctype)
