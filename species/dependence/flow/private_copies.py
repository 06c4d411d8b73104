"""Would a reference use the private copy of a variable that a parallel loop makes?

A copy has the variable's name in the text of the loop.  A callee that names the variable itself, or a pointer
that was made elsewhere, still means the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pycparser import c_ast

from species.core.memo import kept
from species.loops.model import Inlining, Loop, Reference
from species.source.syntax.tree import walk
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


def sees_array_copy(reference: Reference, symbols: Mapping[int, Symbol], loop: Loop) -> bool:
    """Would this reference to a part of an array use a copy of the loop's?"""
    if isinstance(root(reference.node), c_ast.Decl):
        return reference.inlining is None
    return starting_name(reference, symbols, loop) is reference.symbol


def starting_name(reference: Reference, symbols: Mapping[int, Symbol], loop: Loop) -> Symbol | None:
    """The variable from which the loop's own text gets to a part of an array; None: a callee knows more.

    Parameters stand for what they are given, pointers that are declared inside for what they start with.
    """
    return _start(reference.node, reference.inlining, symbols, loop)


def _start(node: Any, inlining: Inlining | None, symbols: Mapping[int, Symbol], loop: Loop) -> Symbol | None:
    start = root(node)
    symbol = symbols.get(id(start))
    if symbol is None:
        return None
    if inlining is not None and symbol in inlining.parameters and _is_fixed(symbol):
        argument = inlining.arguments[inlining.parameters.index(symbol)]
        return _start(argument, inlining.caller, symbols, loop)
    if _is_fixed(symbol) and symbol.ctype.kind == "pointer" and symbol.storage == "local":
        first = getattr(symbol.node, "init", None)
        inside = inlining is not None or id(symbol.node) in _declared(loop)
        if first is not None and inside and isinstance(root(first), c_ast.ID):
            return _start(first, inlining, symbols, loop)
    return symbol if inlining is None else None


@kept(200)
def _declared(loop: Loop) -> frozenset[int]:
    """The declarations in a loop, by the ids of nodes."""
    return frozenset(id(node) for node in walk(loop.node) if isinstance(node, c_ast.Decl))
