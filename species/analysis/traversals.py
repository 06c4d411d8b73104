"""Loops along lists, `for (p = head; p; p = p->next)`: can their nodes be found before any iteration?

A list that comes to an end has no node twice, as the next one follows from the node alone.  So if no iteration
changes where nodes lead, all of them can be looked up first, and iterations may then run in any order that the rest of
them allows (loop distribution with scalar expansion; seed 004, section 4.2.2: the redundant part, and the parallel
one).
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.analysis.canonical_form import declared_type
from species.dependence.aliases import Relation, relation
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.dependence.serial_classes import followed
from species.facts.loops import Traversal
from species.loops.environment import is_shared
from species.loops.model import Loop, Place, Reference
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol

_NOT_COUNTED = frozenset(("CV307", "CV308"))


def traversal(judge: Judge, flows: FlowAnalysis, judgement: Judgement) -> Traversal | None:
    """How the loop goes along a list that it leaves as it is; None: it does not, or that is not shown."""
    loop = judgement.loop
    steps = followed(loop.node)
    if len(steps) != 1 or {finding.code for finding in judgement.findings} - _NOT_COUNTED:
        return None
    [step] = steps
    symbol, link = flows.symbol(step.lvalue), _link(step.rvalue)
    ctype = declared_type(symbol) if symbol is not None else ""
    if symbol is None or not ctype or link is None or not _is_last(loop.node, step):
        return None
    references = judge.references(loop)
    moves = [r for r in references if r.symbol is symbol and r.place.is_variable and r.write]
    fixed = symbol.storage in ("local", "parameter") and not is_shared(symbol) and not symbol.ctype.volatile
    if not fixed or len(moves) != 1 or not _ends_at_fixed(flows, loop.node.cond, symbol, references):
        return None
    ways = [r.place for r in references if r.node is link and not r.write]
    written = [r.place for r in references if r.write and r is not moves[0]]
    if not ways or not all(_is_apart(place, way, loop) for place in written for way in ways):
        return None
    return Traversal(symbol.name, ctype)


def _link(node: Any) -> c_ast.StructRef | None:
    """The member that leads to the next node: in `p->link.next`, all of it."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    inner = node
    while isinstance(inner, c_ast.StructRef) and inner.type == ".":
        inner = inner.name
    leads = isinstance(inner, c_ast.StructRef) and isinstance(inner.name, c_ast.ID)
    return node if leads else None


def _is_last(loop: Any, step: c_ast.Assignment) -> bool:
    """Does each iteration end with the step, whatever it does before?"""
    if isinstance(loop, c_ast.For):
        return loop.next is step
    parts = loop.stmt.block_items or [] if isinstance(loop.stmt, c_ast.Compound) else []
    skips = any(isinstance(each, c_ast.Continue) for each in walk(loop.stmt))
    return isinstance(loop, c_ast.While) and not skips and bool(parts) and parts[-1] is step


def _ends_at_fixed(
    flows: FlowAnalysis, condition: Any, symbol: Symbol, references: list[Reference]
) -> bool:
    """Does the loop run until the pointer is null, or equal to a variable that it does not change?"""
    if isinstance(condition, c_ast.ID):
        return flows.symbol(condition) is symbol
    if not isinstance(condition, c_ast.BinaryOp) or condition.op != "!=":
        return False
    sides = [condition.left, condition.right]
    named = [flows.symbol(side) if isinstance(side, c_ast.ID) else None for side in sides]
    if symbol not in named:
        return False
    place = 1 - named.index(symbol)
    other, end = named[place], sides[place]
    while isinstance(end, c_ast.Cast):
        end = end.expr
    if isinstance(end, c_ast.Constant):
        return bool(end.value == "0")
    changes = any(r.write and r.symbol is other and r.place.is_variable for r in references)
    return other is not None and other is not symbol and not is_shared(other) and not changes


def _is_apart(written: Place, way: Place, loop: Loop) -> bool:
    """Is what is written no member that leads from a node to the next one?"""
    if relation(written, way, loop) is Relation.NONE:
        return True
    one, other = (each.symbol.ctype.decayed.target for each in (written, way))
    whole = one is not None and one.kind == "struct" and one == other
    known = not (written.loose or way.loose) and written.byte is None and way.byte is None
    members = [next((step for step in each.path if isinstance(step, str)), "") for each in (written, way)]
    return whole and known and all(members) and members[0] != members[1]
