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

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from cuvier.pipeline.base.counted_header import counted_header
from cuvier.pipeline.base.rewritten import Rewritten, ids_at
from cuvier.pipeline.base.settle import settle
from cuvier.pipeline.base.shared import loops_around, shared_by_threads
from cuvier.pipeline.base.stage import Again
from cuvier.pipeline.member_sums import combination, reorders_sums
from models.estimate import Estimate, Program, estimates
from models.machine import core_seconds
from skeletons import CompileOptions
from skeletons.catalogue.passes import THRESHOLD
from skeletons.kernel.array_views import BYTES as BYTES_OF
from skeletons.kernel.chunks import can_stand_twice
from skeletons.kernel.names import FreshNames
from skeletons.kernel.spelling import user_words
from species.core.positions import Span
from species.facts.loop_forms import MemberSum, OwnStructure, WorkArea
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.text.code import on_one_line
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting
from species.source.text.tokens import words_in

BYTES = 32768  # of the stack for each area
COPIED = 4096  # bytes of a structure, at most, that an iteration copies
SMALL = 32  # of those that it may copy whatever it does
COPY_RATE, SHARE = 8e9, 0.25  # bytes a second; the part of an iteration's time that copies may take
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
    wanted = [loop for loop in wanted if _is_cheap(loop, known.get(loop.id), options)]

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


def _is_cheap(loop: LoopFacts, estimate: Estimate | None, options: CompileOptions) -> bool:
    """Does copying structures take a small part of an iteration?"""
    assert loop.work_areas is not None
    copied = sum(each.bytes or COPIED for each in loop.work_areas.structures)
    if copied <= SMALL or THRESHOLD in options.without:
        return True
    if estimate is None:
        return False
    seconds = core_seconds(estimate.operations, estimate.bytes, options.machine)
    return copied / COPY_RATE < SHARE * seconds / max(1.0, estimate.iterations)


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
    copies = [_Copy.of(each, names) for each in own.structures]
    fits = (*own.conditions, *(t for each in own.areas for t in _fits(each)), *(c.fits for c in copies))
    sums = [sum_ for copy in copies for sum_ in copy.sums]
    before = (
        f"{{ {''.join((*(c.found for c in copies), *(s.declared for s in sums)))}"
        f"long {following} = {header.start}; "
        f"if ({' && '.join((f'{following} < (long){header.beyond}', *(f'({test})' for test in fits)))}) {{ "
        f"const long {last} = (long){header.beyond} - 1; "
        f"{_over(at)}{following}; {at} < {last}; {at}++) {{ const {own.ctype} {i} = {at}; (void){i}; "
    )
    memory = {area: names.fresh(f"{_word(area.variable)}_own") for area in own.areas}
    made = "".join(
        (*(_declared(a, name) for a, name in memory.items()), *(c.made(memory, names) for c in copies))
    )
    yield Edit(spans.header, before + made + "\n" * spans.header.of(text).count("\n"))
    declared = f"{own.ctype} " if own.declared_inside else ""
    rest = f"for ({declared}{i} = {following}; {i} {header.sign} {header.bound}; {i}++) "
    added, combined = ("".join(getattr(s, part) for s in sums) for part in ("added", "combined"))
    after = f" {added}}} {following} = {last}; {combined}}} {rest}{on_one_line(spans.body.of(text))} }}"
    yield Edit(Span(spans.whole.end, spans.whole.end), after)


@dataclass(frozen=True)
class _Sum:
    """A variable for what iterations combine into a member of their copies `own`; `reach` leads to it."""

    member: MemberSum
    name: str
    own: str
    reach: str

    @property
    def declared(self) -> str:
        return f"{self.member.ctype} {self.name} = {self.member.neutral}; "

    @property
    def added(self) -> str:
        """At the end of an iteration."""
        return f"{combination(self.member.operator, self.name, f'{self.own}{self.member.text}')} "

    @property
    def combined(self) -> str:
        """Behind the loop."""
        whole = combination(self.member.operator, f"{self.reach}{self.member.text[1:]}", self.name)
        return f"if ({self.name} != {self.member.neutral}) {{ {whole} }} "


@dataclass(frozen=True)
class _Copy:
    """A structure of which every iteration has a copy: the variable `name`; `origin` points to the other."""

    structure: OwnStructure
    name: str
    origin: str
    sums: tuple[_Sum, ...]

    @staticmethod
    def of(structure: OwnStructure, names: FreshNames) -> _Copy:
        variable = structure.variable
        own, origin = (
            (names.fresh(f"{variable}_own"), variable)
            if structure.is_pointer
            else (variable, names.fresh(f"{variable}_from"))
        )
        reach = f"{variable}->" if structure.is_pointer else f"{variable}."
        sums = (_Sum(s, names.fresh(f"{variable}_{_word(s.text)}"), own, reach) for s in structure.sums)
        return _Copy(structure, own, origin, tuple(sums))

    @property
    def fits(self) -> str:
        return f"sizeof({self.structure.ctype}) <= {COPIED}"

    @property
    def found(self) -> str:
        """Before the loop: where the structure is."""
        if self.structure.is_pointer:
            return ""
        return f"const {self.structure.ctype} *const {self.origin} = &{self.structure.variable}; "

    def made(self, areas: Mapping[WorkArea, str], names: FreshNames) -> str:
        """Its declaration, member by member, so that no area of others seems to be behind one."""
        own, there = self.structure, f"{self.origin}->"
        members = {m: f"{there}{m[1:]}" for m in own.members}
        members |= {each.member.text: each.member.neutral for each in self.sums}
        members |= {a.member: name for a, name in areas.items() if a.owner == own.variable}
        arrays = "".join(_elements(self.name, there, each, names) for each in own.arrays)
        declared = f"{own.ctype} {self.name} = {_braces(members) if members else '{ 0 }'}; {arrays}"
        if not own.is_pointer:
            return declared
        const = "const " * own.is_const
        return f"{declared}{const}{own.ctype} *{own.variable} = &{self.name}; (void){own.variable}; "


def _elements(own: str, there: str, array: str, names: FreshNames) -> str:
    """Loops that copy an array which is a member (`.m[][]`), so that types of what is written are known."""
    member, loops = array.replace("[]", ""), ""
    for _ in range(array.count("[]")):
        k, row = names.fresh("k"), f"{own}{member}"
        loops += f"for (int {k} = 0; {k} < (int)(sizeof({row}) / sizeof({row}[0])); {k}++) "
        member += f"[{k}]"
    return f"{loops}{own}{member} = {there}{member[1:]}; "


def _word(text: str) -> str:
    """A member as a part of a name."""
    return "_".join(re.findall(r"\w+", text))


def _braces(members: Mapping[str, str]) -> str:
    """An initialiser that gives values to members, by their paths (`.a.b`)."""
    parts: dict[str, dict[str, str]] = {}
    for path, value in members.items():
        _, name, *rest = path.split(".", 2)
        parts.setdefault(name, {})["".join(f".{each}" for each in rest)] = value
    listed = (f".{name} = {inner.get('') or _braces(inner)}" for name, inner in parts.items())
    return f"{{ {', '.join(listed)} }}"


def _may_fit(area: WorkArea) -> bool:
    size = BYTES_OF.get(area.element, _STRUCTURE)
    return not area.high.isdigit() or (int(area.high) + 1) * size <= BYTES


def _cells(area: WorkArea) -> str:
    """How many elements there is room for."""
    return str(int(area.high) + 1) if area.high.isdigit() else f"{BYTES} / sizeof({area.element})"


def _fits(area: WorkArea) -> Iterator[str]:
    """Tests that only elements are used that there is room for."""
    if not area.low.isdigit():
        yield f"({area.low}) >= 0"
    if area.high.isdigit():
        return
    yield f"({area.high}) < (long)({_cells(area)})"


def _declared(area: WorkArea, name: str) -> str:
    """Aligned as well as any memory that the function may have been given: it may rely on that."""
    memory = f"{area.element} {name}[{_cells(area)}] __attribute__((aligned({ALIGNED}))); "
    named = f"{area.element} *{area.variable} = {name}; (void){area.variable}; "
    return memory if area.member else memory + named
