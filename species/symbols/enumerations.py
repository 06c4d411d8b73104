"""The values of enumerators: they decide of which integer type an enumeration is."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from pycparser import c_ast

_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def enumerators(node: c_ast.Enum, known: Mapping[str, int]) -> dict[str, int] | None:
    """The value of every enumerator, given those of earlier ones; None if one of them cannot be told."""
    found: dict[str, int] = {}
    following: int | None = 0
    for item in node.values.enumerators if node.values else []:
        value = following if item.value is None else constant_value(item.value, {**known, **found})
        if value is None:
            return None
        found[item.name], following = value, value + 1
    return found


def constant_value(node: Any, known: Mapping[str, int]) -> int | None:
    """The value of a constant expression, given those of enumerators; None if it cannot be told."""
    match node:
        case c_ast.Constant(type="char") if len(node.value) == 3 and node.value.isascii():
            return ord(node.value[1])
        case c_ast.Constant():
            return _literal(node.value)
        case c_ast.ID():
            return known.get(node.name)
        case c_ast.UnaryOp(op="-" | "+"):
            inner = constant_value(node.expr, known)
            return -inner if node.op == "-" and inner is not None else inner
        case c_ast.BinaryOp():
            left, right = constant_value(node.left, known), constant_value(node.right, known)
            return None if left is None or right is None else _operation(node.op, left, right)
    return None


def _literal(text: str) -> int | None:
    body = text.lower().rstrip("ul")
    try:
        return int(body, 8) if body.startswith("0") and body.isdigit() else int(body, 0)
    except ValueError:
        return None


def _operation(symbol: str, left: int, right: int) -> int | None:
    if symbol == "<<":
        return left << right if left >= 0 and 0 <= right < 31 else None
    return _OPERATIONS[symbol](left, right) if symbol in _OPERATIONS else None
