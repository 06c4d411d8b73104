"""The types of expressions, and which of them vectors convert into one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pycparser import c_ast

from species.core.refusal import Refusal
from species.source.syntax.expressions import (
    FLOATS,
    INTEGERS,
    array_of,
    canonical,
    cast_type,
    common,
    constant_type,
    promoted,
)

WIDE = ("long", "unsigned long", "long long", "unsigned long long")
SIGNED = ("int", "long", "long long")
RELATIONS = frozenset(("<", ">", "<=", ">=", "==", "!="))
LOGICAL = frozenset(("&&", "||"))
FUNCTIONS = {"sqrt": "double", "fabs": "double", "sqrtf": "float", "fabsf": "float"}


def type_of(node: Any, types: Mapping[str, str]) -> str:
    """The type in which C computes an expression, `types` by name; Refusal for a name without one."""
    match node:
        case c_ast.ID() | c_ast.ArrayRef():
            return _declared(node, types)
        case c_ast.Constant():
            return constant_type(node)
        case c_ast.Cast():
            return target_of(node, types)
        case c_ast.UnaryOp():
            return "int" if node.op == "!" else promoted(type_of(node.expr, types))
        case c_ast.BinaryOp():
            return _of_operator(node, types)
        case c_ast.TernaryOp():
            return common(type_of(node.iftrue, types), type_of(node.iffalse, types))
        case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in FUNCTIONS:
            return FUNCTIONS[name]
    raise Refusal("its inner loop computes with something other than numbers")


def target_of(node: Any, types: Mapping[str, str]) -> str:
    """The type that a cast converts to; `types` has those of names of types, too."""
    name = cast_type(node)
    return types.get(name) or canonical(name)


def _declared(node: Any, types: Mapping[str, str]) -> str:
    name = array_of(node)
    if name not in types:
        raise Refusal(f"{name} is no number of a type that vectors hold")
    return types[name]


def _of_operator(node: Any, types: Mapping[str, str]) -> str:
    if node.op in RELATIONS | LOGICAL:
        return "int"
    left, right = type_of(node.left, types), type_of(node.right, types)
    return promoted(left) if node.op in ("<<", ">>") else common(left, right)


def check_conversion(found: str, wanted: str) -> None:
    """Refusal for a conversion that vectors do not have."""
    kinds = {found in FLOATS, wanted in FLOATS}
    if len(kinds) == 2 and "int" not in (found, wanted):
        raise Refusal(f"vectors do not convert {found} to {wanted}")


def is_held(ctype: str) -> bool:
    """Do vectors hold numbers of this type?"""
    return ctype in (*FLOATS, *INTEGERS)
