"""Sums that add one thing or another: one assignment, where only the parts that differ are chosen."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.source.syntax.expressions import NotPlain, text_of


def alone(node: Any) -> Any:
    """What a block consists of, if that is one statement; other nodes as they are."""
    while isinstance(node, c_ast.Compound) and len(node.block_items or []) == 1:
        node = node.block_items[0]
    return node


def one_assignment(node: Any) -> Any:
    """The one assignment that a statement makes whatever holds; NotPlain if it is none.

    `if (c) s += a * x; else s += b * x;` adds `(c ? a : b) * x`: what does not depend on the condition, like
    the x here, may be shared by iterations for which it has other values.
    """
    node = alone(node)
    if isinstance(node, c_ast.Assignment):
        return node
    if not isinstance(node, c_ast.If) or node.iffalse is None:
        raise NotPlain("the inner loops do not consist of one assignment")
    first, second = one_assignment(node.iftrue), one_assignment(node.iffalse)
    if first.op != second.op or text_of(first.lvalue) != text_of(second.lvalue):
        raise NotPlain("the inner loops do not consist of one assignment")
    return c_ast.Assignment(first.op, first.lvalue, _chosen(node.cond, first.rvalue, second.rvalue))


def _chosen(condition: Any, first: Any, second: Any) -> Any:
    """The expression that is `first` where the condition holds and `second` elsewhere."""
    if text_of(first) == text_of(second):
        return first
    if _have_same_form(first, second):
        left, right = (
            _chosen(condition, *pair) for pair in ((first.left, second.left), (first.right, second.right))
        )
        return c_ast.BinaryOp(first.op, left, right)
    return c_ast.TernaryOp(condition, first, second)


def _have_same_form(first: Any, second: Any) -> bool:
    return isinstance(first, c_ast.BinaryOp) and isinstance(second, c_ast.BinaryOp) and first.op == second.op
