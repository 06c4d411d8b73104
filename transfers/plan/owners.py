"""Pointers that alone lead to their memory: what `malloc` gave them, or functions were handed by such
pointers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from species.loops.walk import Names
from species.source.syntax.tree import code
from species.symbols.effects import arguments_of
from species.symbols.static_types import type_of
from species.symbols.symbols import FRESH, Symbol
from species.symbols.used_assignments import taken
from transfers.plan.accesses import base_of, gives_number, is_array

_COMPARING = ("==", "!=", "&&", "||")
_FORGETTING = ("pure", "errno", "output")  # effects of calls that keep no pointer


class Owners:
    """The owners of a file.

    The value of an owner goes nowhere: it is subscripted, compared with null, freed, and handed to parameters
    that are owners too, or to functions of the library that forget it.  Parameters may be handed declared
    arrays as well. Whatever is done to the memory of an owner is done through it, or through another of the
    same value.
    """

    def __init__(self, names: Names, ast: c_ast.FileAST, entries: frozenset[str]) -> None:
        """`entries` are functions that others may call than the file's own code."""
        self._names, self._symbols = names, names.resolution.symbols
        functions = names.resolution.functions.items()
        self._parameters = {name: tuple(_parameters(function, names)) for name, function in functions}
        foreign = {s for name in entries for s in self._parameters.get(name, ())}
        self._found = {s for s in self._symbols.values() if s not in foreign and _may_own(s)}
        self._handed: list[tuple[Symbol, Any]] = []  # parameters, and what they are given
        self._arguments: set[int] = set()
        for item in code(ast):
            self._look(item, ast)
        for function in names.resolution.functions.values():
            for assignment in taken(function.body):
                self._strike(self._symbols.get(id(assignment.lvalue)))
        self._narrow()

    def __contains__(self, symbol: Symbol) -> bool:
        return symbol in self._found

    def _look(self, node: Any, parent: Any) -> None:
        """Strikes out what is used in another way; notes what parameters are handed."""
        if isinstance(node, c_ast.FuncCall):
            self._note_arguments(node, isinstance(parent, c_ast.Compound))
        if isinstance(node, c_ast.Decl) and node.init is not None and not self._is_fresh(node.init):
            self._strike(self._symbols.get(id(node)))
        if self._leaks(node, parent):
            self._strike(base_of(self._names, node.expr if _is_address(node) else node))
        for child in node:
            if isinstance(child, c_ast.ID) and not self._is_harmless(child, node):
                self._strike(self._symbols.get(id(child)))
            self._look(child, node)

    def _strike(self, symbol: Symbol | None) -> None:
        self._found.discard(symbol)

    def _leaks(self, node: Any, parent: Any) -> bool:
        """Is it the address of a part: `&p[1]`, or a row of a matrix that becomes a pointer?"""
        if _is_address(node):
            return True
        if not isinstance(node, c_ast.ArrayRef | c_ast.StructRef) and getattr(node, "op", None) != "*":
            return False
        if type_of(node, self._symbols, self._names.types).kind not in ("array", "unknown"):
            return False
        goes_on = isinstance(parent, c_ast.ArrayRef | c_ast.StructRef) and parent.name is node
        return not goes_on and getattr(parent, "op", None) not in ("*", "sizeof")

    def _is_harmless(self, node: c_ast.ID, parent: Any) -> bool:
        match parent:
            case c_ast.ArrayRef():
                return parent.name is node
            case c_ast.StructRef():
                return parent.name is node and parent.type == "->"
            case c_ast.UnaryOp():
                return parent.op in ("*", "!", "sizeof")
            case c_ast.BinaryOp():
                return parent.op in _COMPARING
            case c_ast.If() | c_ast.While() | c_ast.DoWhile() | c_ast.For() | c_ast.TernaryOp():
                return parent.cond is node
            case c_ast.Assignment():
                return parent.lvalue is node and parent.op == "=" and self._is_fresh(parent.rvalue)
        return id(node) in self._arguments

    def _is_fresh(self, value: Any) -> bool:
        """Is it new memory, or none?"""
        while isinstance(value, c_ast.Cast):
            value = value.expr
        if isinstance(value, c_ast.Constant):
            return bool(value.value == "0")
        return isinstance(value, c_ast.FuncCall) and self._is_librarys(value, FRESH)

    def _is_librarys(self, call: c_ast.FuncCall, names: tuple[str, ...]) -> bool:
        if getattr(call.name, "name", None) not in names or self._called(call) is not None:
            return False
        return self._names.effects.of(call).kind == "allocation"

    def _called(self, call: c_ast.FuncCall) -> str | None:
        return self._names.effects.summaries.called(call)

    def _note_arguments(self, call: c_ast.FuncCall, is_statement: bool) -> None:
        name = self._called(call)
        parameters = self._parameters.get(name, ()) if name is not None else ()
        forgets = name is None and (self._is_librarys(call, ("free",)) or self._forgets(call, is_statement))
        for k, argument in enumerate(arguments_of(call)):
            parameter = parameters[k] if k < len(parameters) else None
            if parameter is not None:
                self._handed.append((parameter, argument))
            if parameter is not None or forgets:
                self._arguments.add(id(argument))

    def _forgets(self, call: c_ast.FuncCall, is_statement: bool) -> bool:
        effect = self._names.effects.of(call)
        kept = not is_statement and not gives_number(self._names, call)
        handed_on = any(map(self._leads_to_pointer, arguments_of(call)))  # strtol: what is left of the text
        return effect.kind in _FORGETTING and effect.calls is None and not kept and not handed_on

    def _leads_to_pointer(self, argument: Any) -> bool:
        if _is_address(argument):
            return self._kind(argument.expr) in ("pointer", "unknown")
        ctype = type_of(argument, self._symbols, self._names.types)
        return ctype.target is not None and ctype.target.element.kind == "pointer"

    def _kind(self, node: Any) -> str:
        return type_of(node, self._symbols, self._names.types).kind

    def _narrow(self) -> None:
        """Strikes out parameters that are handed something else, and what is handed to those, until all is
        right.
        """
        before = -1
        while before != len(self._found):
            before = len(self._found)
            for parameter, argument in self._handed:
                symbol = self._symbols.get(id(argument)) if isinstance(argument, c_ast.ID) else None
                if symbol is None or not (symbol in self._found or is_array(symbol)):
                    self._strike(parameter)
                if parameter not in self._found:
                    self._strike(symbol)


def _may_own(symbol: Symbol) -> bool:
    if symbol.address_taken or symbol.ctype.volatile or symbol.peculiar:
        return False
    if symbol.storage == "parameter":
        return symbol.ctype.kind in ("pointer", "array") and symbol.writes == 0
    return symbol.storage in ("local", "static") and symbol.ctype.kind == "pointer"


def _is_address(node: Any) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "&"


def _parameters(function: c_ast.FuncDef, names: Names) -> Iterator[Symbol | None]:
    listed = function.decl.type.args.params if function.decl.type.args else []
    for declared in function.param_decls or listed:
        yield names.resolution.symbols.get(id(declared))
