"""Loops over blocks of other loops: how long a block is at most."""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast

from species.source.syntax.tree import walk


def blocks_in(function: c_ast.FuncDef, values: Mapping[str, float]) -> dict[str, tuple[str, float]]:
    """By variables that end blocks: where these begin, and their length.

    `end = n - first > 64 ? first + 64 : n`, or the other way round; `values` are those of known names.
    """
    found = {}
    for node in walk(function.body):
        if isinstance(node, c_ast.Decl) and isinstance(node.init, c_ast.TernaryOp):
            for branch in (node.init.iftrue, node.init.iffalse):
                block = _block(branch, values)
                if block is not None:
                    found[node.name] = block
    return found


def _block(node: c_ast.Node, values: Mapping[str, float]) -> tuple[str, float] | None:
    """The variable and the number of `first + 64`."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    match node:
        case c_ast.BinaryOp(op="+", left=c_ast.ID(name=first), right=length):
            pass
        case c_ast.BinaryOp(op="+", left=length, right=c_ast.ID(name=first)):
            pass
        case _:
            return None
    match length:
        case c_ast.Constant(value=text) if text.isdigit():
            return first, float(text)
        case c_ast.ID(name=name) if name in values:
            return first, values[name]
    return None
