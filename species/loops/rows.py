"""Tables of rows: `double **a` whose rows are allocated one by one, and are never anything else's.

    double **a = malloc(n * sizeof *a);
    for (i = 0; i < n; i++) a[i] = malloc(m * sizeof **a);

In a function that uses such a variable in no other way than below, `a[i][j]` is an element of a
two-dimensional array of its own: no two rows overlap, and no pointer leads into them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pycparser import c_ast

from species.loops.symbols import FRESH, Symbol
from species.loops.taken import taken
from species.loops.types import CType
from species.loops.updates import walk


def row_tables(function: c_ast.FuncDef, symbols: Mapping[int, Symbol]) -> dict[Symbol, Symbol]:
    """The variables of the function that are tables of rows of numbers, each with what all its rows are."""
    candidates = {
        s for n in walk(function.body) if (s := symbols.get(id(n))) is not None and _may_be_table(s)
    }
    misused = set(_misused(function.body, symbols, candidates)) if candidates else set()
    if candidates:  # `p = a[i] = malloc(n)`: another pointer to the row
        misused.update(s for a in taken(function.body) for s in _misused(a.lvalue, symbols, candidates))
    return {table: _rows(table) for table in candidates - misused}


def _rows(table: Symbol) -> Symbol:
    ctype = CType("array", table.ctype.text, target=table.ctype.target)
    return Symbol(table.name, ctype, "memory", is_rows=True)


def _may_be_table(symbol: Symbol) -> bool:
    """`T **a`, local, and defined by one allocation."""
    rows = symbol.ctype.target
    return (
        symbol.ctype.kind == "pointer"
        and rows is not None
        and rows.kind == "pointer"
        and rows.target is not None
        and rows.target.kind in ("int", "float")
        and not rows.volatile
        and symbol.storage == "local"
        and symbol.is_single_allocation
        and symbol.allocation.name.name in FRESH
    )


def _misused(node: Any, symbols: Mapping[int, Symbol], candidates: set[Symbol]) -> Iterator[Symbol]:
    """Candidates that are used otherwise."""
    found = symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
    if found in candidates and found is not None:
        yield found  # only reached where no allowed use was recognised around it
        return
    for child in _unrecognised(node, symbols, candidates):
        yield from _misused(child, symbols, candidates)


def _unrecognised(node: Any, symbols: Mapping[int, Symbol], candidates: set[Symbol]) -> list[Any]:
    """The children of a node, but for tables and rows that it uses in an allowed way."""

    def is_table(part: Any) -> bool:
        return isinstance(part, c_ast.ID) and symbols.get(id(part)) in candidates

    def is_row(part: Any) -> bool:
        return isinstance(part, c_ast.ArrayRef) and is_table(part.name)

    def rest(part: Any) -> list[Any]:
        """What is left to look at in a table (nothing), or in a row (its subscript)."""
        return [part.subscript] if is_row(part) else []

    match node:
        case c_ast.ArrayRef() if is_row(node.name):
            return [*rest(node.name), node.subscript]
        case c_ast.Assignment(op="=") if _is_fresh(node.rvalue) and (
            is_table(node.lvalue) or is_row(node.lvalue)
        ):
            return [*rest(node.lvalue), node.rvalue]
        case c_ast.FuncCall(name=c_ast.ID(name="free")) if node.args and len(node.args.exprs) == 1:
            freed = node.args.exprs[0]
            return rest(freed) if is_table(freed) or is_row(freed) else [freed]
        case c_ast.UnaryOp(op="!") if is_table(node.expr) or is_row(node.expr):
            return rest(node.expr)
        case c_ast.UnaryOp(op="&"):
            return _addressed(node.expr)
        case c_ast.UnaryOp(op="sizeof"):
            return []
        case c_ast.BinaryOp(op="==" | "!="):
            sides = [rest(s) if is_table(s) or is_row(s) else [s] for s in (node.left, node.right)]
            return [part for parts in sides for part in parts]
    return [child for _, child in node.children()]


def _addressed(target: Any) -> list[Any]:
    """`&a[i][j]`: the address leads into a row, so every name in it counts as misused."""
    return [n for n in walk(target) if isinstance(n, c_ast.ID)]


def _is_fresh(value: Any) -> bool:
    while isinstance(value, c_ast.Cast):
        value = value.expr
    return isinstance(value, c_ast.FuncCall) and getattr(value.name, "name", None) in FRESH
