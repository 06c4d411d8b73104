"""Parallel loops that do not count as OpenMP asks for (OpenMP 5.0, section 2.9.1), and how they could.

`while (n--) *p++ = *q++;` makes n iterations, and what n, p and q are in each follows from its number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.facts.loop_forms import Moved, Recount
from species.facts.loops import LoopFacts
from species.kernels.trip_counts import trips_text
from species.loops.counting import start
from species.loops.model import FunctionModel, Loop
from species.openmp.counts import counts_safely
from species.openmp.rules import is_canonical, starts_in_header
from species.regions.c_printer import Unprintable
from species.regions.entry_names import EntryNames
from species.regions.hull import Regions
from species.sets.conditions import Compare
from species.sets.domains import implied
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.source.text.for_headers import header_parts
from species.symbols.declared_types import declared_type
from species.symbols.steps import step_of


def recount(unit: TranslationUnit, model: FunctionModel, loop: Loop, facts: LoopFacts) -> Recount | None:
    """How the loop could count in a variable of ours; None: it cannot, or need not."""
    if is_canonical(loop) and counts_safely(loop):
        return None
    counts = loop.counted and isinstance(loop.bound, Compare) and not loop.assumed
    if not counts or loop.kind == "do" or loop.node.cond is None:
        return None
    if facts.spans is None or facts.position.file != unit.source.path:
        return None
    header = facts.spans.header.of(unit.source.text)
    condition = _condition(header, loop)
    names = EntryNames(model, loop, [r for r in model.references if loop.number in r.loops])
    regions = Regions(model, loop, names)
    try:
        stride = regions.expression(loop.stride) if loop.stride is not None else ""
    except Unprintable:
        return None
    moved = tuple(_moved(loop, stride, facts, header))
    trips = _trips(trips_text(regions, loop, loop), stride, _disguised_trips(loop, stride, moved))
    if trips is None or names.guards or condition is None or len(moved) != 1 + len(facts.linear):
        return None
    if not _only_moves(getattr(loop.node, "next", None), {each.variable for each in moved}):
        return None
    effect = condition if _has_effect(loop.node.cond) else ""
    return Recount(trips, moved, effect, "int" if stride and _stays_natural(loop) else "long")


def _stays_natural(loop: Loop) -> bool:
    """Is the iterator an `int` that is never negative?  Then an `int` counts its iterations, and what they
    multiply with their number is one whose value is known.
    """
    ctype = loop.iterator.ctype if loop.iterator is not None else None
    if ctype is None or ctype.bits != 32 or ctype.unsigned:
        return False
    last, known = (loop.lower, ()) if loop.step > 0 else (start(loop), (loop.bound,))
    return implied(Compare(last), (*loop.conditions, *known))


def _trips(skipping: str | None, stride: str, disguised: str) -> str | None:
    """The iterations, of which a loop by a stride counts those that it skips, too."""
    if skipping is None or not stride:
        return skipping
    count = f"(({skipping}) - 1) / ({stride}) + 1"
    count = f"((long)({stride}) < 0 ? {disguised} : (long)({count}))" if disguised else count
    return f"(({skipping}) > 0 ? {count} : 0)"


def _disguised_trips(loop: Loop, stride: str, moved: tuple[Moved, ...]) -> str:
    """How often a loop by a size goes down, whose stride is a negative number in disguise: until it passes 0.

    Empty where that cannot be.
    """
    ctype = loop.iterator.ctype if loop.iterator is not None else None
    if loop.stride is None or ctype is None or not ctype.unsigned or not moved:
        return ""
    if implied(Compare(-loop.stride + 2**62), loop.conditions):
        return ""
    return f"(long)(({moved[0].start or moved[0].variable}) / -(unsigned long)({stride})) + 1"


def _condition(header: str, loop: Loop) -> str | None:
    if loop.kind == "while":
        before, opened, rest = header.rstrip().partition("(")
        return rest[:-1] if before.strip() == "while" and opened and rest.endswith(")") else None
    parts = header_parts(header)
    return parts[1].of(header) if parts is not None else None


def _only_moves(step: Any, names: set[str]) -> bool:
    """Does the third part of a header do nothing but move some variables?"""
    parts = step.exprs if isinstance(step, c_ast.ExprList) else [step] if step is not None else []
    steps = [step_of(part) for part in parts]
    return all(each is not None and each.variable.name in names for each in steps)


def _has_effect(condition: Any) -> bool:
    effects = (c_ast.Assignment, c_ast.FuncCall)
    steps = ("++", "--", "p++", "p--")
    return any(
        isinstance(n, effects) or (isinstance(n, c_ast.UnaryOp) and n.op in steps) for n in walk(condition)
    )


def _moved(loop: Loop, stride: str, facts: LoopFacts, header: str) -> Iterator[Moved]:
    """The iterator and what else moves, those of them that can be declared again."""
    assert loop.iterator is not None
    start = _start(header, loop)
    if start is not None and loop.iterator.ctype.is_integer and not loop.iterator.ctype.enumerated:
        ctype = loop.iterator.ctype.text
        step = f"{'-' if loop.step < 0 else ''}({stride})" if stride else str(loop.step)
        yield Moved(loop.iterator.name, ctype, start, step, loop.declared_inside)
    named = {symbol.name: symbol for symbol in loop.steps}
    for linear in facts.linear:
        ctype = declared_type(named.get(linear.variable))
        if ctype and linear.step and linear.variable != loop.iterator.name:
            yield Moved(linear.variable, ctype, "", linear.step)


def _start(header: str, loop: Loop) -> str | None:
    """What the header sets the iterator to; empty: it does not."""
    if loop.kind == "while" or loop.node.init is None:
        return ""
    parts = header_parts(header)
    if parts is None or not starts_in_header(loop.node.init, loop):
        return None
    _, equals, start = parts[0].of(header).partition("=")
    return start.strip() if equals else None
