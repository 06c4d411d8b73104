"""Summaries of the functions that a file defines: which memory they read, whether they change anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.effect_table import Effect
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import TypeTable

# What a function does, from harmless to anything: works on values; reads what its parameters point to;
# reads memory; writes memory, or nobody knows.
PURE, ARGUMENTS, READING, ANYTHING = range(4)

_CHANGES = ("++", "--", "p++", "p--")


class Summaries:
    """Summaries of one file's functions.

    `external` gives the effect of a call of any other function; so are those in `replaceable` taken.  Calls
    of which `fails` holds do not count: see `species.symbols.failures`.  `by_pointer` gives the functions of
    the file that a call by a pointer may lead to; None where others may be.
    """

    def __init__(
        self,
        resolution: Resolution,
        types: TypeTable,
        external: Callable[[c_ast.FuncCall], Effect],
        fails: Callable[[c_ast.FuncCall], bool],
        by_pointer: Callable[[c_ast.FuncCall], list[str] | None],
        replaceable: frozenset[str] = frozenset(),
    ) -> None:
        self._resolution, self._types, self._external = resolution, types, external
        self._fails, self._by_pointer = fails, by_pointer
        self._functions = {n: f for n, f in resolution.functions.items() if n not in replaceable}
        self._calls: dict[str, list[c_ast.FuncCall]] = {}
        self._levels: dict[str, int] = {}
        self._reach: dict[str, frozenset[str]] = {}
        self._handed_back: dict[str, int | None] = {}

    def calls(self, name: str) -> list[c_ast.FuncCall]:
        """All calls in the function's body; none where another one may stand in its place."""
        if name not in self._calls:
            known = name in self._functions
            nodes = walk(self._functions[name].body) if known else ()
            self._calls[name] = [n for n in nodes if isinstance(n, c_ast.FuncCall) and not self._fails(n)]
        return self._calls[name]

    def knows(self, name: str) -> bool:
        """Does the name mean a function of the file, and nothing else?"""
        return name in self._functions

    def called(self, node: c_ast.FuncCall) -> str | None:
        """The function of the file that a call names; None for pointers and for functions of others."""
        if not isinstance(node.name, c_ast.ID) or node.name.name not in self._functions:
            return None
        return None if is_pointer(self._resolution.symbols.get(id(node.name))) else str(node.name.name)

    def reach(self, name: str) -> frozenset[str]:
        """The functions of the file that a call of `name` may execute, itself included."""
        if name not in self._reach:
            found, open_ = {name}, [name]
            while open_:
                inner = {c for c in map(self.called, self.calls(open_.pop())) if c is not None}
                open_ += inner - found
                found |= inner
            self._reach[name] = frozenset(found)
        return self._reach[name]

    def is_recursive(self, name: str) -> bool:
        return any(self.called(c) == name for inner in self.reach(name) for c in self.calls(inner))

    def may_call_itself(self, name: str) -> bool:
        """Is it recursive, by pointers to functions and by functions that it hands to others, too?"""
        found, open_ = set[str](), [name]
        while open_:
            for call in self.calls(open_.pop()):
                inner = self._may_execute(call)
                if inner is None or name in inner:
                    return True
                open_ += inner - found
                found |= inner
        return False

    def _may_execute(self, call: c_ast.FuncCall) -> set[str] | None:
        """The functions of the file that a call may execute; None where it may be any."""
        handed = [part for part in walk(call.args) if isinstance(part, c_ast.ID)] if call.args else []
        if any(self._leads_to_function(part) for part in handed):
            return None
        found = {part.name for part in handed if part.name in self._functions}
        own = self.called(call)
        if own is not None:
            return found | {own}
        named = isinstance(call.name, c_ast.ID)
        if named and not is_pointer(self._resolution.symbols.get(id(call.name))):
            return found
        led = self._by_pointer(call)
        return found | {*led} if led is not None else None

    def _leads_to_function(self, node: c_ast.ID) -> bool:
        """Is it a variable with a pointer to a function?"""
        symbol = self._resolution.symbols.get(id(node))
        target = symbol.ctype.target if symbol is not None and symbol.ctype.kind == "pointer" else None
        return target is not None and target.kind == "function"

    def level(self, name: str) -> int:
        """The worst that any function does which a call of `name` may execute."""
        return max(map(self._own_level, self.reach(name)))

    def culprit(
        self, name: str, but: tuple[str, ...] = ("pure", "reading")
    ) -> tuple[tuple[str, ...], Effect] | None:
        """A call with another effect, that makes `name` more than a function of memory: the names down to it,
        and its effect.
        """
        seen: set[str] = set()
        open_: list[tuple[str, ...]] = [(name,)]
        while open_:
            chain = open_.pop(0)
            for call in self.calls(chain[-1]):
                own = self.called(call)
                inner = [own] if own is not None else self._by_pointer(call)
                effect = self._external(call) if inner is None else None
                if effect is not None and effect.kind not in but:
                    return (*chain, getattr(call.name, "name", "a pointer")), effect
                new = [each for each in inner or () if each not in seen]
                seen.update(new)
                open_ += [(*chain, each) for each in new]
        return None

    def handed_back(self, name: str) -> int | None:
        """The parameter, counted from 0, that the function returns as it was given; None where it does not.

        `void *need(void *p) { if (!p) abort(); return p; }`
        """
        if name not in self._handed_back:
            self._handed_back[name] = self._always_returned(name) if self.knows(name) else None
        return self._handed_back[name]

    # One function

    def _always_returned(self, name: str) -> int | None:
        function = self._functions[name]
        returned = [node.expr for node in walk(function.body) if isinstance(node, c_ast.Return)]
        found = {self._resolution.symbols.get(id(bare(value))) for value in returned}
        symbol = found.pop() if len(found) == 1 else None
        if symbol is None or symbol.storage != "parameter" or symbol.writes or symbol.address_taken:
            return None
        if not symbol.is_scalar:
            return None  # a structure, of which members may have been set
        declared = function.decl.type.args.params if function.decl.type.args else []
        symbols = [self._resolution.symbols.get(id(each)) for each in declared]
        return symbols.index(symbol) if symbol in symbols else None

    def _own_level(self, name: str) -> int:
        if name not in self._levels:
            function = self._functions[name]
            nodes = (n for part in (function.body, *_lengths(function)) for n in walk(part))
            self._levels[name] = max(map(self._level_of, nodes), default=PURE)
        return self._levels[name]

    def _level_of(self, node: Any) -> int:
        match node:
            case c_ast.ID():
                return self._of_name(self._resolution.symbols.get(id(node)))
            case c_ast.FuncCall():
                return self._of_call(node)
            case c_ast.Assignment():
                return PURE if self._is_own(node.lvalue) else ANYTHING
            case c_ast.UnaryOp() if node.op in _CHANGES:
                return PURE if self._is_own(node.expr) else ANYTHING
            case c_ast.UnaryOp(op="&"):
                return ANYTHING
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._of_access(node)
            case c_ast.Cast():
                return READING if self._makes_pointer(node) else PURE
            case c_ast.TypeDecl() | c_ast.PtrDecl():
                return ANYTHING if {"volatile", "_Atomic"} & set(node.quals or ()) else PURE
        return PURE

    def _of_name(self, symbol: Symbol | None) -> int:
        if symbol is None or symbol.ctype.kind == "function" or symbol.storage == "function":
            return PURE
        if symbol.ctype.volatile or symbol.ctype.element.volatile or symbol.ctype.kind == "unknown":
            return ANYTHING
        value = symbol.ctype.element
        is_fixed = value.const and value.kind != "pointer"  # what constant pointers lead to may change
        return READING if symbol.outlives_function and not is_fixed else PURE

    def _of_call(self, node: c_ast.FuncCall) -> int:
        if self.called(node) is not None:
            return PURE  # a function of its own
        effect = self._external(node)
        if effect.kind == "reading" and not effect.writes:
            return READING
        if effect.kind != "pure" or effect.writes or effect.calls is not None:
            return ANYTHING
        return ARGUMENTS if effect.reads else PURE

    def _of_access(self, node: Any) -> int:
        """Reading `a[i]`, `p->x` or `*p`: through a pointer, or a part of a variable of its own?"""
        if not self._follows_pointer(node):
            return READING if self._is_member_pointer(node) else PURE
        base = node.expr if isinstance(node, c_ast.UnaryOp) else node.name
        value = type_of(node, self._resolution.symbols, self._types)
        if isinstance(base, c_ast.Cast) and not isinstance(node, c_ast.StructRef):
            value = self._types.resolve(base.to_type).target or value
        if value.kind in ("pointer", "unknown") or value.volatile:
            return READING if not value.volatile else ANYTHING
        return READING if any(map(self._follows_pointer, walk(base))) else ARGUMENTS

    def _is_member_pointer(self, node: Any) -> bool:
        """Is it a pointer in a structure, which may have been copied as a whole, or in a union?"""
        if type_of(node, self._resolution.symbols, self._types).kind not in ("pointer", "unknown"):
            return False
        return any(isinstance(part, c_ast.StructRef) for part in walk(node))

    def _makes_pointer(self, node: c_ast.Cast) -> bool:
        """Is it a pointer made of a number, which may lead anywhere?"""
        is_null = isinstance(node.expr, c_ast.Constant) and node.expr.value == "0"
        if is_null or self._types.resolve(node.to_type).kind != "pointer":
            return False
        return type_of(node.expr, self._resolution.symbols, self._types).kind not in ("pointer", "array")

    def _follows_pointer(self, node: Any) -> bool:
        if isinstance(node, c_ast.UnaryOp):
            return bool(node.op == "*")
        if isinstance(node, c_ast.StructRef):
            return bool(node.type == "->")
        if not isinstance(node, c_ast.ArrayRef):
            return False
        symbol = self._resolution.symbols.get(id(node.name))
        parameter = symbol is not None and symbol.storage == "parameter"
        return parameter or type_of(node.name, self._resolution.symbols, self._types).kind != "array"

    def _is_own(self, target: Any) -> bool:
        """Is it a variable of the function's own call, or a part of one?"""
        while isinstance(target, c_ast.ArrayRef | c_ast.StructRef):
            if self._follows_pointer(target):
                return False
            target = target.name
        symbol = self._resolution.symbols.get(id(target))
        return isinstance(target, c_ast.ID) and symbol is not None and not symbol.outlives_function


def _lengths(function: c_ast.FuncDef) -> Iterator[Any]:
    """The lengths of arrays in the declarations of parameters."""
    for declared in (function.decl.type, *(function.param_decls or ())):
        yield from (n.dim for n in walk(declared) if isinstance(n, c_ast.ArrayDecl) and n.dim is not None)


def names_pointer(call: c_ast.FuncCall, symbols: Mapping[int, Symbol]) -> bool:
    """Is what is called an expression for a pointer, which is evaluated, and no function's name?"""
    return not isinstance(call.name, c_ast.ID) or is_pointer(symbols.get(id(call.name)))


def bare(node: Any) -> Any:
    """An expression without the casts around it."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def is_pointer(symbol: Symbol | None) -> bool:
    """Does the name of what is called mean a variable?"""
    return symbol is not None and (symbol.storage == "parameter" or symbol.ctype.kind != "function")
