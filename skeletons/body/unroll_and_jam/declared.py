"""Declarations of plain numbers in a loop body."""

from __future__ import annotations

from dataclasses import dataclass

from skeletons.kernel.array_views import BYTES
from species.source.syntax.declarations import Declarations
from species.source.text.code import code_tokens, matching


@dataclass(frozen=True)
class Declared:
    """The type, and the names with their first values (empty: none)."""

    ctype: str
    names: tuple[tuple[str, str], ...]


def read_declaration(text: str, declarations: Declarations) -> Declared | None:
    """What a statement declares, if it declares numbers only; None for any other statement."""
    pieces = _at_commas(text.rstrip().removesuffix(";"))
    left, _, first = pieces[0].partition("=")
    words = [word for word in left.split() if word not in ("const", "register")]
    ctype = " ".join(words[:-1])
    if not ctype or declarations.canonical(ctype) not in BYTES or not words[-1].isidentifier():
        return None
    named = [(words[-1], first.strip())]
    for piece in pieces[1:]:
        name, _, value = piece.partition("=")
        if not name.strip().isidentifier():
            return None
        named.append((name.strip(), value.strip()))
    return Declared(ctype, tuple(named))


def is_other_declaration(text: str, declarations: Declarations) -> bool:
    """Does a statement declare something else than numbers?"""
    first = code_tokens(text)[0]
    types = declarations.types.keys() - declarations.enumerators
    is_type = first.kind == "keyword" and first.text not in ("sizeof", "continue", "break")
    return (is_type or first.text in types) and read_declaration(text, declarations) is None


def _at_commas(text: str) -> list[str]:
    """The parts between commas that stand outside of brackets."""
    tokens, pieces, start, at = code_tokens(text), [], 0, 0
    while at < len(tokens):
        if tokens[at].text == ",":
            pieces.append(text[start : tokens[at].start].strip())
            start = tokens[at].end
        at = matching(tokens, at) + 1 if tokens[at].text in ("(", "[", "{") else at + 1
    return [*pieces, text[start:].strip()]
