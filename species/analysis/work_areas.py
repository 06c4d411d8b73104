"""Loops whose iterations could run in any order if each had work areas of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any

from species.core.budget import GaveUp, spending
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loop_forms import WorkArea, WorkAreas
from species.facts.loops import LoopFacts
from species.kernels.overlap_conditions import disjointness
from species.kernels.unsigned_bounds import asked
from species.loops.model import FunctionModel, Loop, Reference
from species.loops.unsigned_bounds import Unclear
from species.loops.walk import FileModel
from species.regions.entry_names import EntryNames
from species.regions.hull import Regions
from species.source import TranslationUnit
from species.source.text.tokens import words_in
from species.stages.plain_headers import counts_to_bound
from species.stages.workspaces import WorkspaceJudge, keeps_area, pointers_in
from species.symbols.symbols import Symbol


class AreaFinder:
    """Answers for the functions of one file."""

    def __init__(self, unit: TranslationUnit, file: FileModel) -> None:
        self._unit, self._file = unit, file

    def found(
        self,
        model: FunctionModel,
        judgement: Judgement,
        facts: LoopFacts,
        says_so: Callable[[str], bool],
        *parts: Any,
    ) -> WorkAreas | None:
        """The work areas of a loop that is not shared by threads for want of them; `parts` make a judge."""
        loop, own = judgement.loop, pointers_in(judgement)
        if not own or not self._is_plain(model, loop, facts, own):
            return None
        with suppress(GaveUp, Unclear), spending((id(loop.node), "work areas")):
            return self._judged(model, WorkspaceJudge(*parts).having(own), loop, own, says_so)
        return None

    def _judged(
        self,
        model: FunctionModel,
        judge: WorkspaceJudge,
        loop: Loop,
        own: Collection[Symbol],
        says_so: Callable[[str], bool],
    ) -> WorkAreas | None:
        trial = judge.judge(loop)
        conditions = [*disjointness(model, judge, trial, says_so)]
        resolution, types = self._file.resolution, self._file.types
        if not trial.is_parallel or keeps_area(judge, loop, own, (resolution.symbols, types)):
            return None
        areas = list[WorkArea]()
        for symbol in sorted(own, key=lambda each: each.name):
            cells = [r for r in judge.placed(trial) if r.symbol is symbol and not r.place.is_variable]
            found = _area(model, judge, trial, symbol, cells) if cells else None
            if found is None:
                return None
            areas.append(found[0])
            conditions += found[1]
        texts = (*conditions, *(text for area in areas for text in (area.low, area.high)))
        if loop.iterator is None or not all(map(says_so, texts)):
            return None
        asked_once = tuple(dict.fromkeys(conditions))
        iterator = loop.iterator
        return WorkAreas(tuple(areas), asked_once, iterator.name, iterator.ctype.text, loop.declared_inside)

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


def _area(
    model: FunctionModel, judge: Judge, trial: Judgement, symbol: Symbol, cells: Sequence[Reference]
) -> tuple[WorkArea, tuple[str, ...]] | None:
    """The box around all cells that are touched, perhaps a larger one, and when that is right."""
    names = EntryNames(model, trial.loop, judge.references(trial.loop))
    plain = Regions(model, trial.loop, names, trial.provided, (trial.loop,))
    for regions, signs in ((plain, ()), plain.with_signs(cells)):
        region = regions.hull(cells)
        if region is not None and len(region.ranges) == 1:
            bounds, target = region.ranges[0], symbol.ctype.decayed.target
            assert target is not None
            element = target.text.removeprefix("const ")
            wraps = asked(regions, trial, cells, region.ranges)
            conditions = (*names.guards, *signs, *wraps)  # what is read in the texts behind them is there
            return WorkArea(symbol.name, element, bounds.low, bounds.high), conditions
    return None
