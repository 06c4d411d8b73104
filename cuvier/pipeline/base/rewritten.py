"""A file in other words than the user's: its loops are told of by the places of those that they stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from skeletons import Program
from species.core.positions import LoopSpans, Span
from species.facts.loops import Kernel, KernelArray, KernelScalar, LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.text.rewriting import Rewriting

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Rewritten:
    """The file in other words; `stood`: where loops stood that others stand for, by the ids of the latter."""

    unit: TranslationUnit
    facts: UnitFacts
    written: Rewriting
    stood: Mapping[str, LoopSpans] = field(default_factory=dict, kw_only=True)

    @property
    def places(self) -> tuple[Span, ...]:
        """What is no kernel's neighbour: nothing."""
        return ()

    def in_source(self, program: Program) -> Program:
        """The program, its loops where they stand in the file."""
        return replace(program, replaced=tuple(map(self._in_source, program.replaced)))

    def _in_source(self, loop: LoopFacts) -> LoopFacts:
        assert loop.spans is not None
        parts = (loop.spans.whole, loop.spans.header, loop.spans.body)
        kernel = self._of_file(loop.kernel) if loop.kernel is not None else None
        spans = self.stood.get(loop.id, LoopSpans(*map(self._original, parts)))
        return replace(loop, kernel=kernel, spans=spans)

    @cached_property
    def _ours(self) -> frozenset[str]:
        """The words that only the new text has."""
        return frozenset(_WORD.findall(self.written.text)) - {*_WORD.findall(self.written.original)}

    def _of_file(self, kernel: Kernel) -> Kernel:
        """The kernel without what variables of ours say where it is, or are: the file has none of them."""
        arrays = tuple(each for each in kernel.arrays if self._is_of_file(each))
        scalars = tuple(each for each in kernel.scalars if self._is_of_file(each))
        return replace(kernel, arrays=arrays, scalars=scalars)

    def _is_of_file(self, part: KernelArray | KernelScalar) -> bool:
        return self._ours.isdisjoint(_WORD.findall(repr(part)))

    def _original(self, span: Span) -> Span:
        return Span(self.written.origin(span.start), self.written.origin(span.end))


def ids_at(facts: UnitFacts, starts: Mapping[str, int | None]) -> dict[str, str]:
    """The ids of the loops that begin at places in the text, by any keys; empty where none does."""
    found = {loop.spans.whole.start: loop.id for loop in facts.loops if loop.spans is not None}
    return {key: found.get(-1 if start is None else start, "") for key, start in starts.items()}
