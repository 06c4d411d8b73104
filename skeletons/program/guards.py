"""Lines that begin with a loop or branch without braces, and go on behind it: gcc takes them for mistakes.

    for (i = 0; i < n; i++) a[i] = 0; for (i = 0; i < n; i++) b[i] = 1;

-Wmisleading-indentation warns only where such a statement is the first thing on its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from species.core.positions import Span
from species.source.text.edits import Edit, apply_edits
from species.source.text.tokens import Token, code_tokens

_GUARDS = ("for", "while", "if")
_MARK = "/**/ "


def without_misleading_lines(text: str, original: str) -> str:
    """The text with an empty comment before such statements, where `original` has no such line."""
    kept = {line.strip() for line in original.splitlines()}
    tokens = code_tokens(text)
    marks = []
    for place, token in enumerate(tokens):
        start = text.rfind("\n", 0, token.start) + 1
        if token.text not in _GUARDS or text[start : token.start].strip():
            continue
        end = text.find("\n", token.start)
        line = text[start : end if end >= 0 else len(text)]
        if line.strip() not in kept and _goes_on(tokens[place:], start + len(line)):
            marks.append(Edit(Span(token.start, token.start), _MARK))
    return apply_edits(text, marks)


def _goes_on(tokens: Sequence[Token], end: int) -> bool:
    """Does another statement begin on the line, which ends there, behind the one that tokens begin with?"""
    rest = iter(tokens)
    for token in rest:
        if token.text in (*_GUARDS, "else"):
            if token.text != "else":
                _skip(rest)
        elif token.text == "{":
            return False
        else:
            depth = (token.text in "([") - (token.text in ")]")
            for other in rest if token.text != ";" else ():
                depth += (other.text in ("(", "[", "{")) - (other.text in (")", "]", "}"))
                if depth == 0 and other.text == ";":
                    break
            following = next(rest, None)
            return (
                following is not None and following.start < end and following.text not in ("}", ";", "else")
            )
    return False


def _skip(rest: Iterator[Token]) -> None:
    """What is in the parentheses that come next."""
    depth = 0
    for token in rest:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            return
