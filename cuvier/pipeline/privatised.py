"""Variables with static storage of which each thread has its own: buffers, by `threadprivate`, and tallies:

    static long hits;                          static long hits; _Pragma("omp threadprivate(hits)")
    for (int i = 0; i < n; i++)                { save hits; for (int part = 0; part < parts; part++) {
        shoot(i);  /* hits++ */                    hits = 0; for (int i = from; i < to; i++) shoot(i);
                                                   hits_of[part] = hits; } combine hits; }

Parts are the same with any number of threads, and so are sums.  (`reduction` is for names in the loop's own
text; functions that it calls would count in the variable itself.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from cuvier.pipeline.base.counted_header import counted_header
from cuvier.pipeline.base.reading import Known
from cuvier.pipeline.base.rewritten import Rewritten, ids_at
from cuvier.pipeline.base.settle import settle
from cuvier.pipeline.base.shared import loops_around, shared_by_threads
from cuvier.pipeline.base.stage import Again
from cuvier.pipeline.tallies import in_parts, over
from skeletons import CompileOptions
from skeletons.catalogue.passes import may_be_rounded
from skeletons.kernel.names import FreshNames
from skeletons.kernel.spelling import user_words
from species.core.positions import Span
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting

CELLS = 8192  # of all tallies of a loop, at most


@dataclass(frozen=True)
class Privatised(Rewritten):
    """The file with such variables; by the ids of the loops, those of the ones that stand for them."""

    known: Known
    loops: Mapping[str, str]


def privatised(
    unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, reading: Callable[[Known], Again]
) -> Privatised | None:
    """The file with such variables, where threads can share loops then; None: there are none."""
    wanted = [loop for loop in facts.loops if _is_wanted(loop, facts, unit, options)]
    before = _starts(facts, shared_by_threads(unit, facts, options)) if wanted else frozenset()

    def propose(refused: Container[str]) -> Privatised | None:
        left = [loop for loop in wanted if loop.id not in refused]
        inside = _inside(left, facts)  # these have no need of threads of their own
        outermost = [loop for loop in left if loop.id not in inside]
        return _made(unit, outermost, reading) if outermost else None

    def unserved(made: Privatised) -> dict[str, str]:
        shared = shared_by_threads(made.unit, made.facts, options)
        left = {old: "threads do not share it" for old, new in made.loops.items() if new not in shared}
        parallel = {loop.id for loop in made.facts.loops if loop.verdict.is_parallel}
        now = {made.written.origin(start) for start in _starts(made.facts, parallel)}
        lost = before - now - _starts(facts, _inside(wanted, facts)) if not left else frozenset()
        return {**left, **(dict.fromkeys(made.loops, "others would be lost") if lost else {})}

    return settle(propose, unserved)


def _inside(loops: Iterable[LoopFacts], facts: UnitFacts) -> set[str]:
    """The ids of the loops that others execute."""
    functions = {name for loop in loops if loop.own_copies for name in loop.own_copies.functions}
    nested = tuple(f"{loop.id}." for loop in loops)
    return {each.id for each in facts.loops if each.function in functions or each.id.startswith(nested)}


def _starts(facts: UnitFacts, ids: Collection[str]) -> frozenset[int]:
    """Where these loops stand in the file."""
    found = (loop.spans for loop in facts.loops if loop.id in ids and loop.position.file == facts.file)
    return frozenset(spans.whole.start for spans in found if spans is not None)


def _is_wanted(loop: LoopFacts, facts: UnitFacts, unit: TranslationUnit, options: CompileOptions) -> bool:
    """Has it such variables, and is in no such loop, nor in one that threads share?"""
    own = loop.own_copies
    if own is None or loop.users or loop.spans is None or loop.position.file != unit.source.path:
        return False
    around = loops_around(loop, facts)
    if any(other.own_copies or other.verdict.is_parallel for other in around):
        return False
    if not own.tallies:
        return True
    header = loop.spans.header.of(unit.source.text)
    rounded = any(may_be_rounded(each.element) and each.operator in "+-*" for each in own.tallies)
    fits = sum(prod(each.shape) for each in own.tallies) <= CELLS
    plain = "#" not in header and counted_header(header, own.iterator) is not None
    return plain and fits and not (rounded and options.strict_fp)


def _made(unit: TranslationUnit, loops: Sequence[LoopFacts], reading: Callable[[Known], Again]) -> Privatised:
    names = FreshNames(user_words(unit))
    tallying = [loop for loop in loops if loop.own_copies and loop.own_copies.tallies]
    parts = {loop.id: names.fresh("part") for loop in tallying}
    edits = [*_directives(loops)]
    for loop in loops:
        if loop.id in parts:
            edits += in_parts(unit, loop, parts[loop.id], names)
    written = Rewriting(unit.source.text, tuple(sorted(edits, key=lambda edit: edit.span)))
    variables = (each.variable for loop in loops if loop.own_copies for each in loop.own_copies.copies)
    iterators = {loop.id: loop.own_copies.iterator for loop in tallying if loop.own_copies}
    pairs = ((part, iterators[each]) for each, part in parts.items())
    known = Known(per_thread=frozenset(variables), parts_of_loops=frozenset(pairs))
    read = reading(known)(written.text)
    starts = {loop.id: written.place(loop.spans.whole.start) for loop in loops if loop.spans is not None}
    starts |= {each: written.text.index(over(part)) for each, part in parts.items()}
    now = ids_at(read[1], starts)
    stood = {now[loop.id]: loop.spans for loop in loops if loop.spans is not None}
    return Privatised(*read, written, known, now, stood=stood)


def _directives(loops: Iterable[LoopFacts]) -> Iterator[Edit]:
    """Behind the declarations of the variables, on their lines, so that the others stay where they are."""
    named: dict[int, set[str]] = {}
    for copies in (loop.own_copies.copies for loop in loops if loop.own_copies):
        for each in copies:
            named.setdefault(each.declared, set()).add(each.variable)
    for place, variables in named.items():
        yield Edit(Span(place, place), f' _Pragma("omp threadprivate({", ".join(sorted(variables))})")')
