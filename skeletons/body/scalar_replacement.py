"""Cells that a thread updates again and again in an inner loop are kept in a register, and stored once.

    for (k = 0; k < n; k++)             if (0 < n) {
        C[i][j] += A[i][k] * x[k];          double C_kept = C[i][j];
                                            for (k = 0; k < n; k++)
                                                C_kept += A[i][k] * x[k];
                                            C[i][j] = C_kept;
                                        }

Values that a loop reads at every step from one place, beside stores that may be anywhere for all that
compilers know, are kept likewise.

The cell is stored only where the source stores it for certain, and it is loaded only where the source touches
it: under the condition that the loop makes a step, or beside a statement that always writes it.  No other
name reaches the cell: on a device each array has a buffer of its own, and all uses of this one are the same
text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from skeletons.kernel.array_views import BYTES
from skeletons.kernel.certainty import first_condition, is_evaluated, is_fixed_place, macro_bodies
from skeletons.kernel.context import Subject
from species.core.positions import Span
from species.facts.loops import KernelArray
from species.source.syntax.statement_tree import (
    JUMPS,
    LOOPS,
    Statement,
    hides_statements,
    is_assignment,
    jumps_out,
    read_header,
    read_statement,
)
from species.source.text.code import Access, accesses, block, code_tokens, line_indent, names_in, words_in
from species.source.text.edits import Edit, apply_edits


@dataclass(frozen=True)
class _Cell:
    """An array of which every iteration touches one cell only, always by the same text."""

    text: str
    ctype: str
    name: str  # of the variable that keeps it
    uses: tuple[Access, ...]

    def within(self, span: Span) -> list[Access]:
        """The uses in a part of the body."""
        return [use for use in self.uses if span.start <= use.span.start < span.end]


def kept_cells(
    subject: Subject, text: str, fresh: Callable[[str], str], but: frozenset[str] = frozenset()
) -> str:
    """The body `text` with such cells in variables, `but` for those of some arrays; as it is where there are
    none.
    """
    words = {token.text for token in code_tokens(text)}
    if words & JUMPS or not words & set(LOOPS) or subject.kernel.pattern is not None:
        return text
    if hides_statements(macro_bodies(subject, text)):
        return text
    for array in subject.kernel.arrays:
        cell = _cell(subject, text, array) if array.name not in but else None
        if cell is not None:
            text = _kept(subject, text, cell, fresh)
    return _with_values(subject, text, fresh)


def _cell(subject: Subject, text: str, array: KernelArray) -> _Cell | None:
    """The cell of an array that may be kept."""
    ctype = subject.declarations.canonical(array.element.removeprefix("const "))
    name = array.name
    if array.writes is None or ctype not in BYTES or name in subject.redeclared:
        return None
    if name in subject.macro_names(text) or _is_known_to_functions(subject, array, text):
        return None
    uses = accesses(text, name)
    words = {tuple(token.text for token in code_tokens(use.span.of(text))) for use in uses}
    if len(words) != 1 or len(uses[0].subscripts) != len(array.extent):
        return None
    if not all(is_fixed_place(subject, subscript) for subscript in uses[0].subscripts):
        return None
    before = {text[: use.span.start].rstrip()[-1:] for use in uses}
    own = uses[0].span.of(text)
    return None if "&" in before else _Cell(own, ctype, f"{name}_kept", uses)


def _is_known_to_functions(subject: Subject, array: KernelArray, text: str) -> bool:
    """Could a function of the file that is called get at the array?"""
    return array.storage == "global" and bool(words_in(text) & set(subject.declarations.functions))


def _kept(subject: Subject, text: str, cell: _Cell, fresh: Callable[[str], str]) -> str:
    """The body with the cell in a variable where that is possible and of use."""
    sequence = read_statement(text).sequence()
    places = [k for k, part in enumerate(sequence) if cell.within(part.span)]
    within = sequence[places[0] : places[-1] + 1]
    if not any(_repeats(part, cell) for part in within) or any(jumps_out(part, text) for part in within):
        return text
    if any(_writes(part, cell, text) for part in within):
        edits = list(_around_all(within, cell, text, fresh(cell.name)))
    else:
        edits = list(_around_loops(subject, sequence, cell, text, fresh))
    return apply_edits(text, edits)


def _repeats(statement: Statement, cell: _Cell) -> bool:
    """Is the cell touched in a loop?"""
    return any(part.kind in LOOPS and cell.within(part.span) for part in statement.walk())


def _writes(statement: Statement, cell: _Cell, text: str) -> bool:
    """Is it a plain statement that writes the cell, whatever happens?"""
    if statement.kind != "plain":
        return False
    tokens = code_tokens(statement.span.of(text))
    own = len(code_tokens(cell.text))
    starts = [token.text for token in tokens[:own]] == [token.text for token in code_tokens(cell.text)]
    after = tokens[own].text if len(tokens) > own else ""
    return starts and (is_assignment(after) or after in ("++", "--"))


def _around_all(within: tuple[Statement, ...], cell: _Cell, text: str, name: str) -> Iterator[Edit]:
    """One variable from the first of the statements to the last."""
    first, last = within[0], within[-1]
    pad = "\n" + line_indent(text, first.span.start)
    sets = _writes(first, cell, text) and len(cell.within(first.span)) == 1
    if sets and _operator(first, cell, text) == "=":
        yield Edit(Span(first.span.start, first.span.start), f"{cell.ctype} ")
    else:
        start = f"{cell.ctype} {name} = {cell.text};{pad}"
        yield Edit(Span(first.span.start, first.span.start), start)
    for part in within:
        yield from _uses(part, cell, name)
    yield Edit(Span(last.span.end, last.span.end), f"{pad}{cell.text} = {name};")


def _operator(statement: Statement, cell: _Cell, text: str) -> str:
    return code_tokens(statement.span.of(text))[len(code_tokens(cell.text))].text


def _uses(statement: Statement, cell: _Cell, name: str) -> Iterator[Edit]:
    for use in cell.within(statement.span):
        yield Edit(use.span, name)


def _around_loops(
    subject: Subject, sequence: tuple[Statement, ...], cell: _Cell, text: str, fresh: Callable[[str], str]
) -> Iterator[Edit]:
    """A variable for each loop that certainly writes the cell when it makes a step."""
    for at, part in enumerate(sequence):
        guard = _guard(subject, part, cell, text) if cell.within(part.span) else None
        if guard is None or not _leaves_nothing(subject, part, sequence[at + 1 :], text):
            continue
        name = fresh(cell.name)
        moved = rename_uses(part.span, cell, name, text)
        pad = line_indent(text, part.span.start)
        inner = pad + "    "
        lines = [f"if ({guard}) {{", f"{inner}{cell.ctype} {name} = {cell.text};"]
        lines += [f"{inner}{block(moved, inner)}", f"{inner}{cell.text} = {name};", pad + "}"]
        yield Edit(part.span, "\n".join(lines))


def rename_uses(span: Span, cell: _Cell, name: str, text: str) -> str:
    """A part of the body with the variable in the place of the cell."""
    edits = [
        Edit(Span(use.span.start - span.start, use.span.end - span.start), name) for use in cell.within(span)
    ]
    return apply_edits(span.of(text), edits)


def _guard(subject: Subject, loop: Statement, cell: _Cell, text: str) -> str | None:
    """When the loop makes a step and so writes the cell; None where that cannot be said."""
    if loop.kind != "for" or loop.header is None:
        return None
    first = first_condition(subject, loop.header.of(text))
    if first is None:
        return None
    sequence = loop.parts[0].sequence()
    for part in sequence:
        if _writes(part, cell, text):
            return first
        if jumps_out(part, text):
            return None
    # what else an outer loop does, it does without steps of the inner one, too
    inner = _guard(subject, sequence[0], cell, text) if len(sequence) == 1 else None
    return None if inner is None else f"{first} && {inner}"


def _leaves_nothing(subject: Subject, loop: Statement, rest: tuple[Statement, ...], text: str) -> bool:
    """Does nobody, here or behind the kernel, ask where the iterators are that loops declare elsewhere?"""
    live = {scalar.name for scalar in subject.kernel.scalars if scalar.role == "lastprivate"}
    for part in loop.walk():
        header = read_header(part.header.of(text)) if part.kind == "for" and part.header else None
        if header is None or header.declared:
            continue
        if header.iterator in live or not _is_set_first(header.iterator, rest, text):
            return False
    return True


def _is_set_first(name: str, rest: tuple[Statement, ...], text: str) -> bool:
    for part in rest:
        if name in names_in(part.span.of(text)):
            header = read_header(part.header.of(text)) if part.kind == "for" and part.header else None
            return header is not None and header.iterator == name and name not in names_in(header.lower)
    return True


def _with_values(subject: Subject, text: str, fresh: Callable[[str], str]) -> str:
    """The body with what loops that store read at every step, always the same, in variables."""
    sequence, edits = read_statement(text).sequence(), []
    written = [array.name for array in subject.kernel.arrays if array.writes is not None]
    for at, part in enumerate(sequence):
        stores = any(accesses(part.span.of(text), name) for name in written)
        found = _innermost(subject, part, text) if stores else None
        if found is None or not _leaves_nothing(subject, part, sequence[at + 1 :], text):
            continue
        cells = list(_certain_values(subject, found[1], part.span, text, fresh))
        if cells:
            edits.append(Edit(part.span, _around_values(part, found[0], cells, text)))
    return apply_edits(text, edits)


def _innermost(subject: Subject, loop: Statement, text: str) -> tuple[str, tuple[Statement, ...]] | None:
    """Of loops within loops: when the innermost one makes a step, and the statements in it."""
    if loop.kind != "for" or loop.header is None:
        return None
    first = first_condition(subject, loop.header.of(text))
    sequence = loop.parts[0].sequence()
    if first is None or len(sequence) != 1 or sequence[0].kind != "for":
        return None if first is None else (first, sequence)
    inner = _innermost(subject, sequence[0], text)
    return None if inner is None else (f"{first} && {inner[0]}", inner[1])


def _certain_values(
    subject: Subject,
    sequence: tuple[Statement, ...],
    loop: Span,
    text: str,
    fresh: Callable[[str], str],
) -> Iterator[_Cell]:
    """The cells that the statements certainly read, that nobody writes, and that stay the same ones."""
    hidden = subject.macro_names(text) | subject.redeclared
    certain = [
        part.span for part in _before_jumps(sequence, text) if is_evaluated(subject, part.span.of(text))
    ]
    for array in subject.kernel.arrays:
        ctype = subject.declarations.canonical(array.element.removeprefix("const "))
        if array.writes is not None or ctype not in BYTES or array.name in hidden:
            continue
        groups: dict[tuple[str, ...], list[Access]] = {}
        for use in accesses(text, array.name):
            if loop.start <= use.span.start < loop.end and _is_fixed_cell(subject, array, use, text):
                key = tuple(token.text for token in code_tokens(use.span.of(text)))
                groups.setdefault(key, []).append(use)
        for uses in groups.values():
            if any(s.start <= use.span.start < s.end for s in certain for use in uses):
                yield _Cell(uses[0].span.of(text), ctype, fresh(f"{array.name}_kept"), tuple(uses))


def _is_fixed_cell(subject: Subject, array: KernelArray, use: Access, text: str) -> bool:
    """Is it an element, and the same in all steps of inner loops?"""
    whole = len(use.subscripts) == len(array.extent) and text[: use.span.start].rstrip()[-1:] != "&"
    return whole and all(is_fixed_place(subject, subscript) for subscript in use.subscripts)


def _before_jumps(sequence: tuple[Statement, ...], text: str) -> Iterator[Statement]:
    """The plain statements that are made whatever happens."""
    for part in sequence:
        if jumps_out(part, text):
            return
        if part.kind == "plain":
            yield part


def _around_values(loop: Statement, guard: str, cells: list[_Cell], text: str) -> str:
    pad = line_indent(text, loop.span.start)
    inner = pad + "    "
    start = loop.span.start
    uses = [(use.span, cell.name) for cell in cells for use in cell.within(loop.span)]
    moved = [Edit(Span(span.start - start, span.end - start), name) for span, name in uses]
    lines = [f"{inner}const {cell.ctype} {cell.name} = {cell.text};" for cell in cells]
    kept = block(apply_edits(loop.span.of(text), moved), inner)
    return "\n".join([f"if ({guard}) {{", *lines, inner + kept, pad + "}"])
