"""Arrays whose address stays within calls: passed on to functions that keep no pointer to them.

A local array that is only handed down is still reached by its own name alone once the calls are over
(escape analysis; Choi et al. 1999, for arguments).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.effects import Effects, arguments_of, touched_arguments
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import UNKNOWN, TypeTable

_STATEMENTS = (c_ast.Compound, c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile)
# They read and write more than memory, or any number of arguments, but keep no pointer that they are given.
_FORGETFUL = (
    *("printf", "fprintf", "sprintf", "snprintf", "puts", "fputs", "fwrite", "write", "perror"),
    *("scanf", "fscanf", "sscanf", "fgets", "fread", "read"),
    *("__isoc99_scanf", "__isoc99_fscanf", "__isoc99_sscanf"),
)
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")


def note_confined(resolution: Resolution, types: TypeTable, effects: Effects) -> None:
    """Takes the mark `exposed` from local arrays and allocations that no pointer outside of calls can reach.

    Numbers of which only calls get the address are `lent`.  Statics keep the mark: a callee can name them,
    beside the pointer that it is given.
    """
    confinement = Confinement(resolution, types, effects)
    for name in resolution.functions:
        for symbol in confinement.exposed(name):
            if not confinement.escapes(name, symbol, ()):
                symbol.exposed = False
        for symbol in confinement.lent(name):
            symbol.lent = True


class Confinement:
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

    def lent(self, name: str) -> list[Symbol]:
        """The numbers among a function's variables whose addresses only go to calls, and stay in them."""
        parents, mentions = self._mentions(name)
        own = ((s, found) for s, found in mentions.items() if s.storage in ("local", "parameter"))
        return [
            s
            for s, found in own
            if s.address_taken
            and s.ctype.is_number
            and not any(
                self._gets_out(parents[id(m)], parents, (s,))
                for m in found
                if isinstance(parents.get(id(m)), c_ast.UnaryOp) and parents[id(m)].op == "&"
            )
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
                parents.update((id(child), node) for child in node)
                symbol = self._resolution.symbols.get(id(node))
                if symbol is not None and isinstance(node, c_ast.ID):
                    mentions.setdefault(symbol, []).append(node)
            self._known[name] = parents, mentions
        return self._known[name]

    def _gets_out(self, node: Any, parents: dict[int, Any], around: tuple[Symbol, ...]) -> bool:
        """Follows the value of a pointer expression to its use."""
        parent = parents.get(id(node))
        match parent:
            case c_ast.ArrayRef() if parent.name is not node:
                return True
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                address = self._is_address(parent, parents.get(id(parent)))
                return address and self._gets_out(parent, parents, around)
            case c_ast.UnaryOp(op="sizeof" | "!") | c_ast.If() | c_ast.For() | c_ast.While():
                return False
            case c_ast.DoWhile() | c_ast.Switch() | c_ast.Case() | c_ast.Default() | None:
                return False
            case c_ast.Label() | c_ast.Compound():
                return _is_value(node, parent) and self._gets_out(parent, parents, around)
            case c_ast.UnaryOp(op="&") | c_ast.Cast() | c_ast.BinaryOp(op="+" | "-"):
                return self._gets_out(parent, parents, around)
            case c_ast.BinaryOp():
                return parent.op not in _COMPARISONS
            case c_ast.Assignment(op="=") if parent.lvalue is node:  # of the allocation itself
                return self._gets_out(parent, parents, around)
            case c_ast.ExprList() if isinstance(parents.get(id(parent)), c_ast.FuncCall):
                call = parents[id(parent)]
                return self._is_kept(call, node, around) or self._is_returned(call, parents)
        return True

    def keeps(self, call: c_ast.FuncCall, argument: Any, inside: str) -> bool:
        """May anybody have the pointer that a call, in the function `inside`, is given when it is over?"""
        return self._is_kept(call, argument, ()) or self._is_returned(call, self._mentions(inside)[0])

    def _is_address(self, node: Any, parent: Any) -> bool:
        """Is the lvalue, a part of the array, still used as an address?"""
        ctype = type_of(node, self._resolution.symbols, self._types)
        addressed = isinstance(parent, c_ast.UnaryOp) and parent.op == "&"
        return addressed or not (ctype.is_number or ctype.kind == "pointer")

    def _is_kept(self, call: c_ast.FuncCall, argument: Any, around: tuple[Symbol, ...]) -> bool:
        """May the callee keep the pointer that it gets?"""
        listed = arguments_of(call)
        position = next(k for k, a in enumerate(listed) if a is argument)
        if self._effects.summaries.called(call) is not None:
            parameters = list(self.parameters(call.name.name))
            if position >= len(parameters):
                return True
            return self.escapes(call.name.name, parameters[position], around)
        effect = self._effects.of(call)
        if getattr(call.name, "name", None) == "free":
            return effect.kind != "allocation"
        forgets = getattr(call.name, "name", None) in _FORGETFUL and effect.kind != "unknown"
        touched = (t for t in (*effect.reads, *effect.writes) if forgets or not t.rest)
        known = {k for t in touched for k in touched_arguments(t, len(listed))}
        if not (forgets or effect.kind == "pure") or effect.calls is not None or position not in known:
            return True
        written = {k for t in effect.writes for k in touched_arguments(t, len(listed))} - {position}
        return any(self._may_hold_pointers(listed[k]) for k in written)

    def _is_returned(self, call: c_ast.FuncCall, parents: dict[int, Any]) -> bool:
        """May the result of the call be a pointer into an argument, and does somebody use it?"""
        own = self._effects.summaries.called(call) is not None  # what it returns is known
        if own or _is_dropped(call, parents):
            return False
        signature = self._effects.of(call).signature
        return signature is None or signature[0] in ("pointer", "any")

    def _may_hold_pointers(self, argument: Any) -> bool:
        """May what an argument points to contain pointers, for all that its type says?"""
        while isinstance(argument, c_ast.Cast):
            argument = argument.expr
        if isinstance(argument, c_ast.UnaryOp) and argument.op == "&":
            target = type_of(argument.expr, self._resolution.symbols, self._types)
        else:
            target = type_of(argument, self._resolution.symbols, self._types).target or UNKNOWN
        return not target.element.is_number

    def parameters(self, name: str) -> Iterator[Symbol]:
        """The parameters of a function of the file, as far as they are plainly declared."""
        arguments = self._resolution.functions[name].decl.type.args
        for parameter in arguments.params if arguments else []:
            symbol = self._resolution.symbols.get(id(parameter))
            if symbol is None:
                return
            yield symbol


def _is_value(node: Any, parent: Any) -> bool:
    """Does the statement give its value to the block that it stands in, if that is a statement expression?"""
    return isinstance(parent, c_ast.Label) or parent.block_items[-1] is node


def _is_dropped(node: Any, parents: dict[int, Any]) -> bool:
    """Is the expression a statement whose value nobody uses?"""
    parent = parents.get(id(node))
    while isinstance(parent, c_ast.Compound | c_ast.Label) and _is_value(node, parent):
        node, parent = parent, parents.get(id(parent))
    return parent is None or isinstance(parent, _STATEMENTS)
