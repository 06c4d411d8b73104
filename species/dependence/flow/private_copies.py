"""Would a reference use the private copy of a variable that a parallel loop makes?

A copy has the variable's name in the text of the loop.  A callee that names the variable itself, or a pointer
that was made elsewhere, still means the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pycparser import c_ast

from species.loops.model import Inlining, Reference
from species.symbols.symbols import Symbol
from species.symbols.update_idioms import root


def pointee(
    node: Any, inlining: Inlining | None, symbols: Mapping[int, Symbol]
) -> tuple[Symbol, Inlining | None] | None:
    """The variable x that an argument `&x` points to, and the callee that names it so (None: no callee).

    `node` stands in the callee of `inlining`, where it may be a parameter that is only passed on.
    """
    if isinstance(node, c_ast.UnaryOp) and node.op == "&" and isinstance(node.expr, c_ast.ID):
        symbol = symbols.get(id(node.expr))
        return (symbol, inlining) if symbol is not None and symbol.is_scalar else None
    parameter = symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
    if inlining is None or parameter not in inlining.parameters or not _is_fixed(parameter):
        return None
    position = inlining.parameters.index(parameter)
    return pointee(inlining.arguments[position], inlining.caller, symbols)


def _is_fixed(parameter: Symbol) -> bool:
    return not parameter.writes and not parameter.address_taken


def sees_copy(reference: Reference, symbols: Mapping[int, Symbol]) -> bool:
    """Would this reference to a scalar variable use a copy of the loop's?"""
    node, inlining = reference.node, reference.inlining
    if isinstance(node, c_ast.Decl) or symbols.get(id(node)) is reference.symbol:
        return inlining is None
    if isinstance(node, c_ast.UnaryOp) and node.op == "*":
        node = node.expr
    elif isinstance(node, c_ast.ArrayRef):
        node = node.name
    found = pointee(node, inlining, symbols)
    return found is not None and found[0] is reference.symbol and found[1] is None


def sees_array_copy(reference: Reference, symbols: Mapping[int, Symbol]) -> bool:
    """Would this reference to a part of an array use a copy of the loop's?"""
    return _is_rooted(reference.node, reference.inlining, reference.symbol, symbols)


def _is_rooted(node: Any, inlining: Inlining | None, array: Symbol, symbols: Mapping[int, Symbol]) -> bool:
    """Does the expression start from the array's name in the loop, or from a parameter that stands for it?"""
    start = root(node)
    if isinstance(start, c_ast.Decl):
        return inlining is None
    symbol = symbols.get(id(start))
    if symbol is array:
        return inlining is None
    if inlining is None or symbol not in inlining.parameters or not _is_fixed(symbol):
        return False
    argument = inlining.arguments[inlining.parameters.index(symbol)]
    return _is_rooted(argument, inlining.caller, array, symbols)
