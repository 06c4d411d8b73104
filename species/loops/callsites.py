"""What static functions are called with: objects that pointers stand for, numbers that never differ.

A static function whose address is nowhere taken is called from this file alone, so that all of its calls can
be looked at (Andersen's points-to analysis, for parameters that are never assigned).
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.loops.affine import Affine, constant
from species.loops.expressions import NOTHING, Evaluated, arithmetic, literal
from species.loops.modified import is_object
from species.loops.symbols import Resolution, Symbol, type_of
from species.loops.types import INT, TypeTable
from species.source.tree import walk

MAX_SITES = 64

Row = tuple[Symbol | None, ...]  # the object that each argument of a call points to; None: not known


def note_call_sites(
    ast: c_ast.FileAST, resolution: Resolution, types: TypeTable, hidden: frozenset[str]
) -> None:
    """Sets `objects` and `value` of the parameters of static functions; `ast` is the whole file.

    Those in `hidden` may be called by other names.
    """
    sites = _CallSites(ast, resolution, types, hidden)
    for name in sites.closed:
        rows = sites.rows(name)
        for position, parameter in enumerate(sites.parameters(name)):
            if not is_fixed(parameter):
                continue
            parameter.objects = tuple(row[position] for row in rows) if rows else ()
            parameter.value = sites.value(name, position, parameter)
            parameter.is_there = sites.is_there(name, position)


def is_fixed(parameter: Symbol) -> bool:
    """Has it the value that it was called with, always?"""
    return not parameter.writes and not parameter.address_taken


class _CallSites:
    """The calls of the functions of a file."""

    def __init__(
        self, ast: c_ast.FileAST, resolution: Resolution, types: TypeTable, hidden: frozenset[str]
    ) -> None:
        self._resolution, self._types = resolution, types
        self._calls: dict[str, list[tuple[c_ast.FuncCall, str]]] = {}
        self._rows: dict[str, list[Row]] = {}
        self._there: dict[tuple[str, int], bool] = {}
        taken = set(hidden)
        for item in ast.ext:
            if isinstance(item, c_ast.FuncDef):
                self._collect(item, item.decl.name, taken)
            elif getattr(item, "init", None) is not None:  # most are declarations out of headers
                self._collect(item, "", taken)
        self.closed = [n for n in resolution.functions if self._is_static(n) and n not in taken]

    def _collect(self, item: Any, inside: str, taken: set[str]) -> None:
        named: set[int] = set()
        for node in walk(item):
            if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
                named.add(id(node.name))
                self._calls.setdefault(node.name.name, []).append((node, inside))
            elif isinstance(node, c_ast.ID) and id(node) not in named:
                taken.add(node.name)

    def _is_static(self, name: str) -> bool:
        declaration = self._resolution.functions[name].decl
        symbol = self._resolution.symbols.get(id(declaration))
        return "static" in declaration.storage or (symbol is not None and symbol.storage == "static")

    def parameters(self, name: str) -> list[Symbol]:
        """The function's parameters, in order; none where they are not plainly declared."""
        arguments = self._resolution.functions[name].decl.type.args
        listed = [self._resolution.symbols.get(id(p)) for p in (arguments.params if arguments else [])]
        return [s for s in listed if s is not None] if all(listed) else []

    def rows(self, name: str) -> list[Row]:
        """For every way to call the function, the objects of its arguments; none: not known, as where a call
        that is looked at leads back to it.
        """
        if name not in self._rows:
            self._rows[name] = []
            self._rows[name] = self._found(name)
        return self._rows[name]

    def _found(self, name: str) -> list[Row]:
        parameters = self.parameters(name)
        found: list[Row] = []
        for call, caller in self._calls.get(name, []):
            listed = call.args.exprs if call.args else []
            if len(listed) != len(parameters):
                return []
            objects = [self._object(argument) for argument in listed]
            found += self._expanded(objects, caller)
            if len(found) > MAX_SITES:
                return []
        return found

    def _expanded(self, objects: list[Symbol | None], caller: str) -> list[Row]:
        """Parameters that the caller only passes on, replaced by what the caller is called with."""
        if not any(o is not None and o.storage == "parameter" for o in objects):
            return [tuple(objects)]
        outer = self.rows(caller) if caller in self.closed else []
        if not outer:
            return [tuple(None if o is not None and o.storage == "parameter" else o for o in objects)]
        parameters = self.parameters(caller)
        return [
            tuple(row[parameters.index(o)] if o is not None and o in parameters else o for o in objects)
            for row in outer
        ]

    def _object(self, node: Any) -> Symbol | None:
        """The object that a pointer expression points into; a parameter stands for what it is called with."""
        while isinstance(node, c_ast.Cast):
            if self._types.resolve(node.to_type).kind != "pointer":
                return None
            node = node.expr
        if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
            if self._is_number(node.right):
                return self._object(node.left)
            return self._object(node.right) if node.op == "+" and self._is_number(node.left) else None
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            return self._owner(node.expr)
        if isinstance(node, c_ast.ID):
            return self._pointed(self._resolution.symbols.get(id(node)))
        in_array = type_of(node, self._resolution.symbols, self._types).kind == "array"
        return self._owner(node) if in_array else None

    def _is_number(self, node: Any) -> bool:
        """Is it an integer that was no pointer before?"""
        match node:
            case c_ast.Constant():
                return bool(node.type != "string")
            case c_ast.Cast() | c_ast.UnaryOp(op="-" | "+" | "~" | "++" | "--" | "p++" | "p--"):
                return self._is_number(node.expr)
            case c_ast.UnaryOp(op="sizeof" | "!"):
                return True
            case c_ast.BinaryOp():
                return self._is_number(node.left) and self._is_number(node.right)
            case c_ast.ID() if id(node) not in self._resolution.symbols:
                return node.name in self._types.constants
        return type_of(node, self._resolution.symbols, self._types).is_integer

    def _pointed(self, symbol: Symbol | None) -> Symbol | None:
        """What a plain name, used as a pointer, points to."""
        if symbol is None or symbol.ctype.volatile:
            return None
        own = is_object(symbol) and symbol.ctype.kind == "array"
        allocated = symbol.is_single_allocation and symbol.storage in ("local", "static")
        passed_on = symbol.storage == "parameter" and is_fixed(symbol) and not symbol.ctype.is_integer
        return symbol if own or allocated or passed_on else None

    def _owner(self, node: Any) -> Symbol | None:
        """The object that an lvalue is a part of."""
        if isinstance(node, c_ast.ID):
            symbol = self._resolution.symbols.get(id(node))
            declared = symbol is not None and (is_object(symbol) or symbol.is_scalar) and not symbol.peculiar
            return symbol if declared and symbol is not None and symbol.storage != "parameter" else None
        if isinstance(node, c_ast.StructRef) and node.type == ".":
            return self._owner(node.name)
        if not isinstance(node, c_ast.ArrayRef):
            return None
        if isinstance(node.name, c_ast.ID):
            return self._pointed(self._resolution.symbols.get(id(node.name)))
        within = type_of(node.name, self._resolution.symbols, self._types).kind == "array"
        return self._owner(node.name) if within else None

    def is_there(self, name: str, position: int) -> bool:
        """Does the parameter point to a whole structure in every call, so that it may be read any time?

        (Not where a call that is looked at leads back to it.)
        """
        key = name, position
        if key not in self._there:
            self._there[key] = False
            calls = self._calls.get(name, []) if name in self.closed else []
            target = self.parameters(name)[position].ctype.target
            given = [(call.args.exprs if call.args else [], caller) for call, caller in calls]
            self._there[key] = bool(calls) and all(
                len(values) > position and self._is_structure(values[position], target, caller)
                for values, caller in given
            )
        return self._there[key]

    def _is_structure(self, node: Any, target: Any, caller: str) -> bool:
        """Is it the address of a variable or member of that type, or what the caller is called with?"""
        symbols = self._resolution.symbols
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            whole, owner = type_of(node.expr, symbols, self._types), self._owner(node.expr)
            is_part = any(isinstance(n, c_ast.ArrayRef) for n in walk(node.expr))
            return whole.kind == "struct" and whole == target and owner is not None and not is_part
        symbol = symbols.get(id(node))
        own = self.parameters(caller) if symbol is not None and caller in self._resolution.functions else []
        if symbol not in own or symbol is None or not is_fixed(symbol):
            return False
        return symbol.ctype.target == target and self.is_there(caller, own.index(symbol))

    def value(self, name: str, position: int, parameter: Symbol) -> int | None:
        """The number that every call has as this argument."""
        calls = [call.args.exprs if call.args else [] for call, _ in self._calls.get(name, [])]
        if not parameter.ctype.is_integer or any(len(c) <= position for c in calls):
            return None
        values = {_number(c[position]) for c in calls}
        found = values.pop() if len(values) == 1 else None
        low, high = parameter.ctype.certain_range
        return found if found is not None and low <= found <= high else None


def _number(node: Any) -> int | None:
    value = _evaluated(node).value
    return value.constant if isinstance(value, Affine) and value.is_constant else None


def _evaluated(node: Any) -> Evaluated:
    """A literal, perhaps with a sign, of its type: `-0xFFFFFFFF` is 1."""
    if isinstance(node, c_ast.UnaryOp) and node.op == "-":
        inner = _evaluated(node.expr)
        return arithmetic("-", Evaluated(constant(0), INT), inner, ()) if inner.ctype.is_integer else inner
    return literal(node) if isinstance(node, c_ast.Constant) and "int" in node.type else NOTHING
