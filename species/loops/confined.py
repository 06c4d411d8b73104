"""Arrays whose address stays within calls: passed on to functions that keep no pointer to them.

A local array that is only handed down is still reached by its own name alone once the calls are over
(escape analysis; Choi et al. 1999, for arguments).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.effects import Effects, arguments_of
from species.loops.symbols import Resolution, Symbol, type_of
from species.loops.types import TypeTable
from species.loops.updates import walk

_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")


def note_confined(resolution: Resolution, types: TypeTable, effects: Effects) -> None:
    """Takes the mark `exposed` from local arrays and allocations that no pointer outside of calls can reach.

    Statics keep it: a callee can name them, beside the pointer that it is given.
    """
    confinement = _Confinement(resolution, types, effects)
    for name in resolution.functions:
        for symbol in confinement.exposed(name):
            if not confinement.escapes(name, symbol, ()):
                symbol.exposed = False


class _Confinement:
    """Looks where the values of pointers and the names of arrays go."""

    def __init__(self, resolution: Resolution, types: TypeTable, effects: Effects) -> None:
        self._resolution, self._types, self._effects = resolution, types, effects
        self._known: dict[str, tuple[dict[int, Any], dict[Symbol, list[Any]]]] = {}

    def exposed(self, name: str) -> list[Symbol]:
        """The exposed local arrays, and pointers to one allocation, of a function."""
        return [
            s
            for s in self._mentions(name)[1]
            if s.storage == "local"
            and s.exposed
            and (s.ctype.kind == "array" or s.is_single_allocation)
            and not s.address_taken
        ]

    def escapes(self, name: str, symbol: Symbol, around: tuple[Symbol, ...]) -> bool:
        """May a pointer into the array be known to anybody when the statement that names it is over?"""
        if symbol.address_taken or symbol in around:
            return True
        parents, mentions = self._mentions(name)
        return any(self._gets_out(m, parents, (*around, symbol)) for m in mentions.get(symbol, []))

    def _mentions(self, name: str) -> tuple[dict[int, Any], dict[Symbol, list[Any]]]:
        """Of a function: the parents of its nodes, and where it names variables."""
        if name not in self._known:
            parents: dict[int, Any] = {}
            mentions: dict[Symbol, list[Any]] = {}
            for node in walk(self._resolution.functions[name].body):
                parents.update((id(child), node) for _, child in node.children())
                symbol = self._resolution.symbols.get(id(node))
                if symbol is not None and isinstance(node, c_ast.ID):
                    mentions.setdefault(symbol, []).append(node)
            self._known[name] = parents, mentions
        return self._known[name]

    def _gets_out(self, node: Any, parents: dict[int, Any], around: tuple[Symbol, ...]) -> bool:
        """Follows the value of a pointer expression to its use."""
        parent = parents.get(id(node))
        match parent:
            case c_ast.ArrayRef() if parent.name is node:
                return self._is_pointer(parent) and self._gets_out(parent, parents, around)
            case c_ast.StructRef():
                return self._is_pointer(parent) and self._gets_out(parent, parents, around)
            case c_ast.UnaryOp(op="*"):
                return self._is_pointer(parent) and self._gets_out(parent, parents, around)
            case c_ast.UnaryOp(op="sizeof" | "!"):
                return False
            case c_ast.UnaryOp(op="&") | c_ast.Cast() | c_ast.BinaryOp(op="+" | "-"):
                return self._gets_out(parent, parents, around)
            case c_ast.BinaryOp():
                return parent.op not in _COMPARISONS
            case c_ast.Assignment():  # of the allocation itself
                return parent.lvalue is not node or parent.op != "="
            case c_ast.ExprList() if isinstance(parents.get(id(parent)), c_ast.FuncCall):
                return self._is_kept(parents[id(parent)], node, around)
        return True

    def _is_pointer(self, node: Any) -> bool:
        """Is the expression part of the array, still used as an address?"""
        return type_of(node, self._resolution.symbols, self._types).kind in ("array", "unknown")

    def _is_kept(self, call: c_ast.FuncCall, argument: Any, around: tuple[Symbol, ...]) -> bool:
        """May the callee keep the pointer that it gets, or give it back?"""
        position = next(k for k, a in enumerate(arguments_of(call)) if a is argument)
        if self._effects.summaries.called(call) is not None:
            parameters = list(self._parameters(call.name.name))
            if position >= len(parameters):
                return True
            return self.escapes(call.name.name, parameters[position], around)
        effect = self._effects.of(call)
        if call.name.name == "free":
            return False
        listed = {t.argument for t in (*effect.reads, *effect.writes) if not t.rest}
        plain = effect.kind in ("pure", "errno") and effect.calls is None and effect.returns is None
        return not plain or position + 1 not in listed

    def _parameters(self, name: str) -> Iterator[Symbol]:
        arguments = self._resolution.functions[name].decl.type.args
        for parameter in arguments.params if arguments else []:
            symbol = self._resolution.symbols.get(id(parameter))
            if symbol is None:
                return
            yield symbol
