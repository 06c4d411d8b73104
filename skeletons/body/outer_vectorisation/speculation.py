"""What may be computed ahead: without effect where the program would not have computed it.

That is so for all that stands behind a `break`, and for the right side of `&&` and `||`, as lanes test both
sides.  No memory may be read, nothing may trap, and no signed number may overflow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pycparser import c_ast

from skeletons.body.outer_vectorisation.types import FUNCTIONS, LOGICAL, RELATIONS, SIGNED, target_of, type_of
from species.core.refusal import Refusal
from species.source.syntax.expressions import FLOATS, INTEGERS, constant_type

WHERE = "its inner loop would speculate on {}"
_LARGEST = 2**31 - 1
_BITS = 32


def check_ahead(node: Any, types: Mapping[str, str]) -> None:
    """Refusal for an expression that must not be computed ahead."""
    match node:
        case c_ast.ID() | c_ast.Constant():
            return
        case c_ast.BinaryOp():
            check_ahead(node.left, types)
            check_ahead(node.right, types)
            _check_operation(node, types)
        case c_ast.UnaryOp(op="!" | "~" | "+"):
            check_ahead(node.expr, types)
        case c_ast.UnaryOp(op="-"):
            check_ahead(node.expr, types)
            _check_sign("-", type_of(node, types))
        case c_ast.Cast():
            check_ahead(node.expr, types)
            _check_rounding(type_of(node.expr, types), target_of(node, types))
        case c_ast.TernaryOp():
            for part in (node.cond, node.iftrue, node.iffalse):
                check_ahead(part, types)
        case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in FUNCTIONS:
            for argument in node.args.exprs:
                check_ahead(argument, types)
        case _:
            raise Refusal(WHERE.format("a read of memory"))


def _check_operation(node: Any, types: Mapping[str, str]) -> None:
    ctype = type_of(node, types)
    if ctype in FLOATS or node.op in RELATIONS | LOGICAL | {"&", "|", "^"}:
        return
    if node.op in ("/", "%", ">>") and _is_positive(node.right):
        return
    if node.op in ("/", "%", "<<", ">>"):
        raise Refusal(WHERE.format(f"`{node.op}` of integers"))
    _check_sign(node.op, ctype)


def _is_positive(node: Any) -> bool:
    """Is it a number by which every other can be divided, or moved?"""
    return isinstance(node, c_ast.Constant) and node.value.isdigit() and 0 < int(node.value) < _BITS


def _check_sign(sign: str, ctype: str) -> None:
    if ctype in SIGNED:
        raise Refusal(WHERE.format(f"`{sign}` of signed numbers"))


def _check_rounding(found: str, wanted: str) -> None:
    if found in FLOATS and wanted in INTEGERS:
        raise Refusal(WHERE.format("a conversion to an integer"))


def check_statement_ahead(node: Any, types: Mapping[str, str], tests: tuple[Any, ...]) -> None:
    """Refusal for a statement that must not be executed ahead, where all of `tests` held before the step."""
    match node:
        case c_ast.Compound() | c_ast.ExprList():
            items = node.exprs if isinstance(node, c_ast.ExprList) else node.block_items or ()
            for item in items:
                check_statement_ahead(item, types, tests)
        case c_ast.If():
            check_ahead(node.cond, types)
            for part in (node.iftrue, node.iffalse):
                if part is not None:
                    check_statement_ahead(part, types, tests)
        case c_ast.Decl():
            if node.init is not None:
                _check_value(node.init, types[node.name], types)
        case c_ast.Assignment():
            own = type_of(node.lvalue, types)
            whole = c_ast.BinaryOp(node.op[:-1], node.lvalue, node.rvalue)
            _check_value(node.rvalue if node.op == "=" else whole, own, types)
        case c_ast.UnaryOp():
            _check_count(node, types, tests)


def _check_value(value: Any, own: str, types: Mapping[str, str]) -> None:
    check_ahead(value, types)
    _check_rounding(type_of(value, types), own)


def _check_count(node: Any, types: Mapping[str, str], tests: tuple[Any, ...]) -> None:
    """A signed counter does not overflow where a test has just found it below, or above, another number."""
    own = type_of(node.expr, types)
    relation = "<" if "+" in node.op else ">"
    if own in SIGNED and not any(_bounds(test, node.expr.name, relation, own, types) for test in tests):
        raise Refusal(WHERE.format(f"`{node.op.strip('p')}` of {node.expr.name}, which no test bounds"))


def _bounds(test: Any, name: str, relation: str, own: str, types: Mapping[str, str]) -> bool:
    """Does a condition say that the counter is not at the end of its type?"""
    if not isinstance(test, c_ast.BinaryOp):
        return False
    if test.op == "&&":
        return any(_bounds(side, name, relation, own, types) for side in (test.left, test.right))
    mirrored = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    for left, op, right in ((test.left, test.op, test.right), (test.right, mirrored.get(test.op), test.left)):
        if isinstance(left, c_ast.ID) and left.name == name and op is not None:
            if op == relation:
                return type_of(right, types) in (own, "int") and not _is_huge(right)
            return op == f"{relation}=" and _is_small(right)
    return False


def _is_small(node: Any) -> bool:
    return isinstance(node, c_ast.Constant) and constant_type(node) == "int" and not _is_huge(node)


def _is_huge(node: Any) -> bool:
    """Is it a number that may not fit an `int`, or be the largest?"""
    if not isinstance(node, c_ast.Constant):
        return False
    try:
        return int(node.value.rstrip("uUlL"), 0) >= _LARGEST
    except ValueError:  # octal: not worth to be read
        return True
