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


class Multiple(NamedTuple):
    """`variable *= factor` as written, or `variable /= factor` (not `rises`); factors are powers of two."""

    variable: c_ast.ID
    factor: int
    rises: bool


def multiple_of(node: Any) -> Multiple | None:
    """What an assignment multiplies, or divides, by a power of two."""
    match node:
        case c_ast.Assignment(op="*=" | "<<=" | "/=" | ">>=", lvalue=c_ast.ID()):
            return _by_constant(node.lvalue, node.op[:-1], node.rvalue)
        case c_ast.Assignment(op="+=", lvalue=c_ast.ID(), rvalue=c_ast.ID()):
            is_own = node.rvalue.name == node.lvalue.name
            return Multiple(node.lvalue, 2, rises=True) if is_own else None
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(), rvalue=c_ast.BinaryOp(left=c_ast.ID())):
            value = node.rvalue
            if value.left.name == node.lvalue.name and value.op in ("*", "<<", "/", ">>"):
                return _by_constant(node.lvalue, value.op, value.right)
        case _:
            pass
    return None


def _by_constant(variable: c_ast.ID, operator: str, amount: Any) -> Multiple | None:
    text = amount.value if isinstance(amount, c_ast.Constant) else ""
    if not text.isdecimal() or not 0 < int(text) < 31:
        return None
    factor = 1 << int(text) if operator in ("<<", ">>") else int(text)
    is_power = factor > 1 and factor & (factor - 1) == 0
    return Multiple(variable, factor, operator in ("*", "<<")) if is_power else None
