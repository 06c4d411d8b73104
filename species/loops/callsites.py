"""What static functions are called with: whole structures, numbers that never differ, arrays of one length.

A static function whose address is nowhere taken is called from this file alone, so that all of its calls can
be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from pycparser import c_ast

from species.loops.expressions import NOTHING, Evaluated, arithmetic, literal
from species.loops.modified import is_object
from species.sets.affine import Affine, constant
from species.source.syntax.tree import code, walk
from species.symbols.enumerations import constant_value
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import INT, CType, TypeTable


def note_call_sites(
    ast: c_ast.FileAST, resolution: Resolution, types: TypeTable, hidden: frozenset[str]
) -> None:
    """Sets `given`, `is_there` and `elements` of the parameters of static functions; `ast` is the whole file.

    Those in `hidden` may be called by other names.
    """
    sites = _CallSites(ast, resolution, types, hidden)
    for name in sites.closed:
        for position, parameter in enumerate(sites.parameters(name)):
            if not is_fixed(parameter):
                continue
            parameter.given = sites.given(name, position, parameter)
            parameter.is_there = sites.is_there(name, position)
            parameter.elements = sites.elements(name, position)


def is_fixed(parameter: Symbol) -> bool:
    """Has it the value that it was called with, always?"""
    return not parameter.writes and not parameter.address_taken


def calls_in(ast: c_ast.FileAST) -> tuple[list[tuple[c_ast.FuncCall, str]], set[str]]:
    """All calls of a file, each with the function that it stands in ("": none), and the names that are used
    otherwise: of functions, too, whose addresses are taken.
    """
    calls: list[tuple[c_ast.FuncCall, str]] = []
    taken: set[str] = set()
    for item in code(ast):
        inside = item.decl.name if isinstance(item, c_ast.FuncDef) else ""
        others: set[int] = set()  # names that are called, or those of members
        for node in walk(item):
            if isinstance(node, c_ast.FuncCall):
                calls.append((node, inside))
                others.add(id(node.name))
            elif isinstance(node, c_ast.StructRef):
                others.add(id(node.field))
            elif isinstance(node, c_ast.NamedInitializer):
                others.update(id(part) for part in node.name if isinstance(part, c_ast.ID))
            elif isinstance(node, c_ast.ID) and id(node) not in others:
                taken.add(node.name)
    return calls, taken


class AllocatedSizes:
    """How many elements allocations have, where that is a number."""

    def __init__(self, resolution: Resolution, types: TypeTable) -> None:
        self._resolution, self._types = resolution, types

    def of(self, call: c_ast.FuncCall, element: CType) -> int | None:
        """The number of elements of `calloc(n, sizeof *p)` and `malloc(n * m * sizeof *p)`."""
        given = call.args.exprs if call.args else []
        name = getattr(call.name, "name", "")
        if (name, len(given)) not in (("calloc", 2), ("malloc", 1)):
            return None
        factors = [factor for node in given for factor in self._factors(node)]
        sizes = [factor for factor in factors if self._is_size(factor, element)]
        numbers = [self.number(factor) for factor in factors if factor not in sizes]
        return _product(numbers) if len(sizes) == 1 else None

    def _factors(self, node: Any) -> Iterator[Any]:
        """What a product is made of, without casts to integers that hold as much as `int`."""
        bare = node
        while isinstance(bare, c_ast.Cast):
            ctype, bare = self._types.resolve(bare.to_type), bare.expr
            if not ctype.is_integer or ctype.bits < 32:
                yield node
                return
        if isinstance(bare, c_ast.BinaryOp) and bare.op == "*":
            yield from self._factors(bare.left)
            yield from self._factors(bare.right)
        else:
            yield bare

    def _is_size(self, node: Any, element: CType) -> bool:
        """Is it `sizeof` of a number as wide as an element?"""
        if not isinstance(node, c_ast.UnaryOp) or node.op != "sizeof":
            return False
        if isinstance(node.expr, c_ast.Typename):
            found = self._types.resolve(node.expr)
        else:
            found = type_of(node.expr, self._resolution.symbols, self._types)
        return found.is_number and found.bits == element.bits

    def number(self, node: Any) -> int | None:
        """A constant, an enumerator, or what a variable starts with that nothing else is ever assigned to."""
        symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        if symbol is None and isinstance(node, c_ast.ID):
            return self._types.certain_constants().get(node.name)
        if symbol is None or not is_fixed(symbol) or symbol.storage != "local" or symbol.ctype.volatile:
            return _number(node)
        init = getattr(symbol.node, "init", None) if symbol.ctype.is_integer else None
        found = _number(init)
        if found is None and init is not None:  # with casts in it
            found = _product([_number(factor) for factor in self._factors(init)])
        low, high = symbol.ctype.certain_range
        return found if found is not None and low <= found <= high else None


def _product(numbers: list[int | None]) -> int | None:
    """That of numbers which are all known; None where an `int` might not hold it."""
    known = [number for number in numbers if number is not None and number >= 0]
    found = prod(known) if known and len(known) == len(numbers) else None
    return found if found is not None and found < 1 << 31 else None


class _CallSites:
    """The calls of the functions of a file."""

    def __init__(
        self, ast: c_ast.FileAST, resolution: Resolution, types: TypeTable, hidden: frozenset[str]
    ) -> None:
        self._resolution, self._types = resolution, types
        self._sizes = AllocatedSizes(resolution, types)
        self._calls: dict[str, list[tuple[c_ast.FuncCall, str]]] = {}
        self._there: dict[tuple[str, int], bool] = {}
        self._elements: dict[tuple[str, int], int | None] = {}
        calls, taken = calls_in(ast)
        resolution.called = frozenset(resolution.functions) - taken
        for call, inside in calls:
            if isinstance(call.name, c_ast.ID):
                self._calls.setdefault(call.name.name, []).append((call, inside))
        self.closed = [n for n in resolution.functions if resolution.is_static(n) and n not in taken | hidden]

    def parameters(self, name: str) -> list[Symbol]:
        """The function's parameters, in order; none where they are not plainly declared."""
        arguments = self._resolution.functions[name].decl.type.args
        listed = [self._resolution.symbols.get(id(p)) for p in (arguments.params if arguments else [])]
        return [s for s in listed if s is not None] if all(listed) else []

    def _owner(self, node: Any) -> Symbol | None:
        """The variable that an lvalue is, or a member of."""
        while isinstance(node, c_ast.StructRef) and node.type == ".":
            node = node.name
        symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        if symbol is None or symbol.storage == "parameter" or symbol.peculiar:
            return None
        return symbol if is_object(symbol) or symbol.is_scalar else None

    def is_there(self, name: str, position: int) -> bool:
        """Does the parameter point to a whole structure in every call, so that it may be read any time, or to
        an array that is declared?

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
            return whole.kind == "struct" and whole == target and owner is not None
        symbol = symbols.get(id(node))
        if symbol is not None and symbol.ctype.kind == "array" and is_object(symbol):
            known = self._types.certain_constants()
            is_empty = constant_value(symbol.ctype.extent, known) == 0  # GNU C has such arrays
            return not (symbol.peculiar or is_empty) and symbol.ctype.target == target
        own = self.parameters(caller) if symbol is not None and caller in self._resolution.functions else []
        if symbol not in own or symbol is None or not is_fixed(symbol):
            return False
        return symbol.ctype.target == target and self.is_there(caller, own.index(symbol))

    def elements(self, name: str, position: int) -> int | None:
        """The number of elements of the array that every call has as this argument.

        (None where a call that is looked at leads back to it.)
        """
        key = name, position
        if key not in self._elements:
            self._elements[key] = None
            calls = self._calls.get(name, []) if name in self.closed else []
            target = self.parameters(name)[position].ctype.decayed.target
            values = [call.args.exprs if call.args else [] for call, _ in calls]
            if target is None or not target.is_number or any(len(v) <= position for v in values):
                return None
            found = {
                self._length(given[position], target, caller)
                for given, (_, caller) in zip(values, calls, strict=True)
            }
            self._elements[key] = found.pop() if len(found) == 1 else None
        return self._elements[key]

    def _length(self, node: Any, element: CType, caller: str) -> int | None:
        """How many elements the array has that an argument is, or points to the start of."""
        symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        if symbol is None or symbol.peculiar or symbol.replaceable:
            return None
        if symbol.storage == "parameter":
            own = self.parameters(caller) if caller in self._resolution.functions else []
            return self.elements(caller, own.index(symbol)) if symbol in own and is_fixed(symbol) else None
        target = symbol.ctype.target
        if target is None or (target.kind, target.bits) != (element.kind, element.bits):
            return None
        if symbol.ctype.kind == "array":
            extent = symbol.ctype.extent
            known = self._types.certain_constants()
            return constant_value(extent, known) if isinstance(extent, c_ast.Node) else None
        is_own = symbol.is_single_allocation and symbol.storage == "local"
        return self._sizes.of(symbol.allocation, element) if is_own else None

    def given(self, name: str, position: int, parameter: Symbol) -> tuple[int, ...]:
        """The numbers that the calls have as this argument, in their order; none where one has no number."""
        calls = [call.args.exprs if call.args else [] for call, _ in self._calls.get(name, [])]
        if not parameter.ctype.is_integer or any(len(c) <= position for c in calls):
            return ()
        low, high = parameter.ctype.certain_range
        values = [self._sizes.number(c[position]) for c in calls]
        found = tuple(value for value in values if value is not None and low <= value <= high)
        return found if len(found) == len(values) else ()


def _number(node: Any) -> int | None:
    value = _evaluated(node).value
    return value.constant if isinstance(value, Affine) and value.is_constant else None


def _evaluated(node: Any) -> Evaluated:
    """A literal, perhaps with a sign, of its type: `-0xFFFFFFFF` is 1.  `INT_MIN` is `-2147483647 - 1`."""
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-", "*", "<<"):
        sides = _evaluated(node.left), _evaluated(node.right)
        known = all(isinstance(side.value, Affine) and side.ctype.is_integer for side in sides)
        return arithmetic(node.op, *sides, ()) if known else NOTHING
    if isinstance(node, c_ast.UnaryOp) and node.op == "-":
        inner = _evaluated(node.expr)
        return arithmetic("-", Evaluated(constant(0), INT), inner, ()) if inner.ctype.is_integer else inner
    return literal(node) if isinstance(node, c_ast.Constant) and "int" in node.type else NOTHING
