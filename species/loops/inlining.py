"""Copies of function bodies, one for every call that is analysed with the callee in its place.

A copy has nodes and variables of its own, so that whatever is known per node or per variable is known per
call.  Variables that all calls share (globals, statics) stay what they are.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from species.loops.model import Inlining
from species.source.syntax.tree import walk
from species.symbols.effects import Effects
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import CType, TypeTable

MAX_BODY = 1_000  # nodes of one callee
MAX_TOTAL = 4_000  # nodes of all copies for one nest
MAX_DEPTH = 8
MAX_TARGETS = 8  # functions that a pointer may lead to
_REFUSED = ("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "__builtin_setjmp", "alloca", "__builtin_alloca")
_SHARED = (c_ast.Struct, c_ast.Union, c_ast.Enum)  # types are one and the same in all copies
_SCALAR = ("int", "float", "complex", "pointer")
_CHANGES = ("++", "--", "p++", "p--")


class Inliner:
    """Makes the copies for one function; `inlined` has them by the id of the call.

    `led` has, by the ids of calls by pointers, calls of each of the functions that these may lead to.
    """

    def __init__(self, resolution: Resolution, types: TypeTable, effects: Effects) -> None:
        self._resolution, self._types, self._effects = resolution, types, effects
        self.inlined: dict[int, Inlining] = {}
        self.led: dict[int, tuple[c_ast.FuncCall, ...]] = {}
        self._sizes: dict[str, int] = {}
        self._totals: dict[int, int] = {}  # by nest
        self._costs: dict[str, int] = {}

    def inlining(self, call: c_ast.FuncCall, caller: Inlining | None, nest: int) -> Inlining | None:
        """The callee's body for this call; None where it cannot be analysed in place of the call.

        `nest` is the number of the outermost loop around the call.
        """
        if id(call) not in self.inlined:
            name = self._effects.summaries.called(call)
            if name is None or not self._is_possible(name, call, caller):
                return None
            counted = caller is not None and not self._is_by_pointer(call)  # with what calls it
            if not counted and not self._is_affordable(name, nest):
                return None
            self.inlined[id(call)] = self._copy(name, call, caller)
        return self.inlined[id(call)]

    def calls_by_name(self, call: c_ast.FuncCall) -> tuple[c_ast.FuncCall, ...]:
        """For a call by a pointer, those of all functions that it may lead to; none where others may be."""
        if id(call) not in self.led:
            names = self._effects.candidates(call) if self._effects.summaries.called(call) is None else []
            self.led[id(call)] = tuple(self._by_name(call, n) for n in names[: MAX_TARGETS + 1])
        return self.led[id(call)] if len(self.led[id(call)]) <= MAX_TARGETS else ()

    def _by_name(self, call: c_ast.FuncCall, name: str) -> c_ast.FuncCall:
        twin = c_ast.FuncCall(c_ast.ID(name, call.coord), call.args, call.coord)
        self._resolution.copies[id(twin)] = twin, self._resolution.original(call)
        return twin

    def _is_possible(self, name: str, call: c_ast.FuncCall, caller: Inlining | None) -> bool:
        function = self._resolution.functions[name]
        if name not in self._sizes:
            nodes = list(walk(function.body))
            self._sizes[name] = len(nodes) if self._is_plain(name, nodes) else MAX_BODY + 1
        chain = caller.chain if caller is not None else ()
        if (
            self._sizes[name] > MAX_BODY
            or len(chain) >= MAX_DEPTH
            or any(each.name == name for each in chain)
        ):
            return False
        declared, given = self._parameters(function), call.args.exprs if call.args else []
        return declared is not None and len(declared) == len(given)

    def _is_by_pointer(self, call: c_ast.FuncCall) -> bool:
        """Does the copy call a function where the file's text calls what a pointer leads to?"""
        text = self._resolution.original(call).name
        return bool(getattr(text, "name", None) != getattr(call.name, "name", None))

    def _standing_for(self, declared: c_ast.Decl, argument: Any, function: c_ast.FuncDef) -> Symbol | None:
        """The caller's variable that may stand for a structure; None: it is a variable of its own."""
        parameter, variable = (self._resolution.symbols.get(id(each)) for each in (declared, argument))
        if parameter is None or parameter.is_scalar or variable is None:
            return None
        if variable.ctype.kind != "struct" or variable.ctype.tag != parameter.ctype.tag:
            return None
        shared = variable.outlives_function or variable.address_taken or variable.peculiar
        return None if shared or not self._is_kept(parameter, function) else variable

    def _is_affordable(self, name: str, nest: int) -> bool:
        """May the nest get so much larger?  What the callee calls counts too: no half of it would help."""
        total = self._totals.get(nest, 0) + self._cost(name)
        if total <= MAX_TOTAL:
            self._totals[nest] = total
        return total <= MAX_TOTAL

    def _cost(self, name: str) -> int:
        """The nodes of the function and of all that it calls, as often as it does."""
        if name not in self._costs:
            self._costs[name] = MAX_TOTAL + 1  # the answer for recursion
            summaries = self._effects.summaries
            inner = (summaries.called(call) for call in summaries.calls(name))
            own = sum(1 for _ in walk(self._resolution.functions[name].body))
            self._costs[name] = own + sum(self._cost(n) for n in inner if n is not None)
        return self._costs[name]

    def _is_plain(self, name: str, nodes: list[Any]) -> bool:
        """No recursion, no labels, no types or calls that a copy could not stand for."""
        function = self._resolution.functions[name]
        result = self._types.resolve(function.decl.type.type)
        if name in self._resolution.labelled or self._effects.summaries.is_recursive(name):
            return False
        if result.kind not in (*_SCALAR, "struct", "void") or self._parameters(function) is None:
            return False
        return not any(
            (isinstance(n, c_ast.FuncCall) and getattr(n.name, "name", None) in _REFUSED)
            or isinstance(n, c_ast.Goto | c_ast.Label)
            or (isinstance(n, c_ast.Typedef) and any(isinstance(m, c_ast.ArrayDecl) for m in walk(n)))
            for n in nodes
        )

    def _parameters(self, function: c_ast.FuncDef) -> list[c_ast.Decl] | None:
        """The declarations of the parameters; None for varargs and for anything but numbers, pointers and
        structures.
        """
        listed = function.decl.type.args.params if function.decl.type.args else []
        old_style = {d.name: d for d in function.param_decls or []}
        found = [old_style.get(getattr(p, "name", None), p) for p in listed]
        if len(found) == 1 and isinstance(found[0], c_ast.Typename):
            return []  # (void)
        symbols = [self._resolution.symbols.get(id(p)) for p in found]
        known = [s for s in symbols if s is not None and (s.ctype.kind == "struct" or _is_number(s))]
        return found if len(known) == len(symbols) else None

    def _is_kept(self, parameter: Symbol, function: c_ast.FuncDef) -> bool:
        """Is a structure only read, member by member?"""
        nodes = list(walk(function.body))
        written = [n.lvalue for n in nodes if isinstance(n, c_ast.Assignment)]
        written += [n.expr for n in nodes if isinstance(n, c_ast.UnaryOp) and n.op in _CHANGES]
        if parameter.writes or parameter.address_taken or any(self._part_of(n) is parameter for n in written):
            return False
        indexed = {id(n.name) for n in nodes if isinstance(n, c_ast.ArrayRef)}
        arrays = (n for n in nodes if isinstance(n, c_ast.StructRef) and self._type_of(n).kind == "array")
        return not any(self._part_of(n) is parameter and id(n) not in indexed for n in arrays)

    def _part_of(self, node: Any) -> Symbol | None:
        """The variable that an lvalue is a part of, where no pointer is followed."""
        while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
            is_array = isinstance(node, c_ast.ArrayRef) and self._type_of(node.name).kind == "array"
            if not is_array and getattr(node, "type", None) != ".":
                return None
            node = node.name
        return self._resolution.symbols.get(id(node))

    def _fixed_pointer(self, declared: c_ast.Decl) -> Symbol | None:
        """The parameter, where it is a pointer to a function that is the same throughout."""
        symbol = self._resolution.symbols.get(id(declared))
        target = symbol.ctype.decayed.target if symbol is not None else None
        fixed = symbol is not None and not (symbol.writes or symbol.address_taken)
        return symbol if fixed and target is not None and target.kind == "function" else None

    def _function(self, argument: Any) -> c_ast.ID | None:
        """The name of a function of the file, where an argument is one."""
        if not isinstance(argument, c_ast.ID) or not self._effects.summaries.knows(argument.name):
            return None
        symbol = self._resolution.symbols.get(id(argument))
        return argument if symbol is None or symbol.ctype.kind == "function" else None

    def _type_of(self, node: Any) -> CType:
        return type_of(node, self._resolution.symbols, self._types)

    def _copy(self, name: str, call: c_ast.FuncCall, caller: Inlining | None) -> Inlining:
        function = self._resolution.functions[name]
        chain = [each.call for each in caller.chain] if caller is not None else []
        calls = tuple(id(self._resolution.original(each)) for each in (*chain, call))
        declared = self._parameters(function) or []
        given = call.args.exprs if call.args else []
        pairs = [*zip(declared, given, strict=True)]
        functions = {
            symbol: f for p, a in pairs if (symbol := self._fixed_pointer(p)) and (f := self._function(a))
        }
        copying = _Copying(self._resolution, self._types, calls, functions)
        parameters = [copying.parameter(p, self._standing_for(p, a, function)) for p, a in pairs]
        body = copying.node(function.body)
        copying.finish()
        result, own = self._types.resolve(function.decl.type.type), frozenset(copying.made)
        return Inlining(call, name, tuple(parameters), body, result, _returns_early(body), own, caller)


def returned(inlining: Inlining) -> c_ast.Return | None:
    """The `return` at the end of the body, if there is one."""
    items = inlining.body.block_items or []
    return items[-1] if items and isinstance(items[-1], c_ast.Return) else None


def _is_number(parameter: Symbol) -> bool:
    return parameter.is_scalar and parameter.ctype.kind != "unknown"


def _returns_early(body: Any) -> bool:
    items = body.block_items or []
    return any(isinstance(n, c_ast.Return) for n in walk(body) if not items or n is not items[-1])


class _Copying:
    """One copy of a function; parameters that are known to be `functions` are written as these."""

    def __init__(
        self,
        resolution: Resolution,
        types: TypeTable,
        calls: tuple[int, ...],
        functions: Mapping[Symbol, c_ast.ID],
    ) -> None:
        self._resolution, self._types, self._calls = resolution, types, calls
        self._functions = functions
        self._nodes: dict[int, Any] = {}
        self._symbols: dict[Symbol, Symbol] = {}
        self.made: list[Symbol] = []  # the variables that are the copy's own

    def parameter(self, declaration: c_ast.Decl, argument: Symbol | None) -> Symbol:
        """A parameter becomes a variable that the call sets, or the caller's that stands for it."""
        if argument is not None:
            self._symbols[self._resolution.symbols[id(declaration)]] = argument
            return argument
        twin = self.node(declaration)
        old = self._resolution.symbols[id(declaration)]
        ctype = replace(self._types.parameter(twin.type).decayed, restrict=False)
        new = replace(old, ctype=ctype, storage="local", node=twin, definitions=old.definitions + 1)
        new.origin, new.calls = old.origin or old, self._calls
        self._symbols[old] = self._resolution.symbols[id(twin)] = new
        self.made.append(new)
        return new

    def node(self, node: Any) -> Any:
        if isinstance(node, _SHARED):
            return node
        if id(node) not in self._nodes:
            text = self._function(node) or node
            twin = self._nodes[id(node)] = copy.copy(text)
            self._resolution.copies[id(twin)] = twin, self._resolution.original(node)
            for slot in text.__slots__:
                if slot not in ("coord", "__weakref__"):
                    setattr(twin, slot, self._part(getattr(text, slot)))
        return self._nodes[id(node)]

    def _function(self, node: Any) -> c_ast.ID | None:
        """The function that `f` or `*f` is known to be."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            node = node.expr
        symbol = self._resolution.symbols.get(id(node)) if isinstance(node, c_ast.ID) else None
        return self._functions.get(symbol) if symbol is not None else None

    def _part(self, value: Any) -> Any:
        if isinstance(value, c_ast.Node):
            return self.node(value)
        if isinstance(value, list):
            return [self._part(each) for each in value]
        return value

    def finish(self) -> None:
        """Names the variables of the copy."""
        known = self._resolution.symbols
        for old, twin in self._nodes.items():
            if isinstance(twin, c_ast.ID) and old in known and known[old] in self._functions:
                function = self._functions[known[old]]
                known.update({id(twin): known[id(function)]} if id(function) in known else {})
            elif old in known and id(twin) not in known:
                known[id(twin)] = self._symbol(known[old])

    def _symbol(self, old: Symbol) -> Symbol:
        if old.storage != "local" or old.scope is None:
            return self._symbols.get(old, old)
        if old not in self._symbols:
            node = self._nodes.get(id(old.node), old.node)
            scope = self._nodes.get(id(old.scope), old.scope)
            allocation = self._nodes.get(id(old.allocation), old.allocation)
            new = replace(old, ctype=self._type(old, node), node=node, scope=scope, allocation=allocation)
            new.origin, new.calls = old.origin or old, self._calls
            self._symbols[old] = new
            self.made.append(new)
        return self._symbols[old]

    def _type(self, old: Symbol, node: Any) -> CType:
        """The type, with lengths of arrays that speak of the copy's variables.

        What `restrict` promises, it promises for one call only.
        """
        sized = old.ctype.kind in ("array", "pointer") and node is not None
        return replace(self._types.resolve(node.type) if sized else old.ctype, restrict=False)
