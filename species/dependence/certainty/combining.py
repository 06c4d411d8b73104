"""Statements that combine a value into a place, `x += e`: in which order they do might be of no matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pycparser import c_ast

from species.dependence.exact.dependence_test import Dependence, meeting
from species.loops.model import Reference
from species.source.syntax.tree import walk
from species.symbols.update_idioms import same

_OPERATORS = ("+", "-", "*", "&", "|", "^", "&&", "||")
_ALIKE = {"-": "+"}


def combining(body: Any) -> dict[int, str]:
    """The operators of `x += e`, `x++` and `x = x + e`, by the ids of their nodes for x and of themselves.

    Iterations that do no more with x could do it in another order, or each for itself, if only that had a
    name: `x` may be a place in memory.
    """
    found: dict[int, str] = {}
    for node in walk(body):
        for operator, places in _combination(node):
            found |= dict.fromkeys(map(id, (node, *places)), _ALIKE.get(operator, operator))
    return found


def _combination(node: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The operator and the nodes for x."""
    match node:
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
            yield "+", (node.expr,)
        case c_ast.Assignment(op="=", rvalue=c_ast.BinaryOp()):
            value = node.rvalue
            for side in (value.left, value.right) if value.op != "-" else (value.left,):
                if value.op in _OPERATORS and same(side, node.lvalue):
                    yield value.op, (node.lvalue, side)
        case c_ast.Assignment() if node.op != "=" and node.op[:-1] in _OPERATORS:
            yield node.op[:-1], (node.lvalue,)


def is_combined(dependence: Dependence, combined: dict[int, str], references: Iterable[Reference]) -> bool:
    """Is all that the references do with the place, at both ends and elsewhere, to combine with one operator?

    (Where partial results are used, iterations need those of others.)
    """
    place, ends = dependence.source.place, (dependence.source, dependence.sink)
    if None in (_operator(end, combined) for end in ends):
        return False
    alike = (r for r in references if r.place.is_variable == place.is_variable)
    using = (r for r in alike if meeting(r.place, place) is not None)
    operators = {_operator(r, combined) for r in (*ends, *using)}
    return len(operators) == 1 and None not in operators


def _operator(reference: Reference, combined: dict[int, str]) -> str | None:
    if reference.update is not None:
        return _ALIKE.get(reference.update.operator, reference.update.operator)
    return combined.get(id(reference.node))
