"""What is asked of tables of rows, and of tables of such tables, before a loop: see `species.row_tests`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loops import MEMBERS_APART, PLANES_APART, ROWS_APART
from species.grammar.nodes import Range
from species.kernels.row_lengths import jagged
from species.loops.model import FunctionModel, Place, Reference, inner_loops
from species.regions.entry_names import EntryNames
from species.regions.hull import Region, Regions
from species.row_tests import ARGUMENTS


@dataclass(frozen=True)
class Rows:
    """What the functions that test rows are given of a table; with a `plane`, of tables in a table.

    `size` is the size of a cell; empty: it is no table, but the memory itself, in bytes.  `stride` is that of
    the table's elements where the pointers are in a member of these, `lengths` where each row's is (see
    `species.kernels.row_lengths`).
    """

    table: str
    rows: str
    size: str = ""
    plane: str = ""
    stride: str = ""
    lengths: str = "0, 0, 0, 0"

    def text(self, function: str) -> str:
        """The arguments of one of the functions."""
        if function == ROWS_APART:
            return f"{self.table}, {self.rows}, {self.size or 0}"
        if function == MEMBERS_APART:
            return f"{self.table}, {self.stride or 0}, {self.lengths}, {self.rows}, {self.size or 0}"
        size = self.size if self.plane else f"-(long){self.size}" if self.size else "0"
        return f"{self.table}, {self.plane or '0, 0'}, {self.rows}, {size}"


def of_memory(start: str, end: str) -> Rows:
    """Memory that no table leads to, between two addresses, as one row."""
    return Rows(f"(void *)({start})", f"0, 0, 0, {end}-({start})-1")


def apart(found: Sequence[Rows]) -> str | None:
    """That no two rows of a table overlap, or none of one with one of the other, as C; None: no test can."""
    planes = any(each.plane for each in found)
    members = any(each.stride or each.lengths != Rows.lengths for each in found)
    if planes and members:
        return None
    function = PLANES_APART if planes else MEMBERS_APART if members else ROWS_APART
    arguments = [each.text(function) for each in found]
    arguments += [", ".join(["0"] * ARGUMENTS[function])] if len(found) == 1 else []
    return f"{function}({', '.join(arguments)})"


def of_table(
    model: FunctionModel, judge: Judge, judgement: Judgement, reference: Reference, names: EntryNames
) -> Rows | None:
    """The rows of the table that leads to a reference, and the cells in them; None: they cannot be told."""
    if model.open_ended:
        return None  # a structure may end behind its last member
    table: Place = reference.symbol.table
    outer: Place | None = table.symbol.table
    name = names.table(outer or table)
    among, inside = judge.references(judgement.loop), inner_loops(judgement.loop)
    own = [_whole(r, 3 if outer else 2) for r in among if r.symbol is reference.symbol]
    regions = Regions(model, judgement.loop, names, judgement.provided)
    region = regions.hull(own)
    ranges = _rows_and_cells(regions, region, own, among, inside) if region else ()
    each = jagged(regions, inside, own) if not ranges and not outer else None
    ranges = (each.rows, each.cells) if each is not None else ranges
    if name is None or len(ranges) != (3 if outer else 2):
        return None
    *planes, rows, cells = (f"{pair.low}, {pair.high}" for pair in ranges)
    size = f"sizeof(**{'*' if outer else ''}{enclosed(name)})"
    found = Rows(name, f"{rows}, {cells}", size, "".join(planes))
    runs = f"{enclosed(ranges[0].low)} <= {ranges[0].high}"
    if reference.symbol.held_in:
        pointer = f"{enclosed(name)}->{'.'.join(reference.symbol.held_in)}"
        start, stride = f"({runs} ? &{pointer} : 0)", f"sizeof(*{enclosed(name)})"
        found = replace(found, table=start, size=f"sizeof(*{pointer})", stride=stride)
    if each is None:
        return found
    lengths = each.text(names, runs)
    return replace(found, lengths=lengths) if lengths is not None else None


def _rows_and_cells(
    regions: Regions,
    region: Region,
    own: Sequence[Reference],
    among: Sequence[Reference],
    inside: frozenset[int],
) -> tuple[Range, ...]:
    """The rows whose pointers the loop reads for certain, and of these the cells, rather too many.

    Nothing where pointers might be looked at that are none, or followed that the loop does not follow.
    """
    table = own[0].symbol.table
    levels = 2 if table.symbol.table else 1
    entered = regions.where_entered(region, own) if region.exact and levels == 1 else ()
    if entered:
        return entered
    around = len(table.path)
    reads = [r for r in among if r.symbol is table.symbol and r.place.base == table.base]
    reads = [r for r in reads if r.place.path[:around] == table.path and not r.place.loose]
    member = own[0].symbol.held_in
    reads = [r for r in reads if r.place.path[around + levels :] == member and regions.is_certain(r)]
    reads = [replace(r, place=replace(r.place, path=r.place.path[around : around + levels])) for r in reads]
    read = regions.hull(reads) if reads else None
    if read is None or not read.exact or read.ranges != region.ranges[:levels]:
        return ()
    if levels > 1 and not read.covered:
        return ()
    return (*regions.where_entered(read, reads), *region.ranges[levels:])


def _whole(reference: Reference, subscripts: int) -> Reference:
    """A reference as to the whole structure of which it is to a member."""
    place = reference.place
    return replace(reference, place=replace(place, path=place.path[:subscripts]))


def enclosed(text: str) -> str:
    """A text as an operand of a sign or a cast."""
    return text if re.fullmatch(r"\w+|\((?:[^()]|\([^()]*\))*\)", text) else f"({text})"
