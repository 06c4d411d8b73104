"""Marks the places behind kernels in a C text, and turns the marks into calls of the watch library.

A mark is a comment, so the analyser and the skeletons do not see it, and it comes through compilation as all
text around a kernel does.  Marks stand on the last line of their loop: line numbers stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from species.facts import LoopFacts
from species.positions import LoopSpans, Span
from species.source.edits import Edit, apply_edits

_ENTER = " /*cuvier:enter:{}*/"
_OPEN = " {{/*cuvier:open:{}*/"
_WATCH = " /*cuvier:watch:{}*/"
_CLOSE = " /*cuvier:close:{}*/}}"
_MARKS = re.compile(
    r" \{/\*cuvier:open:\w+\*/| /\*cuvier:close:\w+\*/\}"
    r"| /\*cuvier:watch:(\w+)\*/| /\*cuvier:enter:(\w+)\*/"
)
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma\b", re.M)
_NOISE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n\\]|\\.)*", re.S | re.M
)


def mark(text: str, loops: Iterable[LoopFacts], *, entering: bool = False) -> str:
    """`text` with a mark behind every loop that owns a kernel, and with `entering` one before it.

    A loop that is the whole branch of an `if` or of another loop is put in braces with its marks.
    """
    marks = _Marks(text, entering)
    edits = [edit for loop in loops if loop.spans for edit in marks.around(_name(loop), loop.spans)]
    return apply_edits(text, edits)


def unmark(text: str) -> str:
    """The text without marks and the braces that came with them."""
    return _MARKS.sub("", text)


def expand(text: str, calls: Mapping[str, str], entering: Mapping[str, str] | None = None) -> str:
    """The text with each mark replaced by the calls for its kernel: those behind it, and those before it."""
    before = entering or {}

    def replaced(match: re.Match[str]) -> str:
        if match[2]:
            return f" {before[match[2]]}" if before.get(match[2]) else ""
        return f" {calls[match[1]]}" if match[1] else match[0]

    return _MARKS.sub(replaced, text)


def marked(text: str) -> list[str]:
    """The kernels that have a mark in the text, in order."""
    return [name for name, _ in _MARKS.findall(text) if name]


def _name(loop: LoopFacts) -> str:
    assert loop.kernel is not None
    return loop.kernel.name


class _Marks:
    """The marks of one text."""

    def __init__(self, text: str, entering: bool) -> None:
        self._text, self._plain, self._entering = text, quiet(text), entering

    def around(self, name: str, spans: LoopSpans) -> list[Edit]:
        """The edits for a kernel."""
        end, watch = Span(spans.whole.end, spans.whole.end), _WATCH.format(name)
        start = len(self._plain[: spans.whole.start].rstrip())  # on the line of what the loop belongs to
        enter = _ENTER.format(name) if self._entering else ""
        if self._plain[:start][-1:] in ("{", "}", ";"):
            place = self._before(start, spans.whole.start)
            return [*([Edit(Span(place, place), enter)] if enter else ()), Edit(end, watch)]
        opening = Edit(Span(start, start), _OPEN.format(name) + enter)
        return [opening, Edit(end, watch + _CLOSE.format(name))]

    def _before(self, start: int, loop: int) -> int:
        """Where a statement can stand before a loop: before its pragmas, but not before an `#if`."""
        return start if _PRAGMA.search(self._text, start, loop) else loop


def quiet(text: str) -> str:
    """The text with comments, literals and preprocessor lines blanked, of the same length."""
    return _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
