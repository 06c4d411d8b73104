"""The planned copies of a file as pragmas for a person to read and to edit (`by_hand` reads them)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import CParser, c_ast, c_generator
from pycparser.c_parser import ParseError

from species.core.positions import Span
from species.grammar.errors import SpeciesSyntaxError
from species.grammar.nodes import Range
from species.grammar.parser import parse_pragma
from species.grammar.pragmas import Copy, CopyPragma, SyncPragma
from species.grammar.printer import print_pragma
from species.source.text.edits import Edit
from transfers.plan.accesses import Touch
from transfers.plan.prefetch import Ahead
from transfers.plan.program import HostProgram
from transfers.plan.user_pragmas import Written, written_in


def pragmas(program: HostProgram, copies: list[Ahead]) -> Iterator[Edit]:
    """Lines that begin the copies, and that wait for them; numbers go on behind those that are there.

    Copies of memory that has no bounds in the file are left out, and those that are asked for already.
    """
    written = written_in(program)
    numbers = [w.pragma.deadline for w in written if isinstance(w.pragma, SyncPragma)]
    groups: dict[tuple[int, int], list[Copy]] = {}
    for one in copies:
        places = [program.span(node) for node in (one.first, one.reader)]
        copy = _copy(one.touch)
        if copy is not None and None not in places:
            begin, end = (program.pragmas.place(span.start).start for span in places if span is not None)
            if not _is_there(copy, begin, end, written):
                groups.setdefault((begin, end), []).append(copy)
    for number, ((begin, end), found) in enumerate(sorted(groups.items()), max(numbers, default=0) + 1):
        arrays = tuple(Copy(copy.name, copy.domain, number) for copy in dict.fromkeys(found))
        yield _line(program, begin, print_pragma(CopyPragma("out", arrays)))
        yield _line(program, end, print_pragma(SyncPragma(number)))


def _is_there(copy: Copy, begin: int, end: int, written: tuple[Written, ...]) -> bool:
    between = (w.pragma for w in written if begin <= w.span.start < end)
    arrays = (c for p in between if isinstance(p, CopyPragma) and p.direction == "out" for c in p.arrays)
    return any((c.name, c.domain) == (copy.name, copy.domain) for c in arrays)


def _line(program: HostProgram, at: int, pragma: str) -> Edit:
    """A line of its own in front of a place."""
    text = program.unit.source.text
    start = text.rfind("\n", 0, at) + 1
    before = text[start:at]
    if before.strip():
        return Edit(Span(at, at), f"\n{pragma}\n")
    rest = text[start:]
    indent = rest[: len(rest) - len(rest.lstrip(" \t"))]
    return Edit(Span(start, start), f"{indent}{pragma}\n")


def _copy(touch: Touch) -> Copy | None:
    """What a touch needs, as the cells of an array; None where they have no bounds or no spelling."""
    found = _cell(touch.place) if touch.place else _all_cells(touch)
    if found is None:
        return None
    try:
        parse_pragma(print_pragma(CopyPragma("out", (found,))))
    except SpeciesSyntaxError:
        return None
    return found


def _all_cells(touch: Touch) -> Copy | None:
    symbol, ranges = touch.symbol, []
    if symbol is None or touch.through or symbol.ctype.kind != "array":
        return None
    row: Any = symbol.ctype
    while row is not None and row.kind == "array":
        if row.extent is None:
            return None
        text = c_generator.CGenerator().visit(row.extent)
        ranges.append(Range("0", str(int(text) - 1) if text.isdigit() else f"({text})-1"))
        row = row.target
    return Copy(symbol.name, tuple(ranges), 0)


def _cell(place: str) -> Copy | None:
    try:
        node = CParser().parse(f"int x = {place};").ext[0].init
    except ParseError:
        return None
    subscripts: list[str] = []
    while isinstance(node, c_ast.ArrayRef):
        subscripts.insert(0, c_generator.CGenerator().visit(node.subscript))
        node = node.name
    if not isinstance(node, c_ast.ID) or not subscripts:
        return None
    return Copy(node.name, tuple(Range(text, text) for text in subscripts), 0)
