"""Functions of a file that return new memory, as `xmalloc` does: a call is as good as one of malloc."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.effects import Effects, arguments_of
from species.symbols.static_types import type_of
from species.symbols.summaries import bare, names_pointer
from species.symbols.symbols import FRESH, Resolution, Symbol
from species.symbols.types import TypeTable

_FILLING = ("memset", "memcpy", "memmove", "bzero", "free")  # as statements, they keep no pointer


def note_allocators(resolution: Resolution, types: TypeTable, effects: Effects) -> None:
    """Lets variables know that such a call gives them their memory (`Symbol.is_single_allocation`)."""
    allocators = _Allocators(resolution, types, effects)
    for function in resolution.functions.values():
        for node in walk(function.body):
            if isinstance(node, c_ast.FuncCall) and allocators.named(node):
                resolution.allocating.add(id(node))
            target, value = _defined(node)
            symbol = resolution.symbols.get(id(target)) if target is not None else None
            if symbol is not None and isinstance(value, c_ast.FuncCall) and allocators.named(value):
                symbol.allocations += 1
                symbol.allocation = value


class _Allocators:
    """Which functions of a file return new memory, or a null pointer, whenever they return."""

    def __init__(self, resolution: Resolution, types: TypeTable, effects: Effects) -> None:
        self._resolution, self._types, self._effects = resolution, types, effects
        self._known: dict[str, bool] = {}

    def named(self, call: c_ast.FuncCall) -> bool:
        """Does the call name one of them?"""
        name = self._effects.summaries.called(call)
        if name is None:
            return False
        given = self._effects.summaries.handed_back(name)
        if given is not None:
            return self._is_checked(call, name, given)
        if name not in self._known:
            self._known[name] = False  # the answer for recursion
            returned = [bare(n.expr) for n in walk(self._resolution.functions[name].body) if _is_return(n)]
            self._known[name] = bool(returned) and all(self._is_new(value, name) for value in returned)
        return self._known[name]

    def _is_checked(self, call: c_ast.FuncCall, name: str, position: int) -> bool:
        """`need(malloc(n))`: does a function that keeps no pointer hand new memory back?"""
        function, given = self._resolution.functions[name], arguments_of(call)
        value = bare(given[position]) if position < len(given) else None
        symbol = self._resolution.symbols.get(id(function.decl.type.args.params[position]))
        new = isinstance(value, c_ast.FuncCall) and self._allocates(value)
        return new and symbol is not None and not any(self._leaks(function.body, symbol))

    def _is_new(self, value: Any, function: str) -> bool:
        if isinstance(value, c_ast.Constant):
            return bool(value.value == "0")
        if isinstance(value, c_ast.FuncCall):
            return self._allocates(value)
        symbol = self._resolution.symbols.get(id(value)) if isinstance(value, c_ast.ID) else None
        return symbol is not None and symbol.storage == "local" and self._is_kept(symbol, function)

    def _allocates(self, call: c_ast.FuncCall) -> bool:
        named = getattr(call.name, "name", None) in FRESH and self._effects.of(call).kind == "allocation"
        return named or self.named(call)

    def _is_kept(self, symbol: Symbol, function: str) -> bool:
        """Is the variable set once, to new memory, and its value given to nobody but the caller?"""
        body = self._resolution.functions[function].body
        values = [
            value for node in walk(body) for target, value in (_defined(node),) if self._is(target, symbol)
        ]
        if symbol.definitions != 1 or symbol.address_taken or symbol.storage != "local":
            return False
        set_ = [v for v in values if v is not None and not (isinstance(v, c_ast.Constant) and v.value == "0")]
        if len(set_) != 1 or not isinstance(set_[0], c_ast.FuncCall) or not self._allocates(set_[0]):
            return False
        return not any(self._leaks(body, symbol))

    def _is(self, node: Any, symbol: Symbol) -> bool:
        return node is not None and self._resolution.symbols.get(id(node)) is symbol

    def _leaks(self, node: Any, symbol: Symbol) -> Iterator[bool]:
        """For every use of the variable that is none of those below: its value may be kept somewhere."""
        if isinstance(node, c_ast.ID):
            yield self._is(node, symbol)
            return
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            yield any(self._is(part, symbol) for part in walk(node))  # an address in the memory
            return
        for child in self._looked_at(node):
            yield from self._leaks(child, symbol)

    def _looked_at(self, node: Any) -> list[Any]:
        """The parts of a node in which the variable's value may go somewhere."""
        match node:
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._of_access(node)
            case c_ast.UnaryOp(op="!" | "sizeof") if isinstance(node.expr, c_ast.ID):
                return []
            case c_ast.BinaryOp(op="==" | "!=" | "&&" | "||"):
                return [part for part in (node.left, node.right) if not isinstance(part, c_ast.ID)]
            case c_ast.If() | c_ast.While() if isinstance(node.cond, c_ast.ID):
                return [child for child in node if child is not node.cond]
            case c_ast.Return() if isinstance(bare(node.expr), c_ast.ID):
                return []
            case c_ast.Assignment(op="=") if isinstance(node.lvalue, c_ast.ID):
                return [node.rvalue]
            case c_ast.Compound():
                return [part for item in node.block_items or () for part in self._given_away(item)]
        return list(node)

    def _of_access(self, node: Any) -> list[Any]:
        """Of `p[i]`, `p->x.y` and `*p`: the subscripts; all, where that is an array, and so an address."""
        parts, ctype = list[Any](), type_of(node, self._resolution.symbols, self._types)
        if ctype.kind not in ("int", "float", "complex", "pointer"):
            return list(node)
        while isinstance(node, c_ast.ArrayRef | c_ast.StructRef) or getattr(node, "op", "") == "*":
            parts += [node.subscript] if isinstance(node, c_ast.ArrayRef) else []
            node = node.expr if isinstance(node, c_ast.UnaryOp) else node.name
        return parts if isinstance(node, c_ast.ID) else [node, *parts]

    def _given_away(self, statement: Any) -> list[Any]:
        """A statement, or of one that fills memory, or frees it, what is not the pointer to it."""
        if not isinstance(statement, c_ast.FuncCall) or names_pointer(statement, self._resolution.symbols):
            return [statement]
        filling = statement.name.name in _FILLING and self._effects.of(statement).kind != "unknown"
        if not filling or self._effects.summaries.called(statement) is not None:
            return [statement]
        return [part for part in arguments_of(statement) if not isinstance(bare(part), c_ast.ID)]


def _defined(node: Any) -> tuple[Any, Any]:
    """The variable that a node sets, and to what; (None, None) where it sets none."""
    if isinstance(node, c_ast.Decl) and node.init is not None:
        return node, bare(node.init)
    if isinstance(node, c_ast.Assignment) and node.op == "=" and isinstance(node.lvalue, c_ast.ID):
        return node.lvalue, bare(node.rvalue)
    return None, None


def _is_return(node: Any) -> bool:
    return isinstance(node, c_ast.Return) and node.expr is not None
