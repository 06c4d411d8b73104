"""Is every change of a variable sequenced with its other uses in an expression?  (See C11 6.5p2.)"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import Any, NamedTuple

from pycparser import c_ast
from pycparser.c_parser import CParser

_IN_ORDER = ("&&", "||")


class Uses(NamedTuple):
    """The variables that an expression names, those that it changes, and whether that is undefined."""

    named: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    clash: bool = False


def is_sequenced(text: str) -> bool:
    """Is it so in all expressions of a function, given as C text?"""
    return not _uses(CParser().parse(text)).clash


def _uses(node: Any) -> Uses:
    match node:
        case c_ast.ID():
            return Uses(frozenset((node.name,)))
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID()):
            name = frozenset((node.expr.name,))
            return Uses(name, name)
        case c_ast.Assignment(lvalue=c_ast.ID()):
            value, name = _uses(node.rvalue), node.lvalue.name
            clash = value.clash or name in value.changed
            return Uses(value.named | {name}, value.changed | {name}, clash)
        case c_ast.Assignment() | c_ast.ArrayRef() | c_ast.FuncCall():
            return _together(_apart(node))
        case c_ast.StructRef():
            return _uses(node.name)
        case c_ast.BinaryOp() if node.op not in _IN_ORDER:
            return _together((node.left, node.right))
    return _one_by_one(_uses(child) for _, child in node.children())


def _apart(node: Any) -> Iterable[Any]:
    """The operands that are evaluated in no order."""
    if isinstance(node, c_ast.FuncCall):
        return node.args.exprs if node.args else ()
    return [child for _, child in node.children()]


def _together(nodes: Iterable[Any]) -> Uses:
    found = [_uses(node) for node in nodes]
    whole = _one_by_one(found)
    return whole._replace(clash=whole.clash or any(a.changed & b.named for a, b in permutations(found, 2)))


def _one_by_one(found: Iterable[Uses]) -> Uses:
    parts = list(found)
    named, changed = (frozenset[str]().union(*(p[k] for p in parts)) for k in (0, 1))  # type: ignore[arg-type]
    return Uses(named, changed, any(p.clash for p in parts))
