"""Members of structures into which all iterations combine values: `s->sum += x` (scalar replacement).

OpenMP has reductions of variables, and not of members.  A variable for the member does, as far as every
update names it in the text of the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pycparser import c_ast

from species.core.positions import Span
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.dependence.reductions import Combined
from species.facts.loop_forms import MemberSum
from species.loops.model import Loop, Reference, inner_loops
from species.source import TranslationUnit
from species.symbols.symbols import Symbol
from species.symbols.types import CType

_OPERATORS = ("+", "-", "*", "&", "|", "^", "min", "max")


def member_sums(
    unit: TranslationUnit, judge: Judge, judgement: Judgement, symbols: Mapping[int, Symbol]
) -> tuple[MemberSum, ...]:
    """The members, each with the places of its name in the main file; none where one has none."""
    found = []
    for combined in judgement.reductions:
        if combined.is_scalar or not any(isinstance(step, str) for step in combined.place.path):
            continue
        made = _member_sum(unit, judge, judgement, symbols, combined)
        if made is None:
            return ()
        found.append(made)
    return tuple(found)


def _member_sum(
    unit: TranslationUnit,
    judge: Judge,
    judgement: Judgement,
    symbols: Mapping[int, Symbol],
    combined: Combined,
) -> MemberSum | None:
    loop, place, neutral = judgement.loop, combined.place, neutral_of(judgement.loop, combined)
    if not neutral:
        return None
    references = [
        r for r in judge.references(loop) if r.symbol is place.symbol and r.place.path == place.path
    ]
    named = [r for r in references if r.place.base == place.base]
    roots = {_root(r, symbols) for r in named}
    root = roots.pop() if len(roots) == 1 else None
    if root is None or judge.is_inside(root, loop) or any(r.inlining is not None for r in named):
        return None
    if any(r.write and r.symbol is root and r.place.is_variable for r in judge.references(loop)):
        return None
    places = _places(unit, (r.node for r in named))
    texts = {"".join(place.of(unit.source.text).split()) for place in places or ()}
    if not places or len(texts) != 1:
        return None
    return MemberSum(texts.pop(), place.ctype.text, combined.operator, neutral, places)


def neutral_of(loop: Loop, combined: Combined) -> str:
    """What variables start from (C) that stand for one member of a number's type; empty: they cannot."""
    place = combined.place
    moves = place.loops & inner_loops(loop) or combined.keeps or combined.several or combined.conditions
    if moves or combined.operator not in _OPERATORS or place.ctype.kind not in ("int", "float"):
        return ""
    if place.ctype.volatile or place.ctype.enumerated or place.ctype.bits == 1:
        return ""
    return _neutral(combined.operator, place.ctype)


def _neutral(operator: str, ctype: CType) -> str:
    """What values start from (C); empty: that is not known."""
    if operator in ("min", "max"):
        return _extreme(ctype, greatest=operator == "min")
    return {"*": "1", "&": f"({ctype.text})~0"}.get(operator, "0")


def _extreme(ctype: CType, *, greatest: bool) -> str:
    if ctype.kind == "float":
        return f"{'' if greatest else '-'}({ctype.text})__builtin_huge_val()"
    if ctype.signless or ctype.bits > 64:
        return ""
    if ctype.unsigned:
        return f"({ctype.text})-1" if greatest else "0"
    most = f"{2 ** (ctype.bits - 1) - 1}{'L' * (ctype.bits > 32)}"
    return most if greatest else f"-{most} - 1"


def _root(reference: Reference, symbols: Mapping[int, Symbol]) -> Symbol | None:
    """The variable that the name of a member starts with."""
    node: Any = reference.node
    while isinstance(node, c_ast.StructRef):
        node = node.name
    return symbols.get(id(node)) if isinstance(node, c_ast.ID) else None


def _places(unit: TranslationUnit, nodes: Iterable[Any]) -> tuple[Span, ...] | None:
    found = set[Span]()
    for node in nodes:
        span = unit.member_span(node) if isinstance(node, c_ast.StructRef) else None
        if span is None or unit.position(node.coord).file != unit.source.path:
            return None
        found.add(span)
    return tuple(sorted(found))
