"""Which loops an expression has the same value in: those that change nothing of what it reads.

A number that nobody knows, such as `(int)sqrt(n)`, is a bound of a loop if it is always the same in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pycparser import c_ast

from species.loops.model import Loop
from species.loops.scanner import Scanner
from species.symbols.effects import Effects
from species.symbols.symbols import Symbol

LIMIT = "limit"  # the first part of the key of a value: the integer at which floating-point numbers end
_OPERATORS = ("+", "-", "~", "!")


def varying(
    node: Any,
    loops: Iterable[Loop],
    symbols: Mapping[int, Symbol],
    scanner: Scanner,
    effects: Effects,
) -> frozenset[int]:
    """The numbers of the loops, all of which stand around the expression, that may change its value."""
    read = list(_read(node, effects))
    named = [symbols.get(id(n)) for n in read if n is not None]
    known = len(named) == len(read) and all(s is None or _is_number(s) for s in named)

    def is_fixed(loop: Loop) -> bool:
        modified = scanner.modified(loop.node)
        return not any(modified.may_change(s) for s in named if s is not None)

    return frozenset(loop.number for loop in loops if not known or not is_fixed(loop))


def _is_number(symbol: Symbol) -> bool:
    return symbol.ctype.kind in ("int", "float") and not symbol.ctype.volatile and not symbol.peculiar


def _read(node: Any, effects: Effects) -> Iterator[c_ast.ID | None]:
    """The names that an expression reads; None stands for anything else that its value depends on."""
    match node:
        case c_ast.Constant():
            return
        case c_ast.ID():
            yield node
        case c_ast.BinaryOp() | c_ast.TernaryOp() | c_ast.ExprList():
            for child in node:
                yield from _read(child, effects)
        case c_ast.Cast():
            yield from _read(node.expr, effects)
        case c_ast.UnaryOp() if node.op in _OPERATORS:
            yield from _read(node.expr, effects)
        case c_ast.FuncCall(name=c_ast.ID()) if _is_function_of_numbers(node, effects):
            if node.args is not None:
                yield from _read(node.args, effects)
        case _:
            yield None


def _is_function_of_numbers(call: c_ast.FuncCall, effects: Effects) -> bool:
    """Does its result depend on its arguments alone?"""
    return effects.of(call).is_plain
