"""Finds what a piece of code may change, calls of the file's functions included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.loops.modified import Modified, Written, is_object
from species.symbols.effects import Effects, is_tame, points_nowhere, touched_arguments
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import BIT_FIELD, UNKNOWN, CType, TypeTable
from species.symbols.update_idioms import evaluated

# Cells that a function writes behind a parameter: their types, the members, and of what, that they are in.
Cell = tuple[CType, tuple[str, ...], CType | None]
Cells = tuple[Cell, ...]
ANY_CELL: Cells = ((UNKNOWN, (), None),)


@dataclass(frozen=True)
class Callee:
    """What a call of a function may change that its caller can see: behind parameters, by their positions,
    and the rest.
    """

    rest: Modified
    given: Mapping[int, Cells]

    def behind(self, position: int) -> Cells:
        """What it may write behind one of its parameters, what it writes elsewhere included."""
        rest = ((written.ctype, (), None) for written in self.rest.memory)
        cells = tuple(dict.fromkeys((*self.given.get(position, ()), *rest)))
        return ANY_CELL if self.rest.calls or not cells else cells


class Scanner:
    """Finds what code may change; results are kept per node."""

    def __init__(self, resolution: Resolution, types: TypeTable, effects: Effects) -> None:
        self._resolution, self._types, self._effects = resolution, types, effects
        self._known: dict[int, Modified] = {}
        self._callees: dict[str, Callee] = {}

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
        arguments = node.args.exprs if node.args else []
        name = self._effects.summaries.called(node)
        for each in names:
            self._merge(found, self._callee(each).rest)
            for position, cells in self._callee(each).given.items():
                if name is not None and position < len(arguments):
                    self._write_through(arguments[position], found, cells)
                else:
                    found.memory += [Written(None, ctype, inner=True) for ctype, *_ in cells]
        if names:
            return
        tame = is_tame(effect, node, self._effects)
        found.calls |= effect.kind == "unknown" or not tame
        for touched in effect.writes:
            one = touched.extent == "element" and touched.count == 1
            for position in touched_arguments(touched, len(arguments)):
                cells = self._callee(name).behind(position) if name is not None else ANY_CELL
                self._write_through(arguments[position], found, cells, one=one)

    def _named(self, node: c_ast.FuncCall) -> list[str]:
        """The functions of the file that a call may lead to, where nothing else says what it does."""
        if self._effects.of(node).kind != "unknown":
            return []
        name = self._effects.summaries.called(node)
        return [name] if name is not None else self._effects.candidates(node)

    def _callee(self, name: str) -> Callee:
        if name not in self._callees:
            again = self._effects.summaries.may_call_itself(name)
            self._callees[name] = self._of_bodies(name) if again else self._of_body(name)
        return self._callees[name]

    def _of_body(self, name: str) -> Callee:
        """By its statements, those told by parameters that lead to the caller's memory."""
        function, found = self._resolution.functions[name], Modified()
        for node in evaluated(function.body):
            self._visit(node, found)
        declared = function.decl.type.args.params if function.decl.type.args is not None else []
        symbols = [self._resolution.symbols.get(id(each)) for each in declared]
        stay = {s: k for k, s in enumerate(symbols) if s and s not in found.symbols and not s.address_taken}
        given: dict[int, dict[Cell, None]] = {}
        for written in found.memory:
            root = written.symbol
            if root is not None and root in stay:
                cell = (written.ctype, written.members, root.ctype.target)
                given.setdefault(stay[root], {})[cell] = None
        found.memory = [written for written in found.memory if written.symbol not in stay]
        return Callee(_seen_outside(found), {position: tuple(cells) for position, cells in given.items()})

    def _of_bodies(self, name: str) -> Callee:
        """By the statements of all functions that it may call, itself among them."""
        result, pending, seen = Modified(), [name], set[str]()
        while pending:
            new = self._effects.summaries.reach(pending.pop()) - seen
            seen |= new
            for inner in sorted(new):
                self._merge(result, self._body(inner))
                pending += self._pointed(inner)
        return Callee(result, {})

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
        return _seen_outside(found)

    def _write_through(self, node: Any, found: Modified, cells: Cells, *, one: bool = False) -> None:
        """A callee writes what the argument points to: of `one` element all is known that its name tells, of
        other things types and members.
        """
        if points_nowhere(node):
            return
        given = node
        while isinstance(node, c_ast.Cast):
            node = node.expr
        inner = node.expr if getattr(node, "op", None) == "&" else None
        whole = self.type_of(inner) if inner is not None else self.type_of(node).target
        cells = cells if node is given and whole is not None else ANY_CELL
        told = whole is not None and all(p and o is not None and o.tag == whole.tag for _, p, o in cells)
        is_element = one and node is given and isinstance(inner, c_ast.ArrayRef | c_ast.StructRef)
        if not told and (isinstance(inner, c_ast.ID) or is_element):
            self._write(inner, found)
            return
        is_named = isinstance(inner, c_ast.ID | c_ast.ArrayRef | c_ast.StructRef)
        is_named = is_named or isinstance(node, c_ast.ID)
        root = self._root(inner or node) if is_named else None
        outer = self._members(inner) if inner is not None else ()
        for ctype, parts, owner in cells:
            same = owner is not None and whole is not None and whole.tag == owner.tag
            found.memory.append(Written(root, ctype, (*outer, *parts) if same else (), given, argument=True))

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


def _seen_outside(found: Modified) -> Modified:
    """What a function's statements change, as far as its caller can see that."""
    memory = dict[Written, None]()
    for written in found.memory:
        if written.symbol is None or written.symbol.outlives_function:
            memory[written._replace(inner=True)] = None
        elif not is_object(written.symbol):
            memory[written._replace(symbol=None, members=(), inner=True)] = None
    symbols = {symbol for symbol in found.symbols if symbol.outlives_function}
    return Modified(symbols, [*memory], found.calls)
