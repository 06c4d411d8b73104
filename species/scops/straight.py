"""Statements that do the same in all iterations, so that vectors may run several of them at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pycparser import c_ast

from species.loops.induction import trips
from species.loops.model import Loop
from species.scops.leaves import Leaf, items_of
from species.source.syntax.tree import walk

FEW = 8  # iterations of a loop that compilers unroll
_BRANCHES = (c_ast.TernaryOp, c_ast.FuncCall, c_ast.While, c_ast.DoWhile, c_ast.If, c_ast.Switch)


def is_straight(leaf: Leaf, inner: Mapping[int, Loop]) -> bool:
    """Does it consist of assignments, declarations and short loops of them?  `inner` are the loops inside."""
    if any(isinstance(n, _BRANCHES) for item in leaf.items for n in walk(item)):
        return False
    loops = {id(loop.node): loop for loop in inner.values()}
    return all(_is_simple(item, loops) for item in leaf.items)


def _is_simple(item: Any, loops: Mapping[int, Loop]) -> bool:
    if isinstance(item, c_ast.For):
        loop = loops.get(id(item))
        count = trips(loop, ()) if loop is not None and loop.exact else None
        few = count is not None and count.is_constant and count.constant <= FEW
        return few and all(_is_simple(part, loops) for part in items_of(item.stmt))
    if isinstance(item, c_ast.Compound):
        return all(_is_simple(part, loops) for part in items_of(item))
    if isinstance(item, c_ast.Decl):
        return isinstance(item.type, c_ast.TypeDecl) and item.init is not None
    return isinstance(item, c_ast.Assignment | c_ast.UnaryOp)
