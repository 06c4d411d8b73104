"""Which arrays does host code touch, and where?  For estimates, and for what a statement says outright: what
is sound is for the analyser to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast, c_generator

from species.loops.walk import Names
from species.source.syntax.tree import code, walk
from species.symbols.effects import arguments_of
from species.symbols.enumerations import constant_value
from species.symbols.static_types import type_of
from species.symbols.symbols import Symbol
from species.symbols.types import CType, scalar_bytes
from species.symbols.update_idioms import root
from transfers.plan.accesses import MOVING

UNKNOWN_BYTES = 4096.0  # of an array whose size nobody knows
_PARTS = (c_ast.ArrayRef, c_ast.StructRef)
_POINTING = ("pointer", "array", "struct", "union")


@dataclass(frozen=True)
class Access:
    """An array that is read or written: one cell of it, whose place in the text depends on the variables
    `names`, or (None) nobody knows how much.
    """

    array: Symbol
    writes: bool
    bytes: float
    names: frozenset[Symbol] | None = None
    place: str = ""


class Arrays:
    """The arrays of a file; names for the same memory, as far as calls and assignments tell, are one."""

    def __init__(self, names: Names, ast: c_ast.FileAST) -> None:
        self._names, self._symbols = names, names.resolution.symbols
        self._same: dict[Symbol, Symbol] = {}
        self._generator = c_generator.CGenerator()
        for node in (node for item in code(ast) for node in walk(item)):
            match node:
                case c_ast.FuncCall():
                    self._hand_over(node)
                case c_ast.Decl() if node.init is not None:
                    self._unite(self._symbols.get(id(node)), node.init)
                case c_ast.Assignment(op="="):
                    self._unite(self._symbols.get(id(node.lvalue)), node.rvalue)

    def one(self, symbol: Symbol) -> Symbol:
        """The variable that stands for all names of an array."""
        while symbol in self._same:
            symbol = self._same[symbol]
        return symbol

    def _hand_over(self, call: c_ast.FuncCall) -> None:
        name = self._names.effects.summaries.called(call)
        function = self._names.resolution.functions.get(name) if name is not None else None
        listed = function.decl.type.args.params if function and function.decl.type.args else []
        for declared, argument in zip(listed, arguments_of(call), strict=False):
            self._unite(self._symbols.get(id(declared)), argument)

    def _unite(self, symbol: Symbol | None, value: Any) -> None:
        root = self.root(value)
        if symbol is None or root is None or not (_points(symbol) and _points(root)):
            return
        one, other = self.one(symbol), self.one(root)
        if one is not other:
            self._same[one] = other

    def root(self, node: Any) -> Symbol | None:
        """The variable that an lvalue or an address begins with."""
        return self._symbols.get(id(root(node)))

    def of(self, node: Any) -> frozenset[Access]:
        """What a piece of code touches."""
        moving = changed(node, self._names)
        found = set()
        for part, writes in self._references(node, writes=False):
            symbol = self.root(part)
            if symbol is None or not _points(symbol):
                continue
            names = frozenset(self._named(part))
            if isinstance(part, c_ast.ID) or names & moving:
                found.add(Access(self.one(symbol), writes, _whole(symbol.ctype)))
            else:
                size = float(scalar_bytes(type_of(part, self._symbols, self._names.types)) or 8)
                place = self._generator.visit(part)
                found.add(Access(self.one(symbol), writes, size, names, place))
        return frozenset(found)

    def _named(self, node: Any) -> Iterator[Symbol]:
        for part in walk(node):
            symbol = self._symbols.get(id(part)) if isinstance(part, c_ast.ID) else None
            if symbol is not None:
                yield symbol

    def _references(self, node: Any, *, writes: bool) -> Iterator[tuple[Any, bool]]:
        """Cells that code touches, and arrays that calls are handed; with each, whether it is written."""
        match node:
            case c_ast.Assignment():
                yield from self._references(node.lvalue, writes=True)
                if node.op != "=":
                    yield from self._references(node.lvalue, writes=False)
                yield from self._references(node.rvalue, writes=False)
            case c_ast.UnaryOp() if node.op in MOVING:
                yield from self._references(node.expr, writes=True)
                yield from self._references(node.expr, writes=False)
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                yield node, writes
                yield from self._subscripts(node)
            case c_ast.FuncCall():
                yield from self._arguments(node)
            case None:
                return
            case _:
                for child in node:
                    yield from self._references(child, writes=False)

    def _subscripts(self, node: Any) -> Iterator[tuple[Any, bool]]:
        while isinstance(node, _PARTS):
            if isinstance(node, c_ast.ArrayRef):
                yield from self._references(node.subscript, writes=False)
            node = node.name

    def _arguments(self, call: c_ast.FuncCall) -> Iterator[tuple[Any, bool]]:
        written = bool(self._names.effects.of(call).writes)
        for argument in arguments_of(call):
            symbol = self._symbols.get(id(argument)) if isinstance(argument, c_ast.ID) else None
            if symbol is not None and _points(symbol):
                yield argument, False
                if written:
                    yield argument, True
            else:
                yield from self._references(argument, writes=False)


def changed(node: Any, names: Names) -> frozenset[Symbol]:
    """The variables that a piece of code assigns by name, or declares."""
    parts = list(walk(node))
    targets = [part.lvalue for part in parts if isinstance(part, c_ast.Assignment)]
    targets += [part.expr for part in parts if isinstance(part, c_ast.UnaryOp) and part.op in MOVING]
    targets += [part for part in parts if isinstance(part, c_ast.Decl)]
    found = (names.resolution.symbols.get(id(target)) for target in targets)
    return frozenset(symbol for symbol in found if symbol is not None)


def _points(symbol: Symbol) -> bool:
    """Is it an array or a structure, or may it lead to one?"""
    return symbol.ctype.kind in _POINTING


def _whole(ctype: CType) -> float:
    """The bytes of an array."""
    count = 1
    while ctype.kind == "array" and ctype.target is not None:
        length = constant_value(ctype.extent, {})
        if length is None:
            return UNKNOWN_BYTES
        count, ctype = count * length, ctype.target
    size = scalar_bytes(ctype) if ctype.kind in ("int", "float") else None
    return float(count * size) if size is not None else UNKNOWN_BYTES
