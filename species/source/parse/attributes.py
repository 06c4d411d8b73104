"""What attributes promise of functions, read before the dialect takes attributes away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from species.source.text.tokens import Token, tokenize

_WORDS = {"pure": "pure", "__pure__": "pure", "const": "const", "__const__": "const"}
_WEAK = {"weak": "weak", "__weak__": "weak"}
_INTEREST = re.compile(rf"__attribute[^;{{}}]*\b(?:{'|'.join((*_WORDS, *_WEAK))})\b")
_ATTRIBUTE = ("__attribute__", "__attribute")
_STRENGTH = ("pure", "const", "weak")  # of two promises the stronger one holds; what may be replaced, last
_LABEL = ("asm", "__asm", "__asm__")
_LABELLED = re.compile(r"\)\s*__?asm|\)\s*asm\b")


def promises(text: str) -> dict[str, str]:
    """Functions by name that a preprocessed text declares `pure`, `const` or `weak`.

    Only attributes of a whole declaration of one function count, not those of parameters or in bodies.
    """
    found: dict[str, str] = {}
    if not _INTEREST.search(text):
        return found
    for declaration in _declarations(tokenize(text)):
        name, words = _read(declaration)
        for word in words if name else ():
            found[name] = max(found.get(name, "pure"), word, key=_STRENGTH.index)
    return found


def renamed(text: str) -> frozenset[str]:
    """Functions whose names do not tell which they are: `f(...) asm("g")` makes f and g one.

    What stands so before an assembly statement is a keyword, which is no function.
    """
    if not _LABELLED.search(text):
        return frozenset()
    tokens = tokenize(text)
    found: set[str] = set()
    for at in (k for k, token in enumerate(tokens) if token.text in _LABEL):
        found.add(_declared_before(tokens, at))
        found.update(_label_after(tokens, at))
    return frozenset(found)


def _declared_before(tokens: list[Token], at: int) -> str:
    """The name before the parameters that end before token `at`, attributes aside; else empty."""
    while at > 0 and tokens[at - 1].text == ")":
        depth, at = 1, at - 1
        while depth and at > 0:
            at -= 1
            depth += (tokens[at].text == ")") - (tokens[at].text == "(")
        if at > 0 and tokens[at - 1].text not in _ATTRIBUTE:
            return tokens[at - 1].text
        at -= 1
    return ""


def _label_after(tokens: list[Token], at: int) -> Iterator[str]:
    """The label, with and without what some systems put before the names of functions."""
    pieces = []
    for token in tokens[at + 2 :]:
        if token.kind != "string":
            break
        pieces.append(token.text[1:-1])
    label = "".join(pieces)
    yield from (label, label.removeprefix("_"))


def _declarations(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """Stretches that end with a semicolon or with the end of a body."""
    piece: list[Token] = []
    depth = 0
    for token in tokens:
        piece.append(token)
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0 and token.text in (";", "}"):
            yield piece
            piece = []


def _read(tokens: list[Token]) -> tuple[str, list[str]]:
    """The function that a declaration names, empty unless it is one alone, and what is said of it."""
    words = {**_WORDS, **_WEAK}
    name, found, depth, own = "", [], 0, 0  # `own`: how deep the attribute is that is being read
    for before, token in pairwise([tokens[0], *tokens]):
        if token.text in ("(", "[", "{"):
            if depth == 0 and token.text == "{":
                break
            if depth == 0 and before.text in _ATTRIBUTE:
                own = 2
            elif depth == 0 and token.text == "(" and not name and before.kind == "identifier":
                name = before.text
            depth += 1
        elif token.text in (")", "]", "}"):
            depth -= 1
            own = own if depth else 0
        elif depth == 0 and token.text in (",", "=", "typedef"):
            return "", []
        elif own == depth and own and token.text in words:
            found.append(words[token.text])
    return name, found
