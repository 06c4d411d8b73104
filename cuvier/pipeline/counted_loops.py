"""Loops that count otherwise than threads and kernels do, with a counter of ours: `while (n--) *p++ = 0;` as

    { const long c = n; .. for (long k = 0; k < c; k++) { float *p = p0 + k; .. (void)(n--); *p++ = 0; } .. }

What moves is a variable of each iteration, and has its last value after the loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from cuvier.pipeline.base.rewritten import Rewritten
from cuvier.pipeline.base.shared import loops_around
from cuvier.pipeline.base.stage import Again
from skeletons.catalogue.descriptor import Target
from skeletons.kernel.names import FreshNames
from species.core.positions import Span
from species.facts.loop_forms import Moved, Recount
from species.facts.loops import LoopFacts, UnitFacts
from species.source import TranslationUnit
from species.source.text.edits import Edit
from species.source.text.for_headers import header_parts
from species.source.text.rewriting import Rewriting
from species.source.text.tokens import code_tokens, words_in
from transfers.fuse.names import on_one_line

_WORD = re.compile(r"[A-Za-z_]\w*")


def with_counters(unit: TranslationUnit, facts: UnitFacts, target: Target, again: Again) -> Rewritten | None:
    """The file with counters in loops that the target cannot take otherwise; None: there are none."""
    wanted = {loop.id: loop for loop in facts.loops if _is_wanted(loop, facts, target)}
    before = {loop.id: loop for loop in facts.loops}
    words = {token.text for token in code_tokens(unit.source.text)}
    while wanted:
        edits = [edit for loop in wanted.values() for edit in _edits(unit, loop, FreshNames({*words}))]
        text = Rewriting(unit.source.text, tuple(sorted(edits, key=lambda edit: edit.span.start)))
        other, now = again(text.text)
        after = {loop.id: loop for loop in now.loops}
        if [*before] != [*after]:
            return None
        lost = {
            i for i in wanted if after[i].verdict is not before[i].verdict or not _is_taken(after[i], target)
        }
        if not lost and all(after[i].verdict is before[i].verdict for i in before):
            return Rewritten(other, now, text)
        wanted = {i: loop for i, loop in wanted.items() if i not in lost} if lost else {}
    return None


def _is_wanted(loop: LoopFacts, facts: UnitFacts, target: Target) -> bool:
    """Is it one that the target would take, no part of another one, and worth it?"""
    if loop.recount is None or loop.unprofitable or loop.users or not loop.verdict.is_parallel:
        return False
    around = loops_around(loop, facts)
    return not _is_taken(loop, target) and not any(_is_taken(o, target) or o.recount for o in around)


def _is_taken(loop: LoopFacts, target: Target) -> bool:
    if loop.kernel is None:
        return False
    return not (loop.kernel.obstacles if target.accelerator else loop.kernel.sharing_obstacle)


def _edits(unit: TranslationUnit, loop: LoopFacts, names: FreshNames) -> Iterator[Edit]:
    """What stands in place of the header, and behind the body, on the same lines."""
    assert loop.recount is not None and loop.spans is not None
    count, counter = names.fresh("counted_n"), names.fresh("counted_i")
    moved, effect = loop.recount.moved, loop.recount.effect
    first = {m.variable: names.fresh(f"first_{m.variable}") for m in moved}
    starts = [_declaration(m.ctype, first[m.variable], on_one_line(m.start) or m.variable) for m in moved]
    own = [_declaration(m.ctype, m.variable, _after(m, first, counter)) for m in moved]
    again = [f"(void)({on_one_line(effect).strip()});"] if effect else []
    header = loop.spans.header.of(unit.source.text)
    ctype = loop.recount.ctype
    head = f"for ({ctype} {counter} = 0; {counter} < {count}; {counter}++) {{"
    asked = [] if effect else _mentioned(header, loop.recount, first)
    parts = ("{", f"const {ctype} {count} = {loop.recount.trips};", *starts, *asked, head, *own, *again)
    yield Edit(loop.spans.header, " ".join(parts) + "\n" * header.count("\n"))
    made = f"({count} > 0 ? {count} : 0)"
    last = [f"{m.variable} = {_after(m, first, made)};" for m in moved if not m.declared_inside]
    gone = (m for m in moved if m.declared_inside and again)
    last += [_declaration(m.ctype, m.variable, _after(m, first, made)) for m in gone]
    end = loop.spans.body.end
    yield Edit(Span(end, end), " ".join((" }", *last, *again, "}")))


def _mentioned(header: str, recount: Recount, first: Mapping[str, str]) -> list[str]:
    """What uses the variables of a condition that nothing else may use now, and does nothing."""
    parts = header_parts(header)
    test = on_one_line(parts[1].of(header)).strip() if parts is not None else ""
    if {*words_in(test)} <= {*words_in(recount.trips), *first}:
        return []
    named = _WORD.sub(lambda word: first.get(word[0], word[0]), test)
    return [f"(void)sizeof({named});"]


def _declaration(ctype: str, name: str, value: str) -> str:
    return f"{ctype}{'' if ctype.endswith('*') else ' '}{name} = {value};"


def _after(moved: Moved, first: dict[str, str], count: str) -> str:
    """The value after a number of iterations."""
    step = {"1": f" + {count}", "-1": f" - {count}"}.get(moved.step, f" + {count} * ({moved.step})")
    return first[moved.variable] + step
