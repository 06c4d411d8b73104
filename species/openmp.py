"""What OpenMP asks of loops (OpenMP 4.5, section 2.6: canonical loop form; section 2.7.1: collapse)."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.characterise.base_loops import only_statement
from species.loops.affine import constant
from species.loops.conditions import Compare, leaves
from species.loops.domains import implied
from species.loops.nest import FunctionModel, Loop


def is_canonical(loop: Loop) -> bool:
    """`for (i = e; i < e; i += c)`: the header alone says how often, in a form OpenMP accepts."""
    node = loop.node
    return loop.counted and starts_in_header(node.init, loop) and _compares(node.cond, loop)


def is_nonempty(loop: Loop) -> bool:
    """Does the loop make an iteration for certain, whenever it is reached?"""
    if not isinstance(loop.bound, Compare):
        return False
    first = loop.bound.expression.substitute(lambda atom: constant(0) if atom == loop.counter else None)
    return implied(Compare(first), loop.conditions)


def starts_in_header(init: Any, loop: Loop) -> bool:
    """Does the header set the iterator, and nothing else?"""
    name = loop.iterator.name if loop.iterator else None
    if isinstance(init, c_ast.DeclList):
        return len(init.decls) == 1 and init.decls[0].name == name
    is_plain = isinstance(init, c_ast.Assignment) and init.op == "=" and isinstance(init.lvalue, c_ast.ID)
    return is_plain and init.lvalue.name == name


def _compares(condition: Any, loop: Loop) -> bool:
    """One relation between the iterator itself and something that does not change."""
    if not isinstance(condition, c_ast.BinaryOp) or condition.op not in ("<", "<=", ">", ">="):
        return False
    name = loop.iterator.name if loop.iterator else None
    sides = [isinstance(s, c_ast.ID) and s.name == name for s in (condition.left, condition.right)]
    return sides.count(True) == 1


def collapse_depth(
    loop: Loop, base: tuple[Loop, ...], model: FunctionModel, lastprivate: tuple[str, ...]
) -> int:
    """How many loops `collapse` may join: perfectly nested, rectangular, canonical, iterators dead after."""
    depth, current = 1, loop
    for inner in base[1:]:
        joinable = only_statement(current.node.stmt) is inner.node and is_canonical(inner)
        if not joinable or _uses_loops(inner, {b.number for b in base[:depth]}):
            break
        if inner.iterator is None or inner.iterator.name in lastprivate or has_pragma(current.node.stmt):
            break
        depth, current = depth + 1, inner
    return depth


def has_pragma(node: Any) -> bool:
    return isinstance(node, c_ast.Compound) and any(
        isinstance(i, c_ast.Pragma) for i in node.block_items or []
    )


def _uses_loops(loop: Loop, numbers: set[int]) -> bool:
    """Do start or end depend on the outer iterators?"""
    if loop.lower.loops & numbers:
        return True
    return any(isinstance(leaf, Compare) and leaf.expression.loops & numbers for leaf in leaves(loop.bound))
