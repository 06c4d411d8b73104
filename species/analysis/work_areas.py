"""Loops whose iterations could run in any order if each had work areas of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from species.core.budget import GaveUp, spending
from species.dependence.judgement import Judgement
from species.facts.loop_forms import WorkArea, WorkAreas
from species.facts.loops import KernelArray, LoopFacts
from species.kernels.build import KernelBuilder
from species.kernels.overlap_conditions import disjointness
from species.loops.model import FunctionModel, Loop
from species.loops.walk import FileModel
from species.openmp.structure_copies import StructureCopies
from species.source import TranslationUnit
from species.source.text.tokens import words_in
from species.stages.plain_headers import counts_to_bound
from species.stages.workspaces import WorkspaceJudge, keeps_area, pointers_in
from species.symbols.symbols import Symbol


class AreaFinder:
    """Answers for the functions of one file."""

    def __init__(self, unit: TranslationUnit, file: FileModel, kernels: KernelBuilder) -> None:
        self._unit, self._file, self._kernels = unit, file, kernels

    def found(
        self,
        model: FunctionModel,
        judgement: Judgement,
        facts: LoopFacts,
        copies: StructureCopies,
        says_so: Callable[[str], bool],
        *parts: Any,
    ) -> WorkAreas | None:
        """The work areas of a loop that is not shared by threads for want of them; `parts` make a judge."""
        loop, own = judgement.loop, pointers_in(judgement)
        if not own or not self._is_plain(model, loop, facts, own):
            return None
        trial, judge = Judgement(loop), WorkspaceJudge(*parts).having(own)
        conditions, kernel = dict[str, str](), None
        with suppress(GaveUp), spending((id(loop.node), "work areas")):
            trial = judge.judge(loop)
            conditions = disjointness(model, judge, trial, says_so)
            if trial.is_parallel and not keeps_area(judge, loop, own, self._tables):
                stated = replace(facts, conditions=tuple(conditions))
                kernel = self._kernels.build(model, judge, copies, trial, (loop,), stated)
        if kernel is None or loop.iterator is None:
            return None
        areas = tuple(_areas(kernel.arrays, own))
        asked = (*conditions, *kernel.provided)
        texts = (*asked, *(text for area in areas for text in (area.low, area.high)))
        if len(areas) < len(own) or not all(map(says_so, texts)):
            return None
        return WorkAreas(areas, asked, loop.iterator.name, loop.iterator.ctype.text, loop.declared_inside)

    @property
    def _tables(self) -> tuple[Any, Any]:
        return self._file.resolution.symbols, self._file.types

    def _is_plain(self, model: FunctionModel, loop: Loop, facts: LoopFacts, own: Collection[Symbol]) -> bool:
        """Has the loop a header that can be written anew, and are the pointers named in its body only?"""
        spans = facts.spans
        if self._file.effects.summaries.may_call_itself(model.name):
            return False  # areas of all calls would fill the stack
        if spans is None or facts.position.file != self._unit.source.path:
            return False
        text = self._unit.source.text
        header, body = (set(words_in(span.of(text))) for span in (spans.header, spans.body))
        named = all(symbol.name in body and symbol.name not in header for symbol in own)
        local = self._file.resolution.visible.get(id(loop.node), {})
        seen = all(local.get(symbol.name) is symbol for symbol in own)
        return named and seen and counts_to_bound(model, loop, self._file.resolution, self._file.types)


def _areas(arrays: Sequence[KernelArray], own: Collection[Symbol]) -> Iterator[WorkArea]:
    names = {symbol.name for symbol in own}
    for array in arrays:
        if array.name in names and array.writes and len(array.writes) == 1 and not array.reads:
            yield WorkArea(array.name, array.element, array.writes[0].low, array.writes[0].high)
