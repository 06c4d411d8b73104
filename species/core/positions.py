"""Places in the user's files: positions for people, spans for edits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Position:
    """A place in an original file.  `line` and `column` are 1-based; columns count characters."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, order=True)
class Span:
    """Character offsets `[start, end)` into the text of one original file."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of `text` that the span covers."""
        return text[self.start : self.end]

    def holds(self, other: Span) -> bool:
        """Is all of the other one within it?"""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True)
class LoopSpans:
    """Where a loop stands in its original file.

    `whole` runs from the loop keyword to the end of the loop's statement, `header` from the keyword
    to the closing parenthesis, `body` over the statement inside (braces included).  For `do`, the
    header is the keyword alone and `whole` includes the `while (...);`.
    """

    whole: Span
    header: Span
    body: Span


@dataclass(frozen=True)
class Diagnostic:
    """Something that the user should know about a file: severity is 'error', 'warning' or 'note'."""

    severity: str
    code: str
    message: str
    position: Position
