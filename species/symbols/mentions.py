"""Which variables with static storage code may use: those that it names, and functions that it may call."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import repeated, walk
from species.symbols.effects import Effects
from species.symbols.symbols import Resolution, Symbol


class Mentions:
    """The names of variables and functions in the text of one file.

    A function may be called by code that calls it, by code that names it in another way (it may be handed to
    `qsort`), and by all that calls what is not known, if its address is taken at all.
    """

    def __init__(self, resolution: Resolution, effects: Effects) -> None:
        self._resolution, self._effects = resolution, effects
        self._reached: dict[str, frozenset[str]] = {}
        self._named: dict[str, frozenset[Symbol]] = {}

    def of(self, node: Any) -> frozenset[Symbol]:
        """The variables with static storage that a node, or a function that it may call, names."""
        found = self._variables(walk(node))
        return found.union(*(self._in_function(each) for each in self.functions(node)))

    def functions(self, node: Any) -> frozenset[str]:
        """The functions of the file that the code of a node may call, directly or not."""
        return frozenset[str]().union(*map(self._reach, self._called(node)))

    def all(self, symbol: Symbol) -> list[tuple[str, Any]]:
        """Every place that names a variable with static storage, with the function that it stands in."""
        return self._places.get(symbol, [])

    def is_only_in(self, loop: Any, function: str, node: Any) -> bool:
        """Is a place in a function executed by iterations of a loop alone, and in no other way?"""
        inside = {id(each) for each in repeated(loop)}
        return id(node) in inside or self._is_called_only_in(function, inside, frozenset())

    def _is_called_only_in(self, function: str, inside: set[int], seen: frozenset[str]) -> bool:
        """Are all calls of a function in code of `inside`, or in functions of which the same holds?"""
        if function in seen:
            return True  # it is called by itself, and by others that are looked at
        if function not in self._resolution.called or not self._resolution.is_static(function):
            return False
        seen |= {function}
        return all(
            id(call) in inside or (caller != "" and self._is_called_only_in(caller, inside, seen))
            for caller, call in self._callers.get(function, [])
        )

    @cached_property
    def _callers(self) -> dict[str, list[tuple[str, Any]]]:
        found: dict[str, list[tuple[str, Any]]] = {}
        for name, function in self._resolution.functions.items():
            for node in walk(function.body):
                if isinstance(node, c_ast.ID) and node.name in self._resolution.functions:
                    found.setdefault(node.name, []).append((name, node))
        return found

    @cached_property
    def _places(self) -> dict[Symbol, list[tuple[str, Any]]]:
        found: dict[Symbol, list[tuple[str, Any]]] = {}
        for name, function in self._resolution.functions.items():
            for node in walk(function.body):
                symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
                if symbol is not None and symbol.outlives_function:
                    found.setdefault(symbol, []).append((name, node))
        return found

    def _variables(self, nodes: Iterable[Any]) -> frozenset[Symbol]:
        symbols = (self._resolution.symbols.get(id(n)) for n in nodes if isinstance(n, c_ast.ID | c_ast.Decl))
        return frozenset(s for s in symbols if s is not None and s.outlives_function)

    def _in_function(self, name: str) -> frozenset[Symbol]:
        if name not in self._named:
            self._named[name] = self._variables(walk(self._resolution.functions[name].body))
        return self._named[name]

    def _called(self, node: Any) -> frozenset[str]:
        """The functions of the file that a node names, or may call without naming them."""
        functions, found = self._resolution.functions, set[str]()
        for each in walk(node):
            if isinstance(each, c_ast.ID) and each.name in functions:
                found.add(each.name)
            elif isinstance(each, c_ast.FuncCall) and self._is_open(each):
                found |= self._taken
        return frozenset(found)

    def _is_open(self, call: c_ast.FuncCall) -> bool:
        """May a call lead to functions that it does not name?"""
        if self._effects.summaries.called(call) is not None:
            return False
        symbol = self._resolution.symbols.get(id(call.name)) if isinstance(call.name, c_ast.ID) else None
        by_name = isinstance(call.name, c_ast.ID) and (symbol is None or symbol.ctype.kind == "function")
        return not by_name or self._effects.of(call).kind == "unknown"

    @cached_property
    def _taken(self) -> frozenset[str]:
        """The functions whose addresses are taken, or that other files know."""
        functions, called = self._resolution.functions, self._resolution.called
        return frozenset(n for n in functions if n not in called or not self._resolution.is_static(n))

    def _reach(self, name: str) -> frozenset[str]:
        if name not in self._reached:
            found, pending = {name}, [name]
            while pending:
                new = self._called(self._resolution.functions[pending.pop()].body) - found
                found |= new
                pending += new
            self._reached[name] = frozenset(found)
        return self._reached[name]
