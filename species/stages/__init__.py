"""Serial loops with a parallel part: what stands before it and behind it goes in order, in loops of its own.

    for (i = 0; i < n; i++) { seed = next(seed); double v = work(seed); printf("%f\\n", v); }

Statements are assigned to up to three stages, as decoupled software pipelining does (Rangan et al. 2004; in
three stages with the middle one parallel: Raman et al. 2008, PS-DSWP; seed 004, section 4.1.1), so that no
dependence leads from a later stage to an earlier one.  What stages hand on is expanded: there is a value for
each iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loop_forms import Deferral, Stages
from species.loops.model import FunctionModel
from species.loops.walk import Names
from species.source import TranslationUnit
from species.source.syntax.statement_tree import read_statement
from species.source.syntax.tree import walk
from species.stages.body import Body, weight
from species.stages.division import Division
from species.stages.later import put_off
from species.stages.plain_headers import counts_to_bound

__all__ = ["deferral", "stages"]
_STAYING = (c_ast.Label, c_ast.Goto, c_ast.Return, c_ast.Typedef)


def stages(
    unit: TranslationUnit,
    model: FunctionModel,
    judge: Judge,
    flows: FlowAnalysis,
    judgement: Judgement,
    body: Span,
    names: Names,
) -> Stages | None:
    """The stages of a serial loop whose body stands at a place in the file; None: it has no parallel part."""
    loop = judgement.loop
    items = loop.node.stmt.block_items or [] if isinstance(loop.node.stmt, c_ast.Compound) else []
    if (
        len(items) < 2
        or not any(map(weight, items))
        or any(isinstance(n, _STAYING) for n in walk(loop.node.stmt))
    ):
        return None
    counts = counts_to_bound(model, loop, names.resolution, names.types)
    spans = _spans(unit, items, body) if counts else None
    if spans is None:
        return None
    found = Body(unit, model, judge, flows, judgement, names.types, items, spans)
    return Division(found).best() if found.is_plain else None


def deferral(
    unit: TranslationUnit,
    model: FunctionModel,
    judge: Judge,
    flows: FlowAnalysis,
    judgement: Judgement,
    body: Span,
    names: Names,
) -> Deferral | None:
    """What can be put off of a serial loop whose body stands at a place in the file; None: nothing of use."""
    counts = counts_to_bound(model, judgement.loop, names.resolution, names.types)
    if not counts or not weight(judgement.loop.node.stmt):
        return None
    found = Body(unit, model, judge, flows, judgement, names.types, (), ())
    return put_off(found, body, names.resolution)


def _spans(unit: TranslationUnit, items: Sequence[Any], body: Span) -> list[Span] | None:
    """Where the statements stand that the items are, or are parts of; None: macros make some of them."""
    text = body.of(unit.source.text)
    spans = [part.span for part in read_statement(text).sequence()]
    if "#" in text:
        return None
    found, here = [], 0
    for item in items:
        if item.coord is None:
            return None
        position = unit.position(item.coord)
        at = unit.source.offset(position.line, position.column) - body.start
        while here < len(spans) and at >= spans[here].end:
            here += 1
        if position.file != unit.source.path or here == len(spans) or at < spans[here].start:
            return None
        found.append(here)
    if {*found} != {*range(len(spans))}:
        return None
    return [Span(body.start + spans[number].start, body.start + spans[number].end) for number in found]
