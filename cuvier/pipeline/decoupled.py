"""Serial loops in stages: `for (int i = 0; i < n; i++) { double v = work(i); printf("%f\\n", v); }` as

    { int from = 0; while (from < n) { const int end = n - from > 1024 ? from + 1024 : n; double v_of[1024];
        for (int i = from; i < end; i++) { double v = work(i); v_of[i - from] = v; }
        for (int i = from; i < end; i++) { double v = v_of[i - from]; printf("%f\\n", v); } from = end; } }

Threads may share the first of these loops.  (Stages that run one after the other, a chunk at a time, need no
queues between threads, and keep all of them at the parallel one.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from cuvier.pipeline.macro_headers import Spelt
from cuvier.pipeline.stage import Again
from models.machine import Machine
from models.profitability import profitable
from skeletons import Program
from skeletons.kernel.names import FreshNames
from species.core.positions import LoopSpans, Span
from species.facts.loops import Handed, LoopFacts, Stages, UnitFacts
from species.source import TranslationUnit
from species.source.text.edits import Edit
from species.source.text.for_headers import header_parts
from species.source.text.rewriting import Rewriting
from species.source.text.tokens import code_tokens
from transfers.fuse.names import on_one_line

CHUNK, SHORT = 1024, 128  # iterations in a chunk, and where much is handed on: it is on the stack
MANY = 4  # variables that are handed on
_START = re.compile(r"(?:[\w\s]*\s)?(\w+)\s*=([^,]*)")  # of a header that sets one variable


@dataclass(frozen=True)
class Decoupled(Spelt):
    """The file with such loops; where those stood of which the parallel stages are, by the ids of these."""

    loops: Mapping[str, LoopSpans]

    def in_source(self, program: Program) -> Program:
        """The program, its loops where they stand in the file, of which a stage stands for all."""
        made = super().in_source(program).replaced
        placed = (replace(each, spans=self.loops.get(each.id, each.spans)) for each in made)
        return replace(program, replaced=tuple(placed))


def decoupled(
    unit: TranslationUnit, facts: UnitFacts, machine: Machine | None, again: Again
) -> Decoupled | None:
    """The file with serial loops in stages, where threads can share the parallel one; None: there are none.

    With a `machine`, only where that is worth it there.
    """
    wanted = [loop for loop in facts.loops if _is_wanted(loop, facts, unit)]
    while wanted:
        names = FreshNames({token.text for token in code_tokens(unit.source.text)})
        edits = [edit for loop in wanted for edit in _edits(unit, loop, names)]
        text = Rewriting(unit.source.text, tuple(sorted(edits, key=lambda edit: edit.span.start)))
        other, now = again(text.text)
        known = profitable(other, now, machine, copies=True) if machine is not None else now
        after = {loop.id: loop for loop in known.loops}
        shared = [loop for loop in wanted if is_shared(after.get(_parallel(loop)))]
        if shared == wanted:
            return Decoupled(other, now, text, {_parallel(loop): loop.spans for loop in wanted if loop.spans})
        wanted = shared
    return None


def _is_wanted(loop: LoopFacts, facts: UnitFacts, unit: TranslationUnit) -> bool:
    """Has it a parallel stage, no such loop around it, and none that threads share?"""
    if loop.stages is None or loop.users or loop.spans is None:
        return False
    parts = header_parts(loop.spans.header.of(unit.source.text))
    start = parts[0].of(loop.spans.header.of(unit.source.text)).strip() if parts is not None else ","
    around = [other for other in facts.loops if loop.id.startswith(f"{other.id}.")]
    plain = not start or _START.fullmatch(start) is not None
    return plain and not any(other.stages or other.verdict.is_parallel for other in around)


def _parallel(loop: LoopFacts) -> str:
    """The loop of the parallel stage, in the one over chunks."""
    assert loop.stages is not None
    return f"{loop.id}.{1 if loop.stages.first is None else 2}"


def is_shared(loop: LoopFacts | None) -> bool:
    """Do threads share the loop, or would they?"""
    if loop is None or not loop.verdict.is_parallel or loop.unprofitable:
        return False
    return loop.openmp or (loop.kernel is not None and not loop.kernel.sharing_obstacle)


def _edits(unit: TranslationUnit, loop: LoopFacts, names: FreshNames) -> Iterator[Edit]:
    assert loop.spans is not None and loop.stages is not None
    stages, body, text = loop.stages, loop.spans.body, unit.source.text
    header = loop.spans.header.of(text)
    parts = header_parts(header)
    assert parts is not None
    start, test = (on_one_line(part.of(header)).strip() for part in parts[:2])
    found, sign = _START.fullmatch(start), "<=" if "<=" in test else "<"
    bound = test.partition(sign)[2].strip()
    i, own = stages.iterator, f"{stages.ctype} "
    first, end = names.fresh(f"{i}_from"), names.fresh(f"{i}_end")
    kept = _kept(stages)
    chunk = SHORT if any(each.is_structure for each in kept.values()) or len(kept) > MANY else CHUNK
    wide = "" if stages.ctype in ("long", "size_t") else "(long)"
    beyond, more = (f"({bound}) + 1", ">=") if sign == "<=" else (f"({bound})", ">")
    last = f"{wide}({bound}) - {first} {more} {chunk} ? {first} + {chunk} : {beyond}"
    tables = {variable: names.fresh(f"{variable}_of") for variable in kept}
    declared = "".join(f" {_typed(each.ctype)}{tables[v]}[{chunk}];" for v, each in kept.items())
    head = f"for ({own}{i} = {first}; {i} < {end}; {i}++)"
    opened = f"{{ {own}{first} = {found[2].strip() if found else i}; while ({first} {sign} {bound}) {{"
    yield Edit(
        loop.spans.header,
        f"{opened} const {own}{end} = {last};{declared} {head}" + "\n" * header.count("\n"),
    )
    place = f"[{i} - {first}]"
    for stage, at in ((1, stages.first), (2, stages.last)):
        if at is None:
            continue
        stored = "".join(f" {tables[v]}{place} = {v};" for v in _noted_after(stages, stage - 1))
        loaded = "".join(_loaded(each, tables, place, text) for each in stages.handed if each.stage == stage)
        yield Edit(Span(at, at), f"{stored} }} {head} {{{loaded}")
    after = "" if stages.declared_inside else f" {i} = {first};"
    yield Edit(Span(body.end, body.end), f" {first} = {end}; }}{after} }}")


def _kept(stages: Stages) -> dict[str, Handed]:
    """By variable, what has a value for each iteration."""
    return {each.variable: each for each in stages.handed if each.noted}


def _noted_after(stages: Stages, stage: int) -> list[str]:
    """The variables whose values are noted at the end of a stage."""
    return list(dict.fromkeys(each.variable for each in stages.handed if stage in each.noted))


def _loaded(each: Handed, tables: dict[str, str], place: str, text: str) -> str:
    """The variable's declaration in a later stage."""
    if each.again is not None:
        return f" {on_one_line(each.again.of(text)).strip()}"
    value = f" = {tables[each.variable]}{place}" if each.noted else ""
    return f" {_typed(each.ctype)}{each.variable}{value};"


def _typed(ctype: str) -> str:
    return f"{ctype}{'' if ctype.endswith('*') else ' '}"
