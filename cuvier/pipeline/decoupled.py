"""Serial loops in stages: `for (int i = 0; i < n; i++) { double v = work(i); printf("%f\\n", v); }` as

    { int from = 0; double v_of[1024]; while (from < n) { const int end = n - from > 1024 ? from + 1024 : n;
        for (int i = from; i < end; i++) { double v = work(i); v_of[i - from] = v; }
        for (int i = from; i < end; i++) { double v = v_of[i - from]; printf("%f\\n", v); } from = end; } }

Threads may share the first of these loops.  (Stages that run one after the other, a chunk at a time, need no
queues between threads, and keep all of them at the parallel one.)
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator

from cuvier.pipeline.base.chunks import chunks
from cuvier.pipeline.base.counted_header import counted_header
from cuvier.pipeline.base.rewritten import Rewritten
from cuvier.pipeline.base.settle import settle
from cuvier.pipeline.base.shared import loops_around, shared_by_threads
from cuvier.pipeline.base.stage import Again
from skeletons import CompileOptions
from skeletons.kernel.names import FreshNames
from skeletons.kernel.spelling import user_words
from species.core.positions import Span
from species.facts.loop_forms import Handed, Stages
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting
from transfers.fuse.names import on_one_line

STACK = 32_768  # bytes of it that tables take, at most
LONG, SHORT = 8192, 128  # iterations in a chunk at most, and where structures are handed on
_BYTES = {"char": 1, "short": 2, "int": 4, "float": 4, "unsigned": 4, "unsigned int": 4}


def decoupled(
    unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, again: Again
) -> Rewritten | None:
    """The file with serial loops in stages, where threads share the parallel one; None: there are none."""
    wanted = [loop for loop in facts.loops if _is_wanted(loop, facts, unit)]

    def propose(refused: Container[str]) -> Rewritten | None:
        left = [loop for loop in wanted if _parallel(loop) not in refused]
        names = FreshNames(user_words(unit))
        edits = [edit for loop in left for edit in _edits(unit, loop, names)]
        text = Rewriting(unit.source.text, tuple(sorted(edits, key=lambda edit: edit.span.start)))
        places = {_parallel(loop): loop.spans for loop in left if loop.spans is not None}
        return Rewritten(*again(text.text), text, stood=places) if left else None

    def unserved(made: Rewritten) -> dict[str, str]:
        shared = shared_by_threads(made.unit, made.facts, options)
        return {each: "threads do not share it" for each in made.stood if each not in shared}

    return settle(propose, unserved)


def _is_wanted(loop: LoopFacts, facts: UnitFacts, unit: TranslationUnit) -> bool:
    """Has it a parallel stage, no such loop around it, and none that threads share?"""
    if loop.stages is None or loop.users or loop.spans is None:
        return False
    header = counted_header(loop.spans.header.of(unit.source.text), loop.stages.iterator)
    around = loops_around(loop, facts)
    return header is not None and not any(other.stages or other.verdict.is_parallel for other in around)


def _parallel(loop: LoopFacts) -> str:
    """The loop of the parallel stage, in the one over chunks."""
    assert loop.stages is not None
    return f"{loop.id}.{1 if loop.stages.first is None else 2}"


def _edits(unit: TranslationUnit, loop: LoopFacts, names: FreshNames) -> Iterator[Edit]:
    assert loop.spans is not None and loop.stages is not None
    stages, body, text = loop.stages, loop.spans.body, unit.source.text
    header, i = loop.spans.header.of(text), stages.iterator
    parts, kept = chunks(header, stages, names), _kept(stages)
    chunk = _chunk(kept.values())
    tables = {variable: names.fresh(f"{variable}_of") for variable in kept}
    declared = "".join(f" {_typed(each.ctype)}{tables[v]}[{chunk}];" for v, each in kept.items())
    # Tables are declared before the loop: gcc 12 lets those in it share their place with what regions need.
    opened = f"{parts.opened(declared, str(chunk))} {parts.head}"
    yield Edit(loop.spans.header, opened + "\n" * header.count("\n"))
    place = f"[{i} - {parts.first}]"
    for stage, at in ((1, stages.first), (2, stages.last)):
        if at is None:
            continue
        stored = "".join(f" {tables[v]}{place} = {v};" for v in _noted_after(stages, stage - 1))
        stored += "".join(f" (void){v};" for v in _declared_in(stages, stage - 1))
        loaded = "".join(_loaded(each, tables, place, text) for each in stages.handed if each.stage == stage)
        yield Edit(Span(at, at), f"{stored} }} {parts.head} {{{loaded}")
    yield Edit(Span(body.end, body.end), parts.closed)


def _chunk(kept: Collection[Handed]) -> int:
    """How many iterations are in a chunk: a power of two, so that there is room for what they hand on."""
    if any(each.is_structure for each in kept):
        return SHORT
    room = STACK // max(1, sum(_BYTES.get(each.ctype, 8) for each in kept))
    return int(min(LONG, 1 << room.bit_length() - 1))


def _kept(stages: Stages) -> dict[str, Handed]:
    """By variable, what has a value for each iteration."""
    return {each.variable: each for each in stages.handed if each.noted}


def _noted_after(stages: Stages, stage: int) -> list[str]:
    """The variables whose values are noted at the end of a stage."""
    return list(dict.fromkeys(each.variable for each in stages.handed if stage in each.noted))


def _declared_in(stages: Stages, stage: int) -> list[str]:
    """The variables, declared in a stage, that later ones compute again, and may be the only ones to use."""
    start, end = (-1, stages.first, stages.last)[stage] or -1, (stages.first, stages.last)[stage] or 0
    again = (each for each in stages.handed if each.again is not None and start <= each.again.start < end)
    return list(dict.fromkeys(each.variable for each in again))


def _loaded(each: Handed, tables: dict[str, str], place: str, text: str) -> str:
    """The variable's declaration in a later stage."""
    if each.again is not None:
        return f" {on_one_line(each.again.of(text)).strip()}"
    value = f" = {tables[each.variable]}{place}" if each.noted else ""
    return f" {_typed(each.ctype)}{each.variable}{value};"


def _typed(ctype: str) -> str:
    return f"{ctype}{'' if ctype.endswith('*') else ' '}"
