"""The directives in front of a statement, which text for the statement has to stand before."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass

from species.source.text.tokens import tokenize

_WORD = re.compile(r"(?:#|%:)\s*(?:/\*.*?\*/\s*)*(\w*)\s*(\w*)", re.DOTALL)
_PASSED = ("", "pragma", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif", "line")


@dataclass(frozen=True)
class Place:
    """Where text for a statement goes; `is_certain`: no directive for the statement stands before that."""

    start: int
    is_certain: bool


class Pragmas:
    """Those of a file, with the names that are macros in it."""

    def __init__(self, text: str, macros: Collection[str]) -> None:
        self._text, self._macros = text, macros
        self._tokens = tokenize(text)
        self._starts = [token.start for token in self._tokens]

    def place(self, at: int) -> Place:
        """The place for the statement that begins at an offset.

        Conditionals that hold nothing but directives belong to these.
        """
        place, k, depth, open_ = at, bisect_left(self._starts, at), 0, False
        while k > 0 and depth >= 0:
            first = self._first_of(k - 1)
            if first is None:
                return Place(self._line(place, at), not open_ and not self._is_macro(k - 1))
            k, kind = first, self._kind(first)
            depth += (kind == "endif") - (kind in ("if", "ifdef", "ifndef"))
            open_ = open_ or kind == "pragma"
            if depth == 0 and open_:
                place, open_ = self._starts[k], False
            if depth == 0 and kind in ("else", "elif", "elifdef", "elifndef"):
                break
        return Place(self._line(place, at), not open_)

    def _first_of(self, k: int) -> int | None:
        """The first token of the directive, or the comment, that ends with a token; None for code."""
        token = self._tokens[k]
        if token.kind in ("directive", "comment"):
            return k if self._kind(k) in _PASSED or self._kind(k).isdigit() else None
        own = k >= 3 and token.text == ")" and self._tokens[k - 3].text == "_Pragma"
        return k - 3 if own else None

    def _kind(self, k: int) -> str:
        """The word of a directive; STDC for pragmas that must be the first in a block."""
        token = self._tokens[k]
        if token.text == "_Pragma":
            return "pragma"
        match = _WORD.match(token.spelling) if token.kind == "directive" else None
        word, next_ = match.groups() if match is not None else ("", "")
        return "STDC" if (word, next_) == ("pragma", "STDC") else str(word)

    def _is_macro(self, k: int) -> bool:
        """Is the token the end of a use of a macro, which may make a directive?"""
        depth = 0
        while k > 0 and (depth or self._tokens[k].text == ")"):
            depth += (self._tokens[k].text == ")") - (self._tokens[k].text == "(")
            k -= 1
        return self._tokens[k].text in self._macros

    def _line(self, place: int, at: int) -> int:
        """The beginning of the line, if nothing but blanks stands before a place."""
        line = self._text.rfind("\n", 0, place) + 1
        return line if place != at and not self._text[line:place].strip() else place
