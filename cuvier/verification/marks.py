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

_OPEN = " {{/*cuvier:open:{}*/"
_WATCH = " /*cuvier:watch:{}*/"
_CLOSE = " /*cuvier:close:{}*/}}"
_MARKS = re.compile(r" \{/\*cuvier:open:\w+\*/| /\*cuvier:close:\w+\*/\}| /\*cuvier:watch:(\w+)\*/")
_NOISE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n\\]|\\.)*", re.S | re.M
)


def mark(text: str, loops: Iterable[LoopFacts]) -> str:
    """`text` with a mark behind every loop that owns a kernel.

    A loop that is the whole branch of an `if` or of another loop is put in braces with its mark.
    """
    plain = quiet(text)
    edits = [edit for loop in loops if loop.spans for edit in _edits(plain, _name(loop), loop.spans)]
    return apply_edits(text, edits)


def unmark(text: str) -> str:
    """The text without marks and the braces that came with them."""
    return _MARKS.sub("", text)


def expand(text: str, calls: Mapping[str, str]) -> str:
    """The text with each mark replaced by the calls for its kernel."""
    return _MARKS.sub(lambda match: f" {calls[match[1]]}" if match[1] else match[0], text)


def marked(text: str) -> list[str]:
    """The kernels that have a mark in the text, in order."""
    return [name for name in _MARKS.findall(text) if name]


def _name(loop: LoopFacts) -> str:
    assert loop.kernel is not None
    return loop.kernel.name


def _edits(plain: str, name: str, spans: LoopSpans) -> list[Edit]:
    before, end = plain[: spans.whole.start].rstrip(), Span(spans.whole.end, spans.whole.end)
    if before[-1:] in ("{", "}", ";"):
        return [Edit(end, _WATCH.format(name))]
    start = len(before)  # before any pragma of the loop, on the line of what it belongs to
    opening = Edit(Span(start, start), _OPEN.format(name))
    return [opening, Edit(end, _WATCH.format(name) + _CLOSE.format(name))]


def quiet(text: str) -> str:
    """The text with comments, literals and preprocessor lines blanked, of the same length."""
    return _NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
