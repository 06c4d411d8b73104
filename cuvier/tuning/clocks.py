"""Clocks around the kernels of a text: as comments in braces, which compilation keeps, and then as calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from cuvier.verification.marks import quiet
from species.core.positions import Span
from species.facts.loops import LoopFacts
from species.source.text.edits import Edit, apply_edits

_START, _STOP = " {{/*cuvier:start:{}*/", " /*cuvier:stop:{}*/}}"
_MARKS = re.compile(r"/\*cuvier:(start|stop):(\w+)\*/")


def with_clocks(text: str, loops: Iterable[LoopFacts]) -> str:
    """`text` with every loop that owns a kernel between two marks; lines stay as they are."""
    plain = quiet(text)
    return apply_edits(text, [edit for loop in loops for edit in _edits(plain, loop)])


def _edits(plain: str, loop: LoopFacts) -> list[Edit]:
    if loop.spans is None or loop.kernel is None:
        return []
    whole, name = loop.spans.whole, loop.kernel.name
    before = len(plain[: whole.start].rstrip())  # before any pragma of the loop
    return [
        Edit(Span(before, before), _START.format(name)),
        Edit(Span(whole.end, whole.end), _STOP.format(name)),
    ]


def running(text: str, numbers: Mapping[str, int]) -> str:
    """The text with the marks of the kernels in `numbers` as calls of timer.h."""

    def call(match: re.Match[str]) -> str:
        role, name = match.groups()
        if name not in numbers:
            return ""
        variable = f"cuvier_since_{name}"
        if role == "start":
            return f"double {variable} = cuvier_timer_now();"
        return f"cuvier_timer_add({numbers[name]}, cuvier_timer_now() - {variable});"

    return _MARKS.sub(call, text)
