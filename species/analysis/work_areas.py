"""Loops whose iterations could run in any order if each had work areas of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from species.core.budget import GaveUp, spending
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loop_forms import MemberSum, OwnStructure, WorkArea, WorkAreas
from species.facts.loops import LoopFacts
from species.kernels.overlap_conditions import disjointness
from species.kernels.unsigned_bounds import asked
from species.loops.model import FunctionModel, Loop, Place, Reference
from species.loops.unsigned_bounds import Unclear
from species.loops.walk import FileModel
from species.openmp.member_sums import neutral_of
from species.openmp.structure_copies import bytes_of
from species.regions.entry_names import EntryNames
from species.regions.hull import Regions
from species.source import TranslationUnit
from species.source.text.tokens import words_in
from species.stages.own_memory import OwnMemory, member_of, own_memory, structures_of
from species.stages.plain_headers import counts_to_bound
from species.stages.workspaces import WorkspaceJudge, keeps_area
from species.symbols.symbols import Symbol
from species.symbols.types import CType, TypeTable

TRIALS = 5  # of one loop


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
        loop, judge = judgement.loop, WorkspaceJudge(*parts)
        references = judge.references(loop)
        own = own_memory(judgement, references)
        with suppress(GaveUp, Unclear), spending((id(loop.node), "work areas")):
            for _ in range(TRIALS):
                if not own or not self._is_plain(model, loop, facts, own):
                    break
                trial, before = judge.having(own, self._file.types).judge(loop), own
                # What is said of some was wrong: the loop was known to be serial when they were looked at.
                own = (
                    own_memory(trial, references, own)
                    if trial.is_parallel
                    else own.without({finding.symbol for finding in trial.findings})
                )
                if trial.is_parallel and own == before:
                    return self._made(model, judge, trial, own, says_so)
        return None

    def _made(
        self,
        model: FunctionModel,
        judge: WorkspaceJudge,
        trial: Judgement,
        own: OwnMemory,
        says_so: Callable[[str], bool],
    ) -> WorkAreas | None:
        """With what the iterations of a loop may run in any order, which judge and trial show."""
        loop = trial.loop
        conditions = [*disjointness(model, judge, trial, says_so)]
        resolution, types = self._file.resolution, self._file.types
        if not trial.is_parallel or keeps_area(judge, loop, own, (resolution.symbols, types)):
            return None
        areas = list[WorkArea]()
        for symbol in sorted(own.areas, key=lambda each: each.name):
            placed = [r for r in judge.placed(trial) if r.symbol is symbol and not r.place.is_variable]
            cells = [replace(r, place=replace(r.place, path=r.place.path[:1])) for r in placed]
            found = _area(model, judge, trial, symbol, cells) if cells else None
            if found is None:
                return None
            areas.append(_of_structure(found[0], own.owners.get(symbol)))
            conditions += found[1]
        read = {(r.symbol, member_of(r.place)) for r in judge.references(loop) if not r.write}
        structures = [
            _structure(symbol, ctype, {a.member for a in areas if a.owner == symbol.name}, types, trial, read)
            for symbol, ctype in structures_of(own)
        ]
        texts = (*conditions, *(text for area in areas for text in (area.low, area.high)))
        if loop.iterator is None or not all(map(says_so, texts)) or not all(structures):
            return None
        asked_once = tuple(dict.fromkeys(conditions))
        iterator = loop.iterator
        counts = iterator.name, iterator.ctype.text, loop.declared_inside
        return WorkAreas(tuple(areas), tuple(filter(None, structures)), asked_once, *counts)

    def _is_plain(self, model: FunctionModel, loop: Loop, facts: LoopFacts, own: OwnMemory) -> bool:
        """Has the loop a header that can be written anew, and are the pointers named in its body, those to
        areas nowhere else?
        """
        spans = facts.spans
        if self._file.effects.summaries.may_call_itself(model.name):
            return False  # areas of all calls would fill the stack
        if spans is None or facts.position.file != self._unit.source.path:
            return False
        text = self._unit.source.text
        header, body = (set(words_in(span.of(text))) for span in (spans.header, spans.body))
        named = all(symbol.name in body for symbol in own.variables)
        named = named and not any(symbol.name in header for symbol in own.areas)
        local = self._file.resolution.visible.get(id(loop.node), {})
        seen = all(local.get(symbol.name) is symbol for symbol in own.variables)
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
            if "@" in element:
                return None  # a structure without a name
            wraps = asked(regions, trial, cells, region.ranges)
            conditions = (*names.guards, *signs, *wraps)  # what is read in the texts behind them is there
            positive = _is_unsigned(bounds.low, judge.references(trial.loop))
            return WorkArea(symbol.name, element, bounds.low, bounds.high, positive), conditions
    return None


def _is_unsigned(text: str, references: Sequence[Reference]) -> bool:
    """Is it an unsigned variable, in C of which compilers say that it is never negative?"""
    name = text.removeprefix("(long)")
    return any(r.symbol.name == name and r.symbol.ctype.unsigned for r in references)


def _of_structure(area: WorkArea, owner: Place | None) -> WorkArea:
    """The area as that of a member of a structure, if its pointer is one."""
    if owner is None:
        return area
    return replace(area, variable=owner.name, owner=owner.symbol.name, member=member_of(owner))


def _structure(
    symbol: Symbol,
    ctype: CType,
    areas: Collection[str],
    types: TypeTable,
    trial: Judgement,
    read: Collection[tuple[Symbol, str]],
) -> OwnStructure | None:
    """How to copy a structure, some members of which lead to areas; None: it, or a member, has no name, or
    one cannot be assigned, or there may be less of it.

    Of truth values those are copied that are `read`: others may be none, and nobody may load those.
    """
    members, arrays, sums = list[str](), list[str](), list[MemberSum]()
    for combined in trial.reductions:
        place, operator = combined.place, combined.operator
        if place.symbol is symbol:
            text = place.ctype.text.removeprefix("const ")
            sums.append(MemberSum(member_of(place), text, operator, neutral_of(trial.loop, combined), ()))
    left_out = {*areas, *(each.text for each in sums)}
    if "@" in ctype.text or types.has_open_end(ctype) or len(left_out) < len(areas) + len(sums):
        return None
    for path, member in _copied(ctype, "", left_out, types):
        if "@" in path:
            return None
        dimensions = "[]" * _dimensions(member)
        if dimensions and not types.is_assignable(member):
            return None
        if member.element.bits == 1 and (symbol, path) not in read:
            continue
        (arrays if dimensions else members).append(path + dimensions)
    name, is_pointer = ctype.text.removeprefix("const "), symbol.ctype.kind == "pointer"
    const = is_pointer and ctype.const
    parts = tuple(members), tuple(arrays), tuple(sums)
    return OwnStructure(symbol.name, name, is_pointer, const, *parts, bytes_of(ctype, types))


def _dimensions(ctype: CType) -> int:
    return 1 + _dimensions(ctype.target) if ctype.kind == "array" and ctype.target is not None else 0


def _copied(
    ctype: CType, path: str, left_out: Collection[str], types: TypeTable
) -> Iterator[tuple[str, CType]]:
    """The members of a structure but some, by their paths; whole ones where none of those is in them."""
    for name, member in types.named_members(ctype).items():
        here = f"{path}.{name}"
        if any(each.startswith(f"{here}.") for each in left_out):
            yield from _copied(member, here, left_out, types)
        elif here not in left_out:
            yield here, member
