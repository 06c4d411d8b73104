"""Assignments whose value is used: in `p = q = malloc(n)`, p is set to what q now is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

_STATEMENTS = (
    c_ast.If,
    c_ast.For,
    c_ast.While,
    c_ast.DoWhile,
    c_ast.Switch,
    c_ast.Case,
    c_ast.Default,
)
_TRUTH = ("==", "!=", "<", ">", "<=", ">=", "&&", "||", "!")


def taken(node: Any, used: bool = False) -> Iterator[c_ast.Assignment]:
    """The assignments in a statement, or in an expression that is `used`, that hand their value on.

    A comparison tells what the value is, but nobody has it then.
    """
    if isinstance(node, c_ast.Assignment) and used:
        yield node
    for child, handed_on in _parts(node, used):
        yield from taken(child, handed_on)


def _parts(node: Any, used: bool) -> list[tuple[Any, bool]]:
    """The children of a node, and whether it hands their values on."""
    children = list(node)
    if isinstance(node, _STATEMENTS) or getattr(node, "op", None) in _TRUTH:
        return [(child, False) for child in children]
    if isinstance(node, c_ast.TernaryOp):
        return [(node.cond, False), (node.iftrue, used), (node.iffalse, used)]
    if isinstance(node, c_ast.FuncCall):
        return [(a, True) for a in (node.args.exprs if node.args else [])] + [(node.name, True)]
    if isinstance(node, c_ast.ExprList | c_ast.Compound | c_ast.Label):  # the comma operator, `({ a; b; })`
        return [(child, used and child is children[-1]) for child in children]
    return [(child, used if isinstance(node, c_ast.Cast) else True) for child in children]
