"""Tables of rows (`double **a`) that kernels use: their pointers, and what these lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from species.facts.loops import KernelArray, KernelTable
from species.loops.model import Reference
from species.symbols.symbols import Symbol


def is_row(symbol: Symbol) -> bool:
    """Does it stand for the rows that a table of pointers leads to?"""
    return symbol.is_rows or symbol.table is not None


def tables_in(references: list[Reference], arrays: Collection[Symbol]) -> tuple[Symbol, ...]:
    """The variables that are tables of rows; not where two of a name would be meant.

    `arrays` are those that the kernel gets: a table and its rows are both among them, and nothing else of
    their name is, say what another pointer out of the table leads to.
    """
    rows = Counter(symbol.name for symbol in {r.symbol for r in references if is_row(r.symbol)})
    pointers = dict.fromkeys(
        r.symbol for r in references if r.place.ctype.kind == "pointer" and not r.place.is_variable
    )
    names = Counter(symbol.name for symbol in pointers)
    given = Counter((symbol.name, symbol in pointers) for symbol in arrays)
    return tuple(
        s
        for s in pointers
        if rows[s.name] == names[s.name] == given[s.name, True] == given[s.name, False] == 1
    )


def is_of_table(reference: Reference, tables: Collection[Symbol]) -> bool:
    """Does it read a pointer of a table?"""
    is_pointer = reference.place.ctype.kind == "pointer" and not reference.place.is_variable
    return is_pointer and reference.symbol in tables and not reference.write


def kernel_table(arrays: Iterable[KernelArray], name: str) -> KernelTable:
    """What a kernel needs to know of the table `name`; KernelTable without rows where that is not known."""
    cells, table = sorted((a for a in arrays if a.name == name), key=lambda array: array.holds_pointers)
    found = table.reads or ()
    first, last = (found[0].low, found[0].high) if len(found) == 1 else ("", "")
    return KernelTable(name, cells.element, first, last, table.extent[0], cells.writes is not None)
