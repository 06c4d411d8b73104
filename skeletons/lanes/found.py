"""The loops of a file whose iterations run side by side, and what is put in their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skeletons.contraction.expressions import NotPlain
from skeletons.ctext import block, line_indent, words_in
from skeletons.declarations import Declarations
from skeletons.dialect import Refusal
from skeletons.features import LANES
from skeletons.lanes.view import lanes_view
from skeletons.machine import Machine
from skeletons.model import Target
from skeletons.rendering import render
from skeletons.subject import Subject
from species.facts import LoopFacts, UnitFacts
from species.positions import Span
from species.source.edits import Edit

if TYPE_CHECKING:
    from species.source import TranslationUnit

TEMPLATE = "lanes.j2"
_BYTES = 2  # of a vector for every lane: enough vectors of doubles for their operations to overlap
_MARKS = frozenset(("break", "&&"))


class Lanes:
    """`edits` by the line of the loop that they replace, and `reasons` why other loops stay as they are."""

    def __init__(self, unit: TranslationUnit, facts: UnitFacts, target: Target, machine: Machine) -> None:
        self._unit, self._target = unit, target
        self._declarations = Declarations.of(unit.ast)
        self.lanes = machine.vector_bytes // _BYTES
        self._edits: dict[int, Edit] = {}
        self._reasons: dict[int, tuple[int, str]] = {}  # by offset: the line, and why
        for loop in _candidates(facts, unit):
            self._add(loop)

    def _add(self, loop: LoopFacts) -> None:
        assert loop.spans is not None
        start, line = loop.spans.whole.start, loop.position.line
        try:
            text = self._text(loop)
        except (Refusal, NotPlain) as refusal:
            self._reasons[start] = (line, str(refusal))
            return
        self._edits[start] = Edit(loop.spans.whole, text)
        self._reasons[start] = (line, "")

    def _text(self, loop: LoopFacts) -> str:
        assert loop.kernel is not None and loop.spans is not None
        subject = Subject(self._unit, self._declarations, loop, loop.kernel, self._target, ())
        view = lanes_view(subject, self.lanes)
        made = render(TEMPLATE, self._target.folder, self._target.name, v=view)
        lines = (line for line in made.rstrip("\n").split("\n") if line.strip())
        source = self._unit.source.text
        text = block("\n".join(lines), line_indent(source, loop.spans.whole.start))
        return text.replace("\n", "\r\n") if "\r\n" in source else text

    def within(self, span: Span) -> list[Edit]:
        """What replaces loops within `span`, itself included."""
        return [edit for start, edit in self._edits.items() if start in range(span.start, span.end)]

    def why(self, span: Span) -> tuple[tuple[str, bool, str], ...]:
        """What was said of the loops within `span`: (the feature's name, whether it was made, the reason)."""
        said = (text for start, text in sorted(self._reasons.items()) if start in range(span.start, span.end))
        return tuple(
            (LANES, not reason, f"line {line}: {reason or f'{self.lanes} iterations side by side'}")
            for line, reason in said
        )


def _candidates(facts: UnitFacts, unit: TranslationUnit) -> Iterator[LoopFacts]:
    """The parallel loops around an inner loop of which data may decide how long it is."""
    around = {loop.parent for loop in facts.loops}
    inner = (loop for loop in facts.loops if loop.id not in around)
    parents = {loop.parent for loop in inner if _may_end_early(loop, unit)}
    for loop in facts.loops:
        here = loop.spans is not None and loop.position.file == unit.source.path and loop.kind == "for"
        if loop.id in parents and here and loop.openmp and loop.kernel is not None and not loop.users:
            yield loop


def _may_end_early(loop: LoopFacts, unit: TranslationUnit) -> bool:
    text = unit.source.text
    if loop.kind != "for" or loop.spans is None or loop.position.file != unit.source.path:
        return loop.kind != "for"
    marks = words_in(loop.spans.body.of(text)) | set(loop.spans.header.of(text).replace("&&", " && ").split())
    return bool(marks & _MARKS)
