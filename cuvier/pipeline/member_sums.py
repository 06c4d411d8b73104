"""Sums into members of structures, in variables: `for (..) s->sum += x[i];` as

    { double s_sum = 0; for (..) s_sum += x[i]; if (s_sum != 0) s->sum += s_sum; }

OpenMP has reductions of variables only (Callahan, Carr and Kennedy 1990: scalar replacement).  A member to
which no iteration has added is not touched: it need not be there.  What is asked of pointers that might
lead to the member is asked before all this, as the new loop does not tell of it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from cuvier.pipeline.base.rewritten import Rewritten, ids_at
from cuvier.pipeline.base.settle import settle
from cuvier.pipeline.base.shared import loops_around, shared_by_threads
from cuvier.pipeline.base.stage import Again
from skeletons import CompileOptions
from skeletons.catalogue.passes import may_be_rounded
from skeletons.kernel.chunks import can_stand_twice
from skeletons.kernel.names import FreshNames
from skeletons.kernel.spelling import user_words
from species.core.positions import Span
from species.facts.loop_forms import MemberSum
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.text.code import on_one_line
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting


@dataclass(frozen=True)
class Summed(Rewritten):
    """The file with such variables; by the ids of the loops, what these are now."""

    loops: Mapping[str, str]


def with_member_sums(
    unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, again: Again
) -> Summed | None:
    """The file with such variables, where threads can share the loops then; None: there are none."""
    wanted = [loop for loop in facts.loops if _is_wanted(loop, facts, unit, options)]

    def propose(refused: Container[str]) -> Summed | None:
        left = [loop for loop in wanted if loop.id not in refused]
        return _made(unit, left, again) if left else None

    def unserved(made: Summed) -> dict[str, str]:
        shared = shared_by_threads(made.unit, made.facts, options)
        return {old: "threads do not share it" for old, new in made.loops.items() if new not in shared}

    return settle(propose, unserved)


def _is_wanted(loop: LoopFacts, facts: UnitFacts, unit: TranslationUnit, options: CompileOptions) -> bool:
    """Is it parallel, in no other such loop, and are members all that OpenMP cannot state?"""
    if not loop.member_sums or loop.users or loop.spans is None or loop.position.file != unit.source.path:
        return False
    text = loop.spans.whole.of(unit.source.text)
    if (
        (options.strict_fp and reorders_sums(loop.member_sums))
        or "#" in text
        or (loop.conditions and not can_stand_twice(text))
    ):
        return False
    around = loops_around(loop, facts)
    return not any(other.member_sums or other.openmp for other in around)


def _made(unit: TranslationUnit, loops: list[LoopFacts], again: Again) -> Summed:
    names = FreshNames(user_words(unit))
    edits = sorted(
        (e for loop in loops for e in _edits(loop, unit.source.text, names)), key=lambda edit: edit.span
    )
    written = Rewriting(unit.source.text, tuple(edits))
    read = again(written.text)
    starts = {loop.id: written.place(loop.spans.whole.start) for loop in loops if loop.spans is not None}
    return Summed(*read, written, ids_at(read[1], starts))


def _edits(loop: LoopFacts, text: str, names: FreshNames) -> Iterator[Edit]:
    assert loop.spans is not None
    whole = loop.spans.whole
    sums = {each: names.fresh("_".join(re.findall(r"\w+", each.text))) for each in loop.member_sums}
    declared = "".join(f" {each.ctype} {name} = {each.neutral};" for each, name in sums.items())
    tested = " && ".join(f"({condition})" for condition in loop.conditions)
    opened, otherwise = (
        (f"if ({tested}) ", f" else {{ {on_one_line(whole.of(text))} }}") if tested else ("", "")
    )
    yield Edit(Span(whole.start, whole.start), f"{opened}{{{declared} ")
    yield from (Edit(place, name) for each, name in sums.items() for place in each.places)
    combined = "".join(_combined(*each) for each in sums.items())
    yield Edit(Span(whole.end, whole.end), f"{combined} }}{otherwise}")


def reorders_sums(members: Iterable[MemberSum]) -> bool:
    """Does the order count in which values are combined?"""
    return any(may_be_rounded(each.ctype) and each.operator in "+-*" for each in members)


def _combined(member: MemberSum, name: str) -> str:
    whole = combination(member.operator, member.text, name)
    return f" {{ if ({name} != {member.neutral}) {{ {whole} }} }}"


def combination(operator: str, place: str, value: str) -> str:
    """The statement that combines a value into what is at a place; of differences, the sum is taken."""
    if operator in ("min", "max"):
        return f"if ({value} {'<' if operator == 'min' else '>'} {place}) {place} = {value};"
    return f"{place} {'+' if operator == '-' else operator}= {value};"
