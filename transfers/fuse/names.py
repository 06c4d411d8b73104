"""Names, and code on one line."""

from __future__ import annotations

import re
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.source import Token, TranslationUnit, tokenize
from species.source.syntax.tree import walk


def fresh(name: str, unit: TranslationUnit) -> str:
    """`name` with a number, which nothing else in the file is called."""
    taken = unit.words | unit.macros.names | set(re.findall(r"\w+", unit.source.text))
    return next(new for k in range(1, len(taken) + 2) if (new := f"{name}_{k}") not in taken)


def words(node: Any) -> set[str]:
    """All names in a piece of code: of variables, constants, functions, types, and tags."""
    found: set[str] = set()
    for part in walk(node):
        if isinstance(part, c_ast.IdentifierType):
            found |= set(part.names)
        elif isinstance(getattr(part, "name", None), str):
            found.add(part.name)
    return found


def declared(node: Any) -> set[str]:
    """The names of variables that a piece of code declares."""
    return {part.name for part in walk(node) if isinstance(part, c_ast.Decl) and part.name}


def on_one_line(text: str) -> str:
    """Code without comments and line ends, its blanks as they are."""
    pieces, end = [], 0
    for token in tokenize(text):
        gap = text[end : token.start]
        pieces.append(" " if "\n" in gap else gap)
        pieces.append(" " if token.kind == "comment" else token.text)
        end = token.end
    return "".join(pieces).strip()


def line_ends(text: str) -> str:
    """The line ends of a text."""
    return "".join(re.findall(r"\r?\n", text))


def elements_in(text: str, name: str) -> list[Span]:
    """Where `name[...]...[...]` stands in a text; an empty list if the name stands there in another way."""
    tokens = [token for token in tokenize(text) if token.kind not in ("comment", "directive")]
    found = []
    for k, token in enumerate(tokens):
        if token.kind == "identifier" and token.text == name:
            end = _after_subscripts(tokens, k + 1)
            if end == k + 1:
                return []
            found.append(Span(token.start, tokens[end - 1].end))
    return found


def _after_subscripts(tokens: list[Token], at: int) -> int:
    """The index behind all subscripts that begin at one."""
    depth = 0
    while at < len(tokens) and (depth or tokens[at].text == "["):
        depth += (tokens[at].text == "[") - (tokens[at].text == "]")
        at += 1
    return at
