"""Reads that stay the same in a loop for vectors: made once before it, where no compiler may do that by
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import Band
from skeletons.schedule.emit.lines import Lines
from skeletons.schedule.emit.updates import Piece
from species.facts import ScopArray
from species.source.text.code import Access, accesses, code_tokens, names_in
from species.source.text.edits import Edit, apply_edits

_CHOICES = frozenset({"?", "&&", "||", "sizeof", "_Generic", "typeof", "__typeof__", "_Alignof"})
_WRITES = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"})


@dataclass(frozen=True)
class Invariant:
    """A cell that is read before the loop."""

    name: str
    element: str
    cell: str  # C text


def invariants(
    model: ScopModel,
    band: Band,
    pieces: Sequence[Piece],
    macro: Callable[[str], str],
    fresh: Callable[[str], str],
) -> tuple[list[Invariant], Lines]:
    """The cells, and the body that `pieces` make with variables for them.

    In a loop whose iterations are independent, a cell that all of them read is written by none of them, but
    for a single iteration, whose only statement reads before it writes.  `macro(name)` is the text of a
    macro; `fresh` makes names that nothing has.
    """
    found: dict[str, Invariant] = {}
    texts = [piece.text for piece in pieces]
    for piece in pieces if all(_is_simple(text, macro) for text in texts) else ():
        for owner in _arrays(model, band, pieces):
            for access in _always(piece.text, owner):
                text = access.span.of(piece.text)
                if _key(text) in found or band.name in {*names_in(text), *_expanded(text, macro)}:
                    continue
                name = fresh(f"{owner.name}_read{len(found) or ''}")
                found[_key(text)] = Invariant(name, owner.element, text)
    variables = {owner.variable for owner in model.scop.arrays}
    body = [_replaced(text, found, variables) for text in texts]
    return list(found.values()), [line for text in body for line in text.split("\n")]


def _arrays(model: ScopModel, band: Band, pieces: Sequence[Piece]) -> Iterator[ScopArray]:
    """Arrays that the compiler has to suppose written in the loop, and of which nothing is that is read
    before.
    """
    used = [a for s in dict.fromkeys(p.statement for p in pieces) for a in model.statements[s].accesses]
    written = {a.array for a in used if a.write}
    for array in model.scop.arrays:
        own = array.name in written
        if array.extents and (len(pieces) == 1 if own else array.pointer):
            yield array


def _is_simple(text: str, macro: Callable[[str], str]) -> bool:
    """Is it one assignment, with no macros that could hide what is evaluated, and when?"""
    words = [token.text for token in code_tokens(text)]
    hidden = set(_expanded(text, macro))
    return sum(word in _WRITES for word in words) == 1 and not (_CHOICES | _WRITES | {"#", "##"}) & hidden


def _expanded(text: str, macro: Callable[[str], str]) -> Iterator[str]:
    """The tokens of all macros that the text makes use of."""
    seen: set[str] = set()
    pending = list(names_in(text))
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            yield from (token.text for token in code_tokens(macro(name)))
            pending += names_in(macro(name))


def _always(text: str, owner: ScopArray) -> Iterator[Access]:
    """The reads of an array that surely happen: behind the assignment, before anything that chooses."""
    start = next(token.start for token in code_tokens(text) if token.text in _WRITES)
    choices = (token.start for token in code_tokens(text) if token.text in _CHOICES)
    end = next(choices, len(text))
    for access in accesses(text, owner.variable):
        if (
            start < access.span.start
            and access.span.end <= end
            and len(access.subscripts) == len(owner.extents)
        ):
            yield access


def _key(text: str) -> str:
    return " ".join(token.text for token in code_tokens(text))


def _replaced(text: str, found: dict[str, Invariant], variables: set[str]) -> str:
    start = next((token.start for token in code_tokens(text) if token.text in _WRITES), 0)
    edits = [
        Edit(access.span, found[_key(access.span.of(text))].name)
        for variable in sorted(variables)
        for access in accesses(text, variable)
        if start < access.span.start and _key(access.span.of(text)) in found
    ]
    return apply_edits(text, sorted(edits, key=lambda edit: edit.span))
