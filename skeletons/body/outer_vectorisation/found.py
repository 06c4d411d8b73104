"""The loops of a file whose iterations run side by side, and what is put in their place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from models.machine import Machine
from skeletons.body.outer_vectorisation.view import LanesView, lanes_view
from skeletons.catalogue.descriptor import Target
from skeletons.catalogue.passes import LANES
from skeletons.catalogue.rendering import render
from skeletons.kernel.chunks import free_names
from skeletons.kernel.context import InLanes, Subject
from species.core.positions import Span
from species.core.refusal import Refusal
from species.facts.loops import LoopFacts, UnitFacts
from species.source.syntax.declarations import Declarations
from species.source.syntax.expressions import NotPlain
from species.source.text.code import block, line_indent, words_in
from species.source.text.edits import Edit

if TYPE_CHECKING:
    from species.source import TranslationUnit

TEMPLATE = "lanes.j2"
_BYTES = 2  # of a vector for every lane: enough vectors of doubles for their operations to overlap
_MARKS = frozenset(("break", "&&"))


class Lanes:
    """The loops, by where they begin, and why others stay as they are."""

    def __init__(self, unit: TranslationUnit, facts: UnitFacts, target: Target, machine: Machine) -> None:
        self._unit, self._target = unit, target
        self._declarations = Declarations.of(unit.ast)
        self.lanes = machine.vector_bytes // _BYTES
        self._loops: dict[int, InLanes] = {}
        self._reasons: dict[int, tuple[int, str]] = {}  # by offset: the line, and why
        for loop in _candidates(facts, unit):
            self._add(loop)

    def _add(self, loop: LoopFacts) -> None:
        assert loop.spans is not None and loop.kernel is not None
        start, line = loop.spans.whole.start, loop.position.line
        subject = Subject(self._unit, self._declarations, loop, loop.kernel, self._target, ())
        try:
            lanes_view(subject, self.lanes, free_names(subject))
        except (Refusal, NotPlain) as refusal:
            self._reasons[start] = (line, str(refusal))
            return
        self._loops[start] = InLanes(subject, self.lanes)
        self._reasons[start] = (line, "")

    def within(self, span: Span) -> tuple[InLanes, ...]:
        """The loops within `span`, itself included."""
        return tuple(one for start, one in self._loops.items() if start in range(span.start, span.end))

    def edits(self, span: Span) -> list[Edit]:
        """What replaces loops of the host file within `span`, itself included."""
        return [Edit(one.subject.span, self._in_file(one)) for one in self.within(span)]

    def _in_file(self, one: InLanes) -> str:
        source, span = self._unit.source.text, one.subject.span
        view = lanes_view(one.subject, one.lanes, free_names(one.subject))
        made = rendered(one.subject, view, f"#pragma omp simd reduction(|:{view.names['more']})")
        text = block(made, line_indent(source, span.start))
        return text.replace("\n", "\r\n") if "\r\n" in source else text

    def why(self, span: Span, made: frozenset[int] | None = None) -> tuple[tuple[str, bool, str], ...]:
        """What was said of the loops within `span`: (the feature's name, whether it was made, the reason).

        `made`: where those loops begin that are so in a kernel; nothing is said of others that could be.
        """
        found = sorted((at, said) for at, said in self._reasons.items() if at in range(span.start, span.end))
        return tuple(
            (LANES, not reason, f"line {line}: {reason or f'{self.lanes} iterations side by side'}")
            for at, (line, reason) in found
            if reason or made is None or at in made
        )


def rendered(subject: Subject, view: LanesView, vectors: str) -> str:
    """The text of the loop; `vectors` stands before the loop of which vectors are made."""
    made = render(TEMPLATE, subject.target.folder, subject.target.name, v=view, vectors=vectors)
    return "\n".join(line for line in made.rstrip("\n").split("\n") if line.strip())


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
