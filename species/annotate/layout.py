"""Where a line can be put before and after a loop, whatever the layout of the user's text.

All spans are those of whole loops, from the keyword to the end of the statement.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from species.core.positions import Span
from species.source.text.tokens import Token, has_newline, outside_conditionals, tokenize

_BLANKS = re.compile(r"[ \t]*")
_SPLICE = re.compile(r"\\[ \t\f\v\r]*\n")


@dataclass(frozen=True, order=True)
class Place:
    """An offset at which a line can be inserted; `split`: in the middle of a line of the user's."""

    offset: int
    split: bool


class Layout:
    """A C text, its tokens and its lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = list(_folded(tokenize(text)))
        self._starts = [token.start for token in self._tokens]
        self._spliced = {match.end() for match in _SPLICE.finditer(text)}

    def before(self, loop: Span) -> Place:
        """The start of the loop's line, or of the loop where it does not begin its line."""
        line = self._line_start(loop.start)
        begins = line not in self._spliced and not self.text[line : loop.start].strip()
        return Place(line if begins else loop.start, split=not begins)

    def above(self, declaration: int, *, outside: bool = True) -> Place:
        """The start of the line of an external declaration, of the comment right above it, and `outside` of
        `#if`.
        """
        at = outside_conditionals(self.text, declaration) if outside else declaration
        for token in reversed(self._tokens[: self._index(at)]):
            if token.kind != "comment" or self.text[token.end : at].count("\n") > 1:
                break
            at = token.start
        return self.before(Span(at, at))

    def after(self, loop: Span) -> Place:
        """The line below the loop, or the next token where that stands on the loop's last line."""
        at = loop.end
        for token in self._tokens[self._index(loop.end) :]:
            if has_newline(self.text[at : token.start]):
                break
            if token.kind != "comment" or "\n" in token.text:
                return self._split(loop.end)
            at = token.end
        line = self.text.find("\n", at) + 1
        below = line > 0 and line not in self._spliced
        return Place(line, split=False) if below else self._split(loop.end)

    def indentation(self, loop: Span) -> str:
        """The blanks that begin the loop's line."""
        start = self._line_start(loop.start)
        return self.text[start : self._blanks_end(start)]

    def newline(self, loop: Span) -> str:
        """The newline that ends the loop's line, or where the text has none, the one before."""
        at = self.text.find("\n", loop.start)
        at = self.text.rfind("\n") if at < 0 else at
        return "\r\n" if self.text[max(0, at - 1) : at + 1] == "\r\n" else "\n"

    def directives_before(self, loop: Span) -> list[str]:
        """The preprocessor lines between the loop and the code before it."""
        tokens = reversed(self._tokens[: self._index(loop.start)])
        near = takewhile(lambda token: token.kind in ("comment", "directive"), tokens)
        return [token.spelling for token in near if token.kind == "directive"]

    def directives_inside(self, loop: Span) -> list[str]:
        """The preprocessor lines in the loop."""
        tokens = self._tokens[self._index(loop.start) : self._index(loop.end)]
        return [token.spelling for token in tokens if token.kind == "directive"]

    def precedes_keyword(self, loop: Span) -> bool:
        """Does `else`, or the `while (...);` of a `do`, come next?  Then the loop is a bare sub-statement."""
        rest = self._tokens[self._index(loop.end) :]
        code = (token.text for token in rest if token.kind not in ("comment", "directive"))
        keyword = next(code, "")
        return keyword == "else" or (keyword == "while" and _past_parentheses(code) == ";")

    def _index(self, offset: int) -> int:
        return bisect_left(self._starts, offset)

    def _line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def _blanks_end(self, offset: int) -> int:
        match = _BLANKS.match(self.text, offset)
        assert match is not None
        return match.end()

    def _split(self, end: int) -> Place:
        return Place(self._blanks_end(end), split=True)


def _folded(tokens: list[Token]) -> Iterator[Token]:
    """The tokens, each `_Pragma ( "..." )` made one directive."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text == "_Pragma" and index + 3 < len(tokens):
            last = tokens[index + 3]
            token = Token("directive", f"#pragma {tokens[index + 2].text[1:-1]}", token.start, last.end)
            index += 3
        yield token
        index += 1


def _past_parentheses(code: Iterator[str]) -> str:
    """The token after the parenthesis that `code` opens with."""
    depth = 0
    for text in code:
        depth += {"(": 1, ")": -1}.get(text, 0)
        if depth == 0:
            break
    return next(code, "")
