"""Finds what a piece of code may change, calls of the file's functions included."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from species.loops.modified import Modified, Written, is_object
from species.symbols.effect_table import Touched
from species.symbols.effects import Effects, is_tame, points_nowhere, touched_arguments
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution, Symbol
from species.symbols.types import BIT_FIELD, UNKNOWN, CType, TypeTable
from species.symbols.update_idioms import evaluated

# Cells that a function writes behind a parameter: their types, the members, and of what, that they are in.
Cells = tuple[tuple[CType, tuple[str, ...], CType | None], ...]
ANY_CELL: Cells = ((UNKNOWN, (), None),)


class Scanner:
    """Finds what code may change; results are kept per node."""

    def __init__(self, resolution: Resolution, types: TypeTable, effects: Effects) -> None:
        self._resolution, self._types, self._effects = resolution, types, effects
        self._known: dict[int, Modified] = {}
        self._callees: dict[str, Modified] = {}
        self._cells: dict[tuple[str, int], Cells] = {}

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
        name = self._effects.summaries.called(node)
        for touched in effect.writes:
            for position in touched_arguments(touched, len(arguments)):
                cells = self._behind(name, position) if name is not None else ANY_CELL
                self._write_through(arguments[position], found, touched, cells)

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

    def _behind(self, name: str, position: int) -> Cells:
        """What a function of the file may write behind a parameter: types, members of what it leads to."""
        if (name, position) not in self._cells:
            self._cells[name, position] = self._found_behind(name, position)
        return self._cells[name, position]

    def _found_behind(self, name: str, position: int) -> Cells:
        function, whole = self._resolution.functions[name], self._callee(name)
        given = function.decl.type.args.params if function.decl.type.args is not None else []
        if whole.calls or position >= len(given):
            return ANY_CELL
        parameter = self._resolution.symbols.get(id(given[position]))
        alone = self._effects.summaries.reach(name) == {name} and not self._pointed(name)
        if not alone or parameter is None or parameter.address_taken:
            return tuple(dict.fromkeys((w.ctype, (), None) for w in whole.memory)) or ANY_CELL
        found = Modified()
        for node in evaluated(function.body):
            self._visit(node, found)
        stays, target = parameter not in found.symbols, parameter.ctype.target
        cells = (
            (w.ctype, w.members, target) if w.symbol is parameter and stays else (w.ctype, (), None)
            for w in found.memory
            if not is_object(w.symbol)
        )
        return tuple(cells) or ANY_CELL

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

    def _write_through(self, node: Any, found: Modified, touched: Touched, cells: Cells) -> None:
        """A callee writes what the argument points to: of an "element" all is known that its name tells, of
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
        is_element = touched.extent == "element" and node is given and touched.count == 1
        if (isinstance(inner, c_ast.ID) and not told) or (
            is_element and isinstance(inner, c_ast.ArrayRef | c_ast.StructRef)
        ):
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
