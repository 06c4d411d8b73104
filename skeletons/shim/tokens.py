"""C++ tokens with their positions: as much of the language's lexing as the text pass needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<blank>(?:\s|\\\r?\n)+ | //(?:[^\n\\]|\\\r?\n|\\.)*\\? | /\*.*?(?:\*/|\Z))
  | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?(?:\)(?P=mark)"|\Z)
      | (?:u8|[uUL])?"(?:[^"\\\n]|\\\r?\n|\\.)*"?
      | (?:u8|[uUL])?'(?:[^'\\\n]|\\\r?\n|\\.)*'?)
  | (?P<number>\.?[0-9](?:'?[A-Za-z0-9_.])*)
  | (?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
  | (?P<pair>::|->)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: open_ for open_, close in OPENING.items()}


@dataclass(frozen=True)
class Token:
    """One token: its text, its kind (string, number, name or other), where it starts and ends in the file."""

    text: str
    kind: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """The tokens of C++ source, comments and white space left out; each `<` and `>` is a token of its own."""
    return list(_scan(text))


def _scan(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind != "blank":
            yield Token(match.group(), "other" if kind == "pair" else kind, match.start(), match.end())


def outside_brackets(found: list[Token], start: int) -> Iterator[int]:
    """The indices of the tokens from `start` on that are in no further brackets, to the end of those around.

    It ends early where brackets do not match.
    """
    i = start
    while i < len(found) and found[i].text not in CLOSING:
        if found[i].text not in OPENING:
            yield i
            i += 1
            continue
        close = matching(found, i)
        if close is None:
            return
        i = close + 1


def matching(found: list[Token], index: int) -> int | None:
    """The index of the bracket that closes the one at `index`; None if the brackets do not match."""
    expected: list[str] = []
    for i in range(index, len(found)):
        text = found[i].text
        if text in OPENING:
            expected.append(OPENING[text])
        elif text in CLOSING:
            if expected.pop() != text:
                return None
            if not expected:
                return i
    return None


def opening(found: list[Token], index: int) -> int | None:
    """The index of the bracket that the one at `index` closes; a `>` at `index` is one, too."""
    close = found[index].text
    open_ = "<" if close == ">" else CLOSING[close]
    depth = 0
    i = index
    while i >= 0:
        text = found[i].text
        if text == close:
            depth += 1
        elif text == open_:
            depth -= 1
        elif text in CLOSING:
            inner = opening(found, i)
            if inner is None:
                return None
            i = inner
        elif text in OPENING or text == ";":
            return None
        if depth == 0:
            return i
        i -= 1
    return None


def in_directive(text: str, position: int) -> bool:
    """Does the position lie on a line of the preprocessor (continued lines included)?"""
    start = text.rfind("\n", 0, position) + 1
    while text[:start].rstrip("\r\n").endswith("\\") and start > 0:
        start = text.rfind("\n", 0, start - 1) + 1
    return text[start:position].lstrip().startswith("#")
