"""The text of a reference at the place that a compiler gives for it."""

from __future__ import annotations

import re

_ASSIGNMENT = re.compile(r"(\+|-|\*|/|%|&|\||\^|<<|>>)?=(?!=)|\+\+|--")
_NAME_END = re.compile(r"[A-Za-z_]\w*$")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CLOSING, _OPENING = {"]": "[", ")": "("}, {"[": "]", "(": ")"}


def expression_at(line: str, column: int) -> str | None:
    """The reference there: compilers name its last bracket, its first letter, or the assignment behind it.

    `column` is from 1 on.  None where there is none, as in a macro's use.
    """
    at = column - 1
    if not 0 <= at < len(line):
        return None
    if line[at] == "]":
        return _before(line, at + 1)
    if line[at] == "[":
        start = _before(line, at)
        return _through(line, at - len(start)) if start else None
    if _ASSIGNMENT.match(line, at):
        return _before(line, len(line[:at].rstrip()))
    if line[at] == "*" and (name := _NAME.match(line, at + 1)):
        return "*" + name[0]
    return _through(line, at) if _NAME.match(line, at) else None


def name_of(expression: str) -> str:
    """The array's name."""
    found = _NAME.search(expression)
    return found[0] if found else expression


def squeezed(text: str) -> str:
    """Without spaces, to compare."""
    return "".join(text.split())


def _before(line: str, end: int) -> str | None:
    """The reference that ends before `end`."""
    start = end
    while start and line[start - 1] in _CLOSING:
        opening = _opening(line, start - 1)
        if opening is None:
            return None
        start = opening
    name = _NAME_END.search(line[:start])
    if not name:
        return None
    start = name.start()
    for link in ("->", "."):
        if line[:start].endswith(link):
            owner = _before(line, start - len(link))
            return owner + line[start - len(link) : end] if owner else None
    return line[start:end]


def _opening(line: str, closing: int) -> int | None:
    depth = 0
    for at in range(closing, -1, -1):
        depth += (line[at] in _CLOSING) - (line[at] in _OPENING)
        if depth == 0:
            return at
    return None


def _through(line: str, start: int) -> str | None:
    """The reference that starts there, with its subscripts and members."""
    name = _NAME.match(line, start)
    if not name:
        return None
    end = name.end()
    while end < len(line):
        if line[end] == "[":
            closing = _closing(line, end)
            if closing is None:
                return None
            end = closing + 1
        elif member := re.compile(r"(?:\.|->)[A-Za-z_]\w*").match(line, end):
            end = member.end()
        else:
            break
    return line[start:end]


def _closing(line: str, opening: int) -> int | None:
    depth = 0
    for at in range(opening, len(line)):
        depth += (line[at] in _OPENING) - (line[at] in _CLOSING)
        if depth == 0:
            return at
    return None
