"""What evaluating a statement reads in any case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import subscripted, walk

JUMPS = (c_ast.Return, c_ast.Break, c_ast.Continue, c_ast.Goto, c_ast.Label)


def reads_member(statement: Any, name: str) -> bool:
    """Does it read a member of what a pointer leads to, in any case?"""
    parts = executed(statement)
    return any(isinstance(n, c_ast.StructRef) and n.type == "->" and is_name(n.name, name) for n in parts)


def is_name(node: Any, name: str) -> bool:
    return isinstance(node, c_ast.ID) and node.name == name


def executed(node: Any) -> Iterator[Any]:
    """The parts of a statement that are evaluated whenever it is reached."""
    yield node
    match node:
        case c_ast.Compound():
            items = node.block_items or []
            jumping = (k for k, item in enumerate(items, 1) if any(isinstance(n, JUMPS) for n in walk(item)))
            parts = items[: next(jumping, len(items))]
        case c_ast.If() | c_ast.TernaryOp() | c_ast.Switch() | c_ast.While():
            parts = [node.cond]
        case c_ast.For():
            parts = [part for part in (node.init, node.cond) if part is not None]
        case c_ast.BinaryOp(op="&&" | "||"):
            parts = [node.left]
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef() as element):
            parts = [part.subscript for part in subscripted(element)]
        case (
            c_ast.UnaryOp(op="sizeof" | "_Alignof" | "&")
            | c_ast.Typedef()
            | c_ast.Typename()
            | c_ast.DoWhile()
        ):
            parts = []
        case c_ast.Case() | c_ast.Default():
            parts = []
        case _:
            parts = list(node)
    for part in parts:
        yield from executed(part)
