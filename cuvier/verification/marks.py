"""Marks the places behind kernels in a C text, and turns the marks into calls of the watch library.

A mark is a comment, so the analyser and the skeletons do not see it, and it comes through compilation as all
text around a kernel does.  Marks stand on the last line of their loop: line numbers stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from species.core.positions import LoopSpans, Span
from species.facts.loops import LoopFacts
from species.source.text.edits import Edit, apply_edits

_ENTER = " /*cuvier:enter:{}*/"
_SUMS = " /*cuvier:sums:{}*/"
_OPEN = " {{/*cuvier:open:{}*/"
_WATCH = " /*cuvier:watch:{}*/"
_CLOSE = " /*cuvier:close:{}*/}}"
_MARKS = re.compile(
    r" \{/\*cuvier:open:\w+\*/| /\*cuvier:close:\w+\*/\}"
    r"| /\*cuvier:watch:(\w+)\*/| /\*cuvier:enter:(\w+)\*/| /\*cuvier:sums:(\d)\*/"
)
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma\b", re.M)
_NOISE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n\\]|\\.)*", re.S | re.M
)


def mark(text: str, loops: Iterable[LoopFacts], *, entries: bool = False) -> str:
    """`text` with a mark behind every loop that owns a kernel, and with `entries` one before it.

    A loop that is the whole branch of an `if` or of another loop is put in braces with its mark.
    """
    marks = _Marks(text)
    for loop in loops:
        if loop.spans:
            name = _name(loop)
            marks.around(loop.spans, name, _ENTER.format(name) if entries else "", _WATCH.format(name))
    return apply_edits(text, marks.edits)


def mark_entries(text: str, loops: Iterable[LoopFacts], sums: Iterable[LoopFacts]) -> str:
    """The same, with a mark before such loops as well, and with marks around the loops that add up."""
    marks = _Marks(text)
    around = [(loop.spans, 0, _name(loop)) for loop in loops if loop.spans]
    around += [(loop.spans, 1, "sums") for loop in sums if loop.spans]
    for spans, adds, name in sorted(around, key=lambda each: _nested(each[0], each[1])):
        before, behind = (_SUMS, _SUMS) if adds else (_ENTER, _WATCH)
        marks.around(spans, name, before.format(1 if adds else name), behind.format(0 if adds else name))
    return apply_edits(text, marks.edits)


def _nested(spans: LoopSpans, adds: int) -> tuple[int, int, int]:
    """Sorts loops by their places, those around others before these."""
    return spans.whole.start, -spans.whole.end, adds


def unmark(text: str) -> str:
    """The text without marks and the braces that came with them."""
    return _MARKS.sub("", text)


def expand(text: str, calls: Mapping[str, str], entering: Mapping[str, str] | None = None) -> str:
    """The text with each mark replaced by the calls for its kernel: those behind it, and those before it."""
    before = entering or {}

    def replaced(match: re.Match[str]) -> str:
        watched, entered, sums = match.groups()
        if entered:
            return f" {before[entered]}" if before.get(entered) else ""
        if sums:
            return f" cuvier_watch_sums({sums});"
        return f" {calls[watched]}" if watched else match[0]

    return _MARKS.sub(replaced, text)


def marked(text: str) -> list[str]:
    """The kernels that have a mark in the text, in order."""
    return [name for name, *_ in _MARKS.findall(text) if name]


def _name(loop: LoopFacts) -> str:
    assert loop.kernel is not None
    return loop.kernel.name


class _Marks:
    """The marks of one text; loops are given in order, those around others before these."""

    def __init__(self, text: str) -> None:
        self._text, self._plain = text, quiet(text)
        self._starts: list[Edit] = []
        self._ends: list[Edit] = []

    def around(self, spans: LoopSpans, name: str, before: str, behind: str) -> None:
        """Marks before and behind a loop; in braces, where it has to stay one statement."""
        start = len(self._plain[: spans.whole.start].rstrip())  # on the line of what the loop belongs to
        end = spans.whole.end
        if self._plain[:start][-1:] in ("{", "}", ";"):
            start = self._before(start, spans.whole.start)
        else:
            before, behind = _OPEN.format(name) + before, behind + _CLOSE.format(name)
        if before:
            self._starts.append(Edit(Span(start, start), before))
        self._ends.append(Edit(Span(end, end), behind))

    @property
    def edits(self) -> list[Edit]:
        """Where loops end at one place, the innermost ends first; where one begins there, they end before."""
        return [*reversed(self._ends), *self._starts]

    def _before(self, start: int, loop: int) -> int:
        """Where a statement can stand before a loop: before its pragmas, but not before an `#if`."""
        return start if _PRAGMA.search(self._text, start, loop) else loop


def quiet(text: str) -> str:
    """The text with comments, literals and preprocessor lines blanked, of the same length."""
    return _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
