"""Walking syntax trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

LEAVES = frozenset((c_ast.ID, c_ast.Constant, c_ast.IdentifierType))


def walk(node: Any) -> Iterator[Any]:
    """The node and all nodes below it, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        if type(current) not in LEAVES:
            pending += [*current][::-1]


def variables(node: Any) -> Iterator[c_ast.ID]:
    """The identifiers in an expression or statement that are no members' names, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, c_ast.ID):
            yield current
        elif isinstance(current, c_ast.StructRef):
            pending.append(current.name)
        elif isinstance(current, c_ast.NamedInitializer):  # an identifier that designates is a member
            pending += [current.expr, *(d for d in current.name if not isinstance(d, c_ast.ID))]
        elif type(current) not in LEAVES:
            pending += [*current][::-1]


def code(ast: c_ast.FileAST) -> Iterator[c_ast.Node]:
    """What a file defines with code of its own: functions, and variables with their first values."""
    for item in ast.ext:
        if isinstance(item, c_ast.FuncDef) or getattr(item, "init", None) is not None:
            yield item


def subscripted(node: Any) -> Iterator[c_ast.ArrayRef]:
    """An element of an array, and the rows that it lies in: of `a[i][j]`, itself and `a[i]`."""
    while isinstance(node, c_ast.ArrayRef):
        yield node
        node = node.name


def only_statement(statement: Any) -> Any:
    """The statement itself, or the only one in its braces."""
    while isinstance(statement, c_ast.Compound) and len(statement.block_items or ()) == 1:
        statement = statement.block_items[0]
    return statement


def repeated(loop: Any) -> Iterator[Any]:
    """What every iteration of a loop executes: not the start of a `for`."""
    for part in (loop.cond, getattr(loop, "next", None), loop.stmt):
        yield from walk(part) if part is not None else ()
