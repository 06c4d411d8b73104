"""Loops along lists, `for (p = head; p; p = p->next)`: can their nodes be found before any iteration?

A list that comes to an end has no node twice, as the next one follows from the node alone.  So if no
iteration changes where nodes lead, all of them can be looked up first, and iterations may then run in any
order that the rest of them allows (loop distribution with scalar expansion; seed 004, section 4.2.2: the
redundant part, and the parallel one).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.dependence.aliases import Relation, relation
from species.dependence.findings import Finding
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loop_forms import Traversal
from species.loops.environment import is_shared
from species.loops.model import FunctionModel, Loop, Place, Reference
from species.loops.modified import compatible
from species.source.syntax.tree import walk
from species.symbols.declared_types import declared_type
from species.symbols.symbols import Symbol

_NOT_COUNTED = frozenset(("CV307", "CV308"))


def traversal(
    model: FunctionModel, judge: Judge, flows: FlowAnalysis, judgement: Judgement
) -> tuple[Traversal, list[Finding]] | None:
    """How the loop goes along a list that it leaves as it is, and what else keeps its iterations in order;
    None: it does not, or that is not shown.
    """
    loop = judgement.loop
    step = _step(loop.node)
    if step is None or model.open_ended or {finding.code for finding in judgement.findings} - _NOT_COUNTED:
        return None
    symbol, references = flows.symbol(step.pointer), judge.references(loop)
    ctype = declared_type(symbol) if symbol is not None else ""
    names = [symbol] if step.ahead is None else [symbol, flows.symbol(step.ahead)]
    if symbol is None or not ctype or not all(_is_set_once(each, references) for each in names):
        return None
    ways = [r.place for r in references if r.node is step.link and not r.write]
    written = [r.place for r in references if r.write and not (r.place.is_variable and r.symbol in names)]
    ends = _ends_at_fixed(flows, loop.node.cond, symbol, references)
    if any(way.ctype.volatile for way in ways):
        return None
    if not ends or not ways or not all(_is_apart(place, way, loop) for place in written for way in ways):
        return None
    rest = judge.along(loop, ways[0])
    places = any(each.keeps for each in rest.reductions)  # where extremes are: not all kinds have skeletons
    independent = rest.is_parallel and not (rest.overlaps or rest.checks or places)
    ahead = step.ahead.name if step.ahead is not None else ""
    overlaps = (
        Finding("CV205", judge.wording.alike(*pair), pair[0].node, (pair[1].node,)) for pair in rest.overlaps
    )
    return Traversal(symbol.name, ctype, ahead, independent), [*rest.findings, *overlaps]


@dataclass(frozen=True)
class _Step:
    """`pointer = link`, the last thing in every iteration; or the first one sets `ahead` to that, the last
    one the pointer to `ahead`.
    """

    pointer: c_ast.ID
    link: c_ast.StructRef
    ahead: c_ast.ID | None = None


def _step(loop: Any) -> _Step | None:
    body = loop.stmt.block_items or [] if isinstance(loop.stmt, c_ast.Compound) else [loop.stmt]
    last = getattr(loop, "next", None)
    if isinstance(loop, c_ast.While) and not any(
        isinstance(each, c_ast.Continue) for each in walk(loop.stmt)
    ):
        last = body[-1] if len(body) > 1 else None
    match last:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID() as pointer, rvalue=c_ast.ID() as ahead):
            link = _link(_value_of(ahead, body[0]), pointer)
            return _Step(pointer, link, ahead) if link is not None else None
        case c_ast.Assignment(op="=", lvalue=c_ast.ID() as pointer, rvalue=value):
            link = _link(value, pointer)
            return _Step(pointer, link) if link is not None else None
    return None


def _value_of(variable: c_ast.ID, statement: Any) -> Any:
    """What a statement sets the variable to; None: nothing."""
    match statement:
        case c_ast.Decl(name=name, init=init) if name == variable.name:
            return init
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value) if name == variable.name:
            return value
    return None


def _link(node: Any, pointer: c_ast.ID) -> c_ast.StructRef | None:
    """The member that leads from where a variable points to the next node: in `p->link.next`, all of it."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    inner = node
    while isinstance(inner, c_ast.StructRef) and inner.type == ".":
        inner = inner.name
    own = isinstance(inner, c_ast.StructRef) and isinstance(inner.name, c_ast.ID)
    return node if own and inner.name.name == pointer.name else None


def _is_set_once(symbol: Symbol | None, references: list[Reference]) -> bool:
    """Is it a variable that only the step sets?"""
    if symbol is None or symbol.storage not in ("local", "parameter") or is_shared(symbol):
        return False
    writes = [r for r in references if r.symbol is symbol and r.place.is_variable and r.write]
    return len(writes) == 1 and not symbol.ctype.volatile


def _ends_at_fixed(flows: FlowAnalysis, condition: Any, symbol: Symbol, references: list[Reference]) -> bool:
    """Does the loop run until the pointer is null, or equals a variable or address that does not change?"""
    if isinstance(condition, c_ast.ID):
        return flows.symbol(condition) is symbol
    if not isinstance(condition, c_ast.BinaryOp) or condition.op != "!=":
        return False
    sides = [condition.left, condition.right]
    ends = [s for s in sides if not isinstance(s, c_ast.ID) or flows.symbol(s) is not symbol]
    if len(ends) != 1:
        return False
    end = ends[0]
    while isinstance(end, c_ast.Cast):
        end = end.expr
    if isinstance(end, c_ast.Constant):
        return bool(end.value == "0")
    other, is_address = _named(end), isinstance(end, c_ast.UnaryOp)
    end_symbol = flows.symbol(other) if other is not None else None
    if end_symbol is None or end_symbol is symbol:
        return False
    if is_address and end_symbol.ctype.kind != "pointer":
        return True
    changes = any(r.write and r.symbol is end_symbol and r.place.is_variable for r in references)
    return not is_shared(end_symbol) and not changes


def _named(end: Any) -> c_ast.ID | None:
    """The variable `s` in `s`, `&s`, `&s.m` or `&s->m`."""
    if isinstance(end, c_ast.UnaryOp) and end.op == "&":
        end = end.expr
        while isinstance(end, c_ast.StructRef) and (end.type == "." or isinstance(end.name, c_ast.ID)):
            end = end.name
    return end if isinstance(end, c_ast.ID) else None


def _is_apart(written: Place, way: Place, loop: Loop) -> bool:
    """Is what is written no member that leads from a node to the next one?"""
    if relation(written, way, loop) is Relation.NONE or not compatible(written.ctype, way.ctype):
        return True
    one, other = (each.symbol.ctype.decayed.target for each in (written, way))
    whole = one is not None and one.kind == "struct" and one == other
    known = not (written.loose or way.loose) and written.byte is None and way.byte is None
    members = [next((step for step in each.path if isinstance(step, str)), "") for each in (written, way)]
    return whole and known and all(members) and members[0] != members[1]
