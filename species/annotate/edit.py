"""Marks made into text edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from species.annotate.choice import AnnotateOptions, Mark, Style, marks
from species.annotate.functions import Room, with_names, with_rows
from species.annotate.layout import Layout, Place
from species.annotate.markers import in_stripped, marked_line, our_lines, strip
from species.core.positions import Span
from species.facts.loops import UnitFacts
from species.row_tests import called_in
from species.source import Edit, apply_edits

__all__ = ["AnnotateOptions", "Style", "annotate"]


@dataclass(frozen=True)
class _Line:
    """A line to put at a place; `rank` orders those of one place: ends, inner ones first, then beginnings."""

    place: Place
    rank: tuple[int, int]
    indentation: str
    words: str
    newline: str


def annotate(
    text: str,
    facts: UnitFacts,
    options: AnnotateOptions | None = None,
    others: Sequence[UnitFacts] = (),
    room: Room | None = None,
) -> str:
    """`text` with its parallel and conditional loops marked, and without the annotations of earlier runs.

    Loops that come out of the middle of macros or from other files stay unmarked, and so do those that a
    user marked by hand, and those with no room for a mark (in style "species", a bare loop before `else`).
    `others` say what the loops are where the file is compiled in other ways: marks are those that all give.
    With `room`, functions of ours that OpenMP pragmas call are put into the file: loops whose rows one has
    to test are marked, and long conditions get names.
    """
    layout, options = Layout(strip(text)), options or AnnotateOptions()
    chosen = _agreed(layout, text, facts, options, others)
    spans, added = _spans_in_stripped(text, facts), list[Edit]()
    loops = {spans[loop.id]: loop for loop in facts.loops if loop.id in spans}
    if options.style == "openmp":
        chosen, added = with_rows(layout, text, chosen, loops, room)
        if room is not None and not others:
            chosen, named = with_names(layout, text, chosen, loops, room)
            added += named
    lines = sorted(
        (line for mark in chosen for line in _lines(layout, mark)), key=lambda line: (line.place, line.rank)
    )
    groups = groupby(lines, key=lambda line: line.place)
    edits = [_edit(place, list(group)) for place, group in groups]
    return apply_edits(layout.text, [*added, *edits])


def disputed(
    text: str, facts: UnitFacts, options: AnnotateOptions, others: Sequence[UnitFacts]
) -> frozenset[str]:
    """The ids of loops that `annotate` would mark if it were not for `others`."""
    layout, spans = Layout(strip(text)), _spans_in_stripped(text, facts)
    kept = {mark.loop for mark in _agreed(layout, text, facts, options, others)} if others else set()
    lone = marks(layout, facts, spans, options) if others else ()
    return frozenset(name for mark in lone for name, span in spans.items() if span == mark.loop not in kept)


def _agreed(
    layout: Layout, text: str, facts: UnitFacts, options: AnnotateOptions, others: Sequence[UnitFacts]
) -> list[Mark]:
    """The marks of these facts that all others give; names of kernels may be different."""
    given = [
        {(mark.loop, mark.before) for mark in marks(layout, each, _spans_in_stripped(text, each), options)}
        for each in others
    ]
    own = marks(layout, facts, _spans_in_stripped(text, facts), options)
    return [mark for mark in own if all((mark.loop, mark.before) in each for each in given)]


def openmp_pragmas(text: str, facts: UnitFacts) -> dict[str, str]:
    """The pragma that style "openmp" puts before a loop, by the loop's id; most loops have none.

    Those that call a function of ours are no use alone, and left out.
    """
    layout, spans = Layout(strip(text)), _spans_in_stripped(text, facts)
    found = marks(layout, facts, spans, AnnotateOptions("openmp"))
    chosen = {mark.loop: mark.before for mark in found if not called_in(mark.before)}
    return {name: chosen[span] for name, span in spans.items() if span in chosen}


def _spans_in_stripped(text: str, facts: UnitFacts) -> dict[str, Span]:
    ours = our_lines(text)
    return {
        loop.id: in_stripped(loop.whole, ours)
        for loop in facts.loops
        if loop.whole is not None and loop.position.file == facts.file
    }


def _lines(layout: Layout, mark: Mark) -> Iterator[_Line]:
    blanks, newline, start = layout.indentation(mark.loop), layout.newline(mark.loop), mark.loop.start
    yield _Line(layout.before(mark.loop), (1, start), blanks, mark.before, newline)
    if mark.after is not None:
        yield _Line(layout.after(mark.loop), (0, -start), blanks, mark.after, newline)


def _edit(place: Place, lines: list[_Line]) -> Edit:
    """One insertion; where it splits a line, its first newline and its first line's mark say so."""
    texts = [
        line.indentation + marked_line(line.words, split=place.split and line is lines[0]) + line.newline
        for line in lines
    ]
    return Edit(Span(place.offset, place.offset), lines[0].newline * place.split + "".join(texts))
