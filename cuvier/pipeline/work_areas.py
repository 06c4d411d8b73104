"""Work areas behind pointers, of which every iteration has its own: `for (i = 0; i < n; i++) f(i, work);` as

    { long next = 0;
      if (next < n && the part of `work` that is used fits) {
        const long last = n - 1;
        for (long at = next; at < last; at++) {
          const int i = at; double work_own[4096], *work = work_own; f(i, work); }
        next = last; }
      for (int i = next; i < n; i++) f(i, work); }

Where the pointer is a member, `plan->work`, iterations have a copy of the structure, whose member leads to
their own area.  The last iteration leaves in the memory itself what all of them would have left there (array
privatisation: Tu and Padua 1993), and where iterations cannot have their own, the second loop makes them all.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from cuvier.pipeline.base.counted_header import counted_header
from cuvier.pipeline.base.rewritten import Rewritten, ids_at
from cuvier.pipeline.base.settle import settle
from cuvier.pipeline.base.shared import loops_around, shared_by_threads
from cuvier.pipeline.base.stage import Again
from cuvier.pipeline.member_sums import reorders_sums
from cuvier.pipeline.own_structures import StructureCopy, is_cheap, word_of
from models.estimate import Program, estimates
from skeletons import CompileOptions
from skeletons.kernel.array_views import BYTES as BYTES_OF
from skeletons.kernel.chunks import can_stand_twice
from skeletons.kernel.names import FreshNames
from skeletons.kernel.spelling import user_words
from species.core.positions import Span
from species.facts.loop_forms import OwnStructure, WorkArea
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.text.code import on_one_line
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting
from species.source.text.tokens import words_in

BYTES = 32768  # of the stack for each area
_STRUCTURE = 64  # bytes of one are taken to be so many
ALIGNED = 64  # bytes: a line of caches, the longest vector
MOST = 4  # areas of a loop


@dataclass(frozen=True)
class Separated(Rewritten):
    """The file with such areas; by the ids of the loops, those of the ones that have them."""

    loops: Mapping[str, str]


def with_work_areas(
    unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, again: Again
) -> Separated | None:
    """The file with such areas, where threads can share the loops then; None: there are none."""
    shared = (
        shared_by_threads(unit, facts, options) if any(loop.work_areas for loop in facts.loops) else set()
    )
    wanted = [loop for loop in facts.loops if _is_wanted(loop, facts, unit, shared, options)]
    known = estimates(unit, facts, Program.of(unit.ast)) if wanted else {}
    wanted = [loop for loop in wanted if is_cheap(_copied(loop), known.get(loop.id), options)]

    def propose(refused: Container[str]) -> Separated | None:
        left = [loop for loop in wanted if loop.id not in refused]
        return _made(unit, left, again) if left else None

    def unserved(made: Separated) -> dict[str, str]:
        now = shared_by_threads(made.unit, made.facts, options)
        return {old: "threads do not share it" for old, new in made.loops.items() if new not in now}

    return settle(propose, unserved)


def _is_wanted(
    loop: LoopFacts, facts: UnitFacts, unit: TranslationUnit, shared: set[str], options: CompileOptions
) -> bool:
    """Has it such areas, and is in no such loop, nor in one that threads share?"""
    own = loop.work_areas
    if own is None or len(own.areas) > MOST or loop.users:
        return False
    if loop.spans is None or loop.position.file != unit.source.path:
        return False
    if options.strict_fp and any(reorders_sums(each.sums) for each in own.structures):
        return False
    text, header = (span.of(unit.source.text) for span in (loop.spans.whole, loop.spans.header))
    if not all(map(_may_fit, own.areas)):
        return False
    if any(each.sums for each in own.structures) and "continue" in words_in(text):
        return False  # what behind the iteration combines its values would be left out
    if "#" in text or not can_stand_twice(text) or counted_header(header, own.iterator) is None:
        return False
    return not any(other.work_areas or other.id in shared for other in loops_around(loop, facts))


def _copied(loop: LoopFacts) -> tuple[OwnStructure, ...]:
    return loop.work_areas.structures if loop.work_areas is not None else ()


def _made(unit: TranslationUnit, loops: list[LoopFacts], again: Again) -> Separated:
    names = FreshNames(user_words(unit))
    counters = {loop.id: names.fresh("at") for loop in loops}
    edits = [edit for loop in loops for edit in _edits(loop, unit.source.text, counters[loop.id], names)]
    written = Rewriting(unit.source.text, tuple(sorted(edits, key=lambda edit: edit.span)))
    read = again(written.text)
    starts = {each: written.text.index(_over(at)) for each, at in counters.items()}
    now = ids_at(read[1], dict(starts))
    stood = {now[loop.id]: loop.spans for loop in loops if loop.spans is not None}
    return Separated(*read, written, now, stood=stood)


def _over(at: str) -> str:
    """How the header of a loop whose iterations have their own begins, by its counter."""
    return f"for (long {at} = "


def _edits(loop: LoopFacts, text: str, at: str, names: FreshNames) -> Iterator[Edit]:
    assert loop.spans is not None and loop.work_areas is not None
    own, spans, i = loop.work_areas, loop.spans, loop.work_areas.iterator
    header = counted_header(spans.header.of(text), i)
    assert header is not None
    following, last = names.fresh(f"{i}_next"), names.fresh(f"{i}_last")
    copies = [StructureCopy.of(each, names) for each in own.structures]
    fits = (*own.conditions, *(t for each in own.areas for t in _fits(each)), *(c.fits for c in copies))
    sums = [sum_ for copy in copies for sum_ in copy.sums]
    before = (
        f"{{ {''.join((*(c.found for c in copies), *(s.declared for s in sums)))}"
        f"long {following} = {header.start}; "
        f"if ({' && '.join((f'{following} < (long){header.beyond}', *(f'({test})' for test in fits)))}) {{ "
        f"const long {last} = (long){header.beyond} - 1; "
        f"{_over(at)}{following}; {at} < {last}; {at}++) {{ const {own.ctype} {i} = {at}; (void){i}; "
    )
    memory = {area: names.fresh(f"{word_of(area.variable)}_own") for area in own.areas}
    made = "".join(
        (*(_declared(a, name) for a, name in memory.items()), *(c.made(memory, names) for c in copies))
    )
    yield Edit(spans.header, before + made + "\n" * spans.header.of(text).count("\n"))
    declared = f"{own.ctype} " if own.declared_inside else ""
    rest = f"for ({declared}{i} = {following}; {i} {header.sign} {header.bound}; {i}++) "
    added, combined = ("".join(getattr(s, part) for s in sums) for part in ("added", "combined"))
    after = f" {added}}} {following} = {last}; {combined}}} {rest}{on_one_line(spans.body.of(text))} }}"
    yield Edit(Span(spans.whole.end, spans.whole.end), after)


def _may_fit(area: WorkArea) -> bool:
    size = BYTES_OF.get(area.element, _STRUCTURE)
    return not area.high.isdigit() or (int(area.high) + 1) * size <= BYTES


def _cells(area: WorkArea) -> str:
    """How many elements there is room for."""
    return str(int(area.high) + 1) if area.high.isdigit() else f"{BYTES} / sizeof({area.element})"


def _fits(area: WorkArea) -> Iterator[str]:
    """Tests that only elements are used that there is room for."""
    if not area.low.isdigit() and not area.positive:
        yield f"({area.low}) >= 0"
    if area.high.isdigit():
        return
    yield f"({area.high}) < (long)({_cells(area)})"


def _declared(area: WorkArea, name: str) -> str:
    """Aligned as well as any memory that the function may have been given: it may rely on that."""
    memory = f"{area.element} {name}[{_cells(area)}] __attribute__((aligned({ALIGNED}))); "
    named = f"{area.element} *{area.variable} = {name}; (void){area.variable}; "
    return memory if area.member else memory + named
