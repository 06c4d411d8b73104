"""What a piece of code may change, found without executing it symbolically."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pycparser import c_ast

from species.loops.environment import Key, is_shared
from species.loops.model import Place
from species.loops.pointees import analysis_of, is_apart_from
from species.symbols.effect_table import Touched
from species.symbols.effects import Effects, is_tame, points_nowhere, touched_arguments
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import BIT_FIELD, UNKNOWN, CType, TypeTable
from species.symbols.update_idioms import evaluated


class Written(NamedTuple):
    """A cell that is written: of which variable, or reached from which, its type, and the members, from the
    outside in, that it is in.

    `where` is its place, or the expression that names it; an `inner` one is written while a function is
    called, an `argument` leads to it.
    """

    symbol: Symbol | None
    ctype: CType
    members: tuple[str, ...] = ()
    where: Any = None
    inner: bool = False
    argument: bool = False


@dataclass
class Modified:
    """Variables that are assigned, memory that is written, calls."""

    symbols: set[Symbol] = field(default_factory=set)
    memory: list[Written] = field(default_factory=list)
    calls: bool = False  # something unknown is called

    @property
    def anything(self) -> bool:
        return bool(self.symbols or self.memory or self.calls)

    def may_change(self, key: Key) -> bool:
        """May the code change the variable or place?"""
        if isinstance(key, Symbol) and key in self.symbols:
            return True
        if self.calls and (isinstance(key, Place) or is_shared(key)):
            return True
        if isinstance(key, Place) and (key.symbol in self.symbols or self._may_see_variable(key)):
            return True
        return any(writes_may_change(written, key) for written in self.memory)

    def only_by_pointer(self, key: Key) -> bool:
        """Is it changed, if at all, by writes through pointers that may lead anywhere?"""
        if self.calls or key in self.symbols or (isinstance(key, Place) and key.symbol in self.symbols):
            return False
        if isinstance(key, Symbol):
            return True  # what is written by way of a pointer is not the pointer
        return not any(written.symbol is key.symbol for written in self.memory)

    def _may_see_variable(self, place: Place) -> bool:
        """May the place be a variable that is assigned by its name, reached through a pointer?"""
        shared = (s for s in self.symbols if is_shared(s) and compatible(s.ctype, place.ctype))
        return not is_object(place.symbol) and any(not is_apart_from(s, place) for s in shared)


def is_object(symbol: Symbol | None) -> bool:
    """A declared array or structure: an object of its own, reached by its name."""
    return (
        symbol is not None
        and symbol.storage != "memory"
        and (
            symbol.ctype.kind in ("struct", "union")
            or (symbol.ctype.kind == "array" and not _is_parameter(symbol))
        )
    )


def _is_parameter(symbol: Symbol) -> bool:
    return symbol.storage == "parameter"


def _is_apart(symbol: Symbol | None) -> bool:
    """Does it lead to an object of its own: a declared one, or the one allocation that it ever points to?"""
    allocated = symbol is not None and symbol.is_single_allocation and symbol.storage in ("local", "static")
    return allocated or is_object(symbol)


def writes_may_change(written: Written, key: Key) -> bool:
    """May a write of a cell change what is known of `key`?"""
    symbol, ctype, members, *_ = written
    if isinstance(key, Symbol):
        reached = key.address_taken or key.storage == "global"  # a static variable has its name only
        met = reached and not _is_apart(symbol) and compatible(ctype, key.ctype)
        return met and not _goes_elsewhere(written, key)
    if key.symbol.is_constant:
        return False
    if key.symbol is symbol:
        own = members_of(key)
        return all(one == other for one, other in zip(members, own, strict=False))
    if _is_apart(symbol) and _is_apart(key.symbol):
        return False
    return compatible(ctype, key.ctype) and not _goes_elsewhere(written, key)


def _goes_elsewhere(written: Written, key: Key) -> bool:
    """Does points-to analysis show that the write is to other objects than that of `key`?"""
    analysis = analysis_of(key)
    if analysis is None or written.where is None:
        return False
    if isinstance(written.where, Place):
        found = analysis.of_key(written.where)
    else:
        found = (analysis.of_argument if written.argument else analysis.of_node)(written.where)
    found = found.merged if found is not None and written.inner else found
    return not analysis.may_meet(found, analysis.of_key(key))


def members_of(place: Place) -> tuple[str, ...]:
    """The members that a place is in, from the outside in."""
    return tuple(step for step in place.path if isinstance(step, str))


def compatible(a: CType, b: CType) -> bool:
    """May two lvalues of these types be one cell?  (C11 6.5p7, the rule of "strict aliasing".)"""
    a, b = a.element, b.element
    if a.may_alias or b.may_alias:
        return True
    scalar = ("int", "float", "complex", "pointer")
    if a.kind not in scalar or b.kind not in scalar:
        return True
    if BIT_FIELD in (a.text, b.text) or 8 in (a.bits, b.bits):  # characters may be part of anything
        return True
    if {a.kind, b.kind} == {"float", "complex"}:  # a part of one
        return max(a.bits, b.bits) == 2 * min(a.bits, b.bits)
    return a.kind == b.kind and a.bits == b.bits


class Scanner:
    """Finds what code may change; results are kept per node."""

    def __init__(self, resolution: Resolution, types: TypeTable, effects: Effects) -> None:
        self._resolution, self._types, self._effects = resolution, types, effects
        self._known: dict[int, Modified] = {}
        self._callees: dict[str, Modified] = {}

    def modified(self, *nodes: Any) -> Modified:
        result = Modified()
        for node in nodes:
            if node is not None:
                self._merge(result, self._scan(node))
        return result

    def _merge(self, into: Modified, other: Modified) -> None:
        into.symbols |= other.symbols
        into.memory += other.memory
        into.calls |= other.calls

    def _scan(self, node: Any) -> Modified:
        if id(node) not in self._known:
            found = Modified()
            for child in evaluated(node):
                self._visit(child, found)
            self._known[id(node)] = found
        return self._known[id(node)]

    def _visit(self, node: Any, found: Modified) -> None:
        if isinstance(node, c_ast.Assignment):
            self._write(node.lvalue, found)
        elif isinstance(node, c_ast.UnaryOp) and node.op in ("++", "--", "p++", "p--"):
            self._write(node.expr, found)
        elif isinstance(node, c_ast.Decl) and node.name and id(node) in self._resolution.symbols:
            found.symbols.add(self._resolution.symbols[id(node)])
        elif isinstance(node, c_ast.FuncCall):
            self._call(node, found)

    def _call(self, node: c_ast.FuncCall, found: Modified) -> None:
        effect, names = self._effects.of(node), self._named(node)
        if names:
            for each in names:
                self._merge(found, self._callee(each))
            return
        tame = is_tame(effect, node, self._effects)
        found.calls |= effect.kind == "unknown" or not tame
        arguments = node.args.exprs if node.args else []
        for touched in effect.writes:
            for position in touched_arguments(touched, len(arguments)):
                self._write_through(arguments[position], found, touched)

    def _named(self, node: c_ast.FuncCall) -> list[str]:
        """The functions of the file that a call may lead to, where nothing else says what it does."""
        if self._effects.of(node).kind != "unknown":
            return []
        name = self._effects.summaries.called(node)
        return [name] if name is not None else self._effects.candidates(node)

    def _callee(self, name: str) -> Modified:
        """What a call of a function of the file may change that its caller can see."""
        if name not in self._callees:
            result, pending, seen = Modified(), [name], set[str]()
            while pending:
                new = self._effects.summaries.reach(pending.pop()) - seen
                seen |= new
                for inner in sorted(new):
                    self._merge(result, self._body(inner))
                    pending += self._pointed(inner)
            self._callees[name] = result
        return self._callees[name]

    def _pointed(self, name: str) -> list[str]:
        """The functions of the file that a function may call by pointers, and whose changes are not told of
        by its own statements.
        """
        calls, called = self._effects.summaries.calls(name), self._effects.summaries.called
        return [each for call in calls if called(call) is None for each in self._named(call)]

    def _body(self, name: str) -> Modified:
        """What the function's own statements change, calls of the file's functions aside."""
        found, called = Modified(), self._effects.summaries.called
        for node in evaluated(self._resolution.functions[name].body):
            is_call = isinstance(node, c_ast.FuncCall)
            if not (is_call and (called(node) is not None or self._named(node))):
                self._visit(node, found)
        seen = Modified({s for s in found.symbols if s.outlives_function}, calls=found.calls)
        for written in found.memory:
            if written.symbol is None or written.symbol.outlives_function:
                seen.memory.append(written._replace(inner=True))
            elif not is_object(written.symbol):
                seen.memory.append(written._replace(symbol=None, members=(), inner=True))
        return seen

    def _write_through(self, node: Any, found: Modified, touched: Touched) -> None:
        """A callee writes what the argument points to: of an "element" all is known that its name tells."""
        if points_nowhere(node):
            return
        given = node
        while isinstance(node, c_ast.Cast):
            node = node.expr
        inner = node.expr if getattr(node, "op", None) == "&" else None
        is_element = touched.extent == "element" and node is given
        if isinstance(inner, c_ast.ID) or (
            is_element and isinstance(inner, c_ast.ArrayRef | c_ast.StructRef) and touched.count == 1
        ):
            self._write(inner, found)
        elif isinstance(inner, c_ast.ArrayRef | c_ast.StructRef) or isinstance(node, c_ast.ID):
            found.memory.append(Written(self._root(inner or node), UNKNOWN, where=given, argument=True))
        else:
            found.memory.append(Written(None, UNKNOWN, where=given, argument=True))

    def _write(self, target: Any, found: Modified) -> None:
        if isinstance(target, c_ast.ID):
            symbol = self._resolution.symbols.get(id(target))
            if symbol:
                found.symbols.add(symbol)
            return
        found.memory.append(Written(self._root(target), self.type_of(target), self._members(target), target))

    def _root(self, node: Any) -> Symbol | None:
        """The variable whose own memory is written; None if a pointer is followed that is no plain name."""
        while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
            follows = isinstance(node, c_ast.ArrayRef) or node.type == "->"
            node = node.name
            if follows and not isinstance(node, c_ast.ID) and self.type_of(node).kind != "array":
                return None
        symbol = self._resolution.symbols.get(id(node))
        return symbol if symbol else None

    def _members(self, node: Any) -> tuple[str, ...]:
        """The members that an lvalue is in; of unions, and what is in them, nobody can tell them apart."""
        found: list[str] = []
        while isinstance(node, c_ast.ArrayRef | c_ast.StructRef):
            if isinstance(node, c_ast.StructRef):
                owner = self.type_of(node.name)
                owner = owner.target or UNKNOWN if node.type == "->" else owner
                ctype = self._types.member(owner, node.field.name)
                is_apart = owner.kind == "struct" and not owner.may_alias
                is_apart = is_apart and ctype.kind != "unknown" and ctype.text != BIT_FIELD
                found = [*found, node.field.name] if is_apart else []
            node = node.name
        return tuple(reversed(found))

    def type_of(self, node: Any) -> CType:
        """The static type of an lvalue; unknown for anything unusual."""
        return type_of(node, self._resolution.symbols, self._types)
