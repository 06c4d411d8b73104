"""Tables of rows: `double **a` whose rows are allocated one by one, and are never anything else's.

    double **a = malloc(n * sizeof *a);
    for (i = 0; i < n; i++) a[i] = malloc(m * sizeof **a);

In a function that uses such a variable in no other way than below, `a[i][j]` is an element of a
two-dimensional array of its own: no two rows overlap, and no pointer leads into them.  Tables may be handed
down to functions that use them likewise, rows to functions that keep no pointer to them, and a function that
returns its table is as good as an allocation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.confined import Confinement
from species.symbols.effects import Effects, arguments_of, points_nowhere
from species.symbols.symbols import FRESH, Resolution, Symbol
from species.symbols.types import CType, TypeTable
from species.symbols.used_assignments import taken

_Tables = set[Symbol]


class RowTables:
    """Finds the tables of the functions of one file."""

    def __init__(self, resolution: Resolution, types: TypeTable, effects: Effects) -> None:
        self._resolution, self._effects = resolution, effects
        self._confinement = Confinement(resolution, types, effects)
        self._made: dict[str, bool] = {}  # by function: does it give back a table?
        self._handed: dict[tuple[str, int], bool] = {}  # by function and parameter: is it used as one?

    def of(self, function: c_ast.FuncDef) -> dict[Symbol, Symbol]:
        """The variables that are tables of rows of numbers, each with what all its rows are."""
        returned = {self._symbol(n) for n in self._returned(function)}
        return {table: _rows(table, table in returned) for table in self._tables(function)}

    def _tables(self, function: c_ast.FuncDef) -> _Tables:
        named = [s for n in walk(function.body) if (s := self._symbol(n)) is not None]
        candidates = {s for s in named if _may_be_table(s) and self._is_allocated(s, function)}
        return candidates - self._all_misused(function, candidates)

    def _symbol(self, node: Any) -> Symbol | None:
        return self._resolution.symbols.get(id(node))

    def _is_allocated(self, table: Symbol, function: c_ast.FuncDef) -> bool:
        """Is the variable defined once, by an allocation or by a function that returns a table?"""
        if table.storage != "local" or table.address_taken or table.definitions != 1:
            return False
        if table.is_single_allocation:
            return self._is_fresh(table.allocation)
        values = (self._value_of(n, table) for n in walk(function.body))
        calls = [v for v in values if v is not None and not points_nowhere(v)]
        return len(calls) == 1 and self._is_fresh_table(calls[0])

    def _value_of(self, node: Any, table: Symbol) -> Any:
        """What a node that defines the variable sets it to."""
        if isinstance(node, c_ast.Decl) and self._symbol(node) is table:
            return node.init
        assigns = isinstance(node, c_ast.Assignment) and self._symbol(node.lvalue) is table
        return node.rvalue if assigns else None

    def _is_fresh_table(self, value: Any) -> bool:
        value = _uncast(value)
        name = self._effects.summaries.called(value) if isinstance(value, c_ast.FuncCall) else None
        return name is not None and self._makes_table(name)

    def _is_fresh(self, value: Any) -> bool:
        """Is it a call of the library's malloc, or the like?"""
        value = _uncast(value)
        named = isinstance(value, c_ast.FuncCall) and getattr(value.name, "name", None) in FRESH
        return named and self._effects.of(value).kind == "allocation"

    def _makes_table(self, name: str) -> bool:
        """Does the function return a table of its own, or a null pointer, and nothing else?"""
        if name not in self._made:
            self._made[name] = False  # the answer for recursion
            function = self._resolution.functions[name]
            given = [n for n in self._returned(function) if not points_nowhere(n)]
            tables = self._tables(function) if given else set()
            self._made[name] = bool(given) and all(self._symbol(n) in tables for n in given)
        return self._made[name]

    def _returned(self, function: c_ast.FuncDef) -> list[Any]:
        found = (n.expr for n in walk(function.body) if isinstance(n, c_ast.Return))
        return [_uncast(e) for e in found if e is not None]

    # How tables are used

    def _all_misused(self, function: c_ast.FuncDef, tables: _Tables) -> _Tables:
        if not tables:
            return set()
        name = function.decl.name
        misused = set(self._misused(function.body, tables, name))
        for assignment in taken(function.body):  # `p = a[i] = malloc(n)`: another pointer to the row
            misused.update(self._misused(assignment.lvalue, tables, name))
        return misused

    def _misused(self, node: Any, tables: _Tables, inside: str) -> Iterator[Symbol]:
        """Tables that are used otherwise, in the function `inside`."""
        found = self._symbol(node) if isinstance(node, c_ast.ID) else None
        if found in tables and found is not None:
            yield found  # only reached where no allowed use was recognised around it
            return
        for child in self._unrecognised(node, tables, inside):
            yield from self._misused(child, tables, inside)

    def _unrecognised(self, node: Any, tables: _Tables, inside: str) -> list[Any]:
        """The children of a node, but for tables and rows that it uses in an allowed way."""

        def is_table(part: Any) -> bool:
            return isinstance(part, c_ast.ID) and self._symbol(part) in tables

        def is_row(part: Any) -> bool:
            return isinstance(part, c_ast.ArrayRef) and is_table(part.name)

        def rest(part: Any) -> list[Any]:
            """What is left to look at in a table (nothing), in a row (its subscript), or in anything else."""
            return [part.subscript] if is_row(part) else [] if is_table(part) else [part]

        match node:
            case c_ast.ArrayRef() if is_row(node.name):
                return [*rest(node.name), node.subscript]
            case c_ast.Assignment(op="=") if is_row(node.lvalue) and self._is_fresh(node.rvalue):
                return [*rest(node.lvalue), node.rvalue]
            case c_ast.Assignment(op="=") if is_table(node.lvalue):
                return [node.rvalue]  # the allocation: there is one definition
            case c_ast.FuncCall(name=c_ast.ID(name="free")) if len(arguments_of(node)) == 1:
                return rest(_uncast(arguments_of(node)[0]))
            case c_ast.FuncCall():
                left = [self._left_of(node, k, is_table, inside) for k in range(len(arguments_of(node)))]
                return [node.name, *(part for parts in left for part in parts)]
            case c_ast.Return() if is_table(_uncast(node.expr)):
                return []
            case c_ast.UnaryOp(op="!"):
                return rest(node.expr)
            case c_ast.UnaryOp(op="&"):
                return _addressed(node.expr)
            case c_ast.UnaryOp(op="sizeof"):
                return []
            case c_ast.BinaryOp(op="==" | "!="):
                return [*rest(node.left), *rest(node.right)]
        return [child for _, child in node.children()]

    def _left_of(
        self, call: c_ast.FuncCall, position: int, is_table: Callable[[Any], bool], inside: str
    ) -> list[Any]:
        """What is left to look at in an argument: all of it where the callee does more than use it."""
        given = arguments_of(call)[position]
        in_row = _in_row(_uncast(given), is_table)
        if in_row:
            return [given] if self._confinement.keeps(call, given, inside) else in_row
        own = self._effects.summaries.called(call)
        handed = is_table(given) and own is not None and self._is_table_in(own, position)
        return [] if handed else [given]

    def _is_table_in(self, name: str, position: int) -> bool:
        """Does the function use its parameter as a table only?"""
        if (name, position) not in self._handed:
            self._handed[name, position] = False  # the answer for recursion
            self._handed[name, position] = self._uses_as_table(name, position)
        return self._handed[name, position]

    def _uses_as_table(self, name: str, position: int) -> bool:
        parameters = list(self._confinement.parameters(name))
        if position >= len(parameters):
            return False
        table, function = parameters[position], self._resolution.functions[name]
        if not _may_be_table(table) or table.writes or table.address_taken:
            return False
        returned = {self._symbol(n) for n in self._returned(function)}
        return table not in returned and not self._all_misused(function, {table})


def _rows(table: Symbol, returned: bool) -> Symbol:
    ctype = CType("array", table.ctype.text, target=table.ctype.target)
    return Symbol(table.name, ctype, "memory", is_rows=True, exposed=returned)


def _may_be_table(symbol: Symbol) -> bool:
    """`T **a`, of numbers."""
    rows = symbol.ctype.target
    return (
        symbol.ctype.kind == "pointer"
        and rows is not None
        and rows.kind == "pointer"
        and rows.target is not None
        and rows.target.is_number
        and not rows.volatile
    )


def _in_row(pointer: Any, is_table: Callable[[Any], bool]) -> list[Any]:
    """The subscripts in `a[i]`, `a[i] + k` or `&a[i][k]`, pointers into a row; empty for anything else."""
    match pointer:
        case c_ast.ArrayRef() if is_table(pointer.name):
            return [pointer.subscript]
        case c_ast.BinaryOp(op="+", left=c_ast.ArrayRef() as row) if is_table(row.name):
            return [row.subscript, pointer.right]
        case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=c_ast.ArrayRef() as row)) if is_table(row.name):
            return [row.subscript, pointer.expr.subscript]
    return []


def _addressed(target: Any) -> list[Any]:
    """`&a[i][j]`: the address leads into a row, so every name in it counts as misused."""
    return [n for n in walk(target) if isinstance(n, c_ast.ID)]


def _uncast(value: Any) -> Any:
    while isinstance(value, c_ast.Cast):
        value = value.expr
    return value
