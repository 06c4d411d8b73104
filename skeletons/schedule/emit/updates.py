"""Cells in variables: what an innermost loop adds to one cell, or several statements update.

A cell that stays the same in the loop is read before it and written behind it; one that the copies of an
unrolled statement share is read and written once in every iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.reductions import cell, is_update, stays
from skeletons.schedule.core.tree import Band
from skeletons.schedule.emit.lines import Lines
from species.source.text.code import Access, accesses, code_tokens, names_in
from species.source.text.edits import Edit, apply_edits

Subscripts = tuple[str, ...]


@dataclass(frozen=True)
class Piece:
    """One copy of a statement in the body of an innermost loop, as C text."""

    statement: str
    text: str


@dataclass(frozen=True)
class Kept:
    """A cell that is kept in a variable."""

    name: str
    element: str
    cell: str  # C text
    operator: str
    outside: bool  # for the whole loop, not for one iteration


@dataclass(frozen=True)
class Updates:
    """The body of a loop with cells in variables."""

    kept: tuple[Kept, ...]
    body: Lines


def updates(
    model: ScopModel,
    band: Band,
    pieces: Sequence[Piece],
    hidden: Callable[[str], set[str]],
    fresh: Callable[[str], str],
) -> Updates:
    """The body that `pieces` make, and what is kept in variables.

    `hidden(text)` are the names that macros in a text mention; `fresh` makes names that nothing has.
    """
    found: dict[tuple[str, Subscripts], Kept] = {}
    for array in dict.fromkeys(
        cell(model.statements[p.statement]).array for p in pieces if _is_update(model, p)
    ):
        found.update(_of_array(model, band, pieces, array, hidden, fresh))
    body = [_replaced(piece.text, found) for piece in pieces]
    return Updates(tuple(found.values()), [line for text in body for line in text.split("\n")])


def _is_update(model: ScopModel, piece: Piece) -> bool:
    return is_update(model.statements[piece.statement])


def _of_array(
    model: ScopModel,
    band: Band,
    pieces: Sequence[Piece],
    array: str,
    hidden: Callable[[str], set[str]],
    fresh: Callable[[str], str],
) -> dict[tuple[str, Subscripts], Kept]:
    """The cells of one array that are kept: only if one statement alone touches it.

    Its other references to the array are, in a loop that adds to one cell, surely to other cells.
    """
    owner = next(a for a in model.scop.arrays if a.name == array)
    users = {
        p.statement for p in pieces if any(a.array == array for a in model.statements[p.statement].accesses)
    }
    statement = model.statements[next(iter(users))]
    own = cell(statement)
    alike = len(users) == 1 and is_update(statement) and own.array == array
    outside = stays(own, statement, band)
    if not outside and any(a.relation != own.relation for a in statement.accesses if a.array == array):
        return {}  # which may be the cell of another copy
    names = set(names_in(owner.variable))
    if not alike or any(names & hidden(p.text) for p in pieces):
        return {}
    uses = [(p, _uses(p.text, owner.variable)) for p in pieces if p.statement in users]
    cells: dict[Subscripts, str] = {}
    for piece, texts in uses:
        if not texts:
            return {}  # it has another name there
        place, first = texts[0]  # what is assigned
        if piece.text[: first.span.start].strip() or any(len(s) != len(owner.extents) for s, _ in texts):
            return {}
        cells.setdefault(place, first.span.of(piece.text))
    if not outside and len(cells) == len(uses):
        return {}  # each of them once: nothing is saved
    several = len(cells) > 1
    kept = {}
    for k, (subscripts, text) in enumerate(cells.items()):
        wanted = f"{owner.name}_{'sum' if outside else 'cell'}{k if several else ''}"
        kept[owner.variable, subscripts] = Kept(
            fresh(wanted), owner.element, text, statement.operator or "+", outside
        )
    return kept


def _uses(text: str, variable: str) -> list[tuple[Subscripts, Access]]:
    return [(_plain(access), access) for access in accesses(text, variable)]


def _plain(access: Access) -> Subscripts:
    return tuple("".join(token.text for token in code_tokens(s)) for s in access.subscripts)


def _replaced(text: str, kept: Mapping[tuple[str, Subscripts], Kept]) -> str:
    edits = [
        Edit(access.span, kept[variable, subscripts].name)
        for variable in dict.fromkeys(variable for variable, _ in kept)
        for subscripts, access in _uses(text, variable)
        if (variable, subscripts) in kept
    ]
    return apply_edits(text, sorted(edits, key=lambda edit: edit.span))
