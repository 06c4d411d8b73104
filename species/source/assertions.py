"""Assertions of glibc: `({ if (holds) ; else fail(); })` becomes `holds ? 0 : fail()`."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.source.refusals import HOLDING_BLOCKS


def resolve_assertions(ast: c_ast.FileAST) -> None:
    """Replaces such statement expressions in the bodies of functions."""
    pending: list[c_ast.Node] = [item for item in ast.ext if isinstance(item, c_ast.FuncDef)]
    while pending:
        parent = pending.pop()
        for name, child in parent.children():
            choice = None if isinstance(parent, HOLDING_BLOCKS) else _choice(child)
            if choice is not None:
                _put(parent, name, choice)
            pending.append(choice or child)


def _choice(node: Any) -> c_ast.TernaryOp | None:
    """A block of nothing but `if (holds) ; else fail();` as an expression."""
    items = (node.block_items or []) if isinstance(node, c_ast.Compound) else []
    if len(items) != 1 or not isinstance(items[0], c_ast.If):
        return None
    test = items[0]
    if not isinstance(test.iftrue, c_ast.EmptyStatement) or not isinstance(test.iffalse, c_ast.FuncCall):
        return None
    return c_ast.TernaryOp(test.cond, c_ast.Constant("int", "0", test.coord), test.iffalse, node.coord)


def _put(parent: c_ast.Node, name: str, child: c_ast.Node) -> None:
    """Sets a child by the name that `children` gives it: `expr`, or `exprs[2]`."""
    field, _, index = name.partition("[")
    if index:
        getattr(parent, field)[int(index[:-1])] = child
    else:
        setattr(parent, field, child)
