"""The steps that loops make: one assignment of a variable to itself, plus or minus something."""

from __future__ import annotations

from typing import Any, NamedTuple

from pycparser import c_ast


class Step(NamedTuple):
    """`variable += amount` as written: `amount` is an expression node, or None for one."""

    variable: c_ast.ID
    amount: Any
    sign: int


def step_of(node: Any) -> Step | None:
    """The step that the third part of a `for` makes, if it is one assignment to one variable."""
    match node:
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID()):
            return Step(node.expr, None, 1)
        case c_ast.UnaryOp(op="--" | "p--", expr=c_ast.ID()):
            return Step(node.expr, None, -1)
        case c_ast.Assignment(op="+=", lvalue=c_ast.ID()):
            return Step(node.lvalue, node.rvalue, 1)
        case c_ast.Assignment(op="-=", lvalue=c_ast.ID()):
            return Step(node.lvalue, node.rvalue, -1)
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.BinaryOp(op="+" | "-")):
            return _assigned_step(node.lvalue, node.rvalue)
    return None


def _assigned_step(variable: c_ast.ID, value: c_ast.BinaryOp) -> Step | None:
    if isinstance(value.left, c_ast.ID) and value.left.name == variable.name:
        return Step(variable, value.right, 1 if value.op == "+" else -1)
    if value.op == "+" and isinstance(value.right, c_ast.ID) and value.right.name == variable.name:
        return Step(variable, value.left, 1)
    return None
