"""Unions of which a function uses one member alone: `layer->u.dense` in the function for dense layers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from pycparser import c_ast

from species.source.syntax.tree import walk
from species.symbols.effects import Effects
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolution
from species.symbols.types import UNKNOWN, CType, TypeTable


class UnionMembers:
    """Answers for one file: which members of unions functions name, and what these call."""

    def __init__(self, resolution: Resolution, types: TypeTable, effects: Effects) -> None:
        self._resolution, self._types, self._effects = resolution, types, effects
        self._named: dict[str, dict[str, set[str]]] = {}

    def is_alone(self, function: str, union: CType, name: str) -> bool:
        """Does the function, with all of the file's that it calls, name no other member of the union?

        Other names do not lead to its cells then, but for pointers, as to those of any structure.
        """
        if function not in self._named and function in self._resolution.functions:
            self._named[function] = self._of(function)
        return self._named.get(function, {}).get(union.tag) == {name}

    def _of(self, function: str) -> dict[str, set[str]]:
        """By the tag of a union, its members that are named."""
        found = defaultdict[str, set[str]](set)
        for node in (node for name in self._reached(function) for node in self._nodes(name)):
            if isinstance(node, c_ast.StructRef):
                owner = type_of(node.name, self._resolution.symbols, self._types)
                owner = owner.target or UNKNOWN if node.type == "->" else owner
                if owner.kind == "union":
                    found[owner.tag].add(node.field.name)
        return found

    def _reached(self, function: str) -> set[str]:
        """The functions of the file that a call may execute, those that pointers lead to included."""
        found, pending = set[str](), [function]
        while pending:
            name = pending.pop()
            if name not in found and name in self._resolution.functions:
                found.add(name)
                calls = (node for node in self._nodes(name) if isinstance(node, c_ast.FuncCall))
                for call in calls:
                    direct = self._effects.summaries.called(call)
                    pending += [direct] if direct is not None else self._effects.candidates(call)
        return found

    def _nodes(self, function: str) -> Iterator[c_ast.Node]:
        return iter(walk(self._resolution.functions[function].body))
