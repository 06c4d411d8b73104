"""What a function needs of its file: functions, variables, types; or why it cannot do without the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from species.interprocedural.outside import Outside, type_key
from species.loops.inlining import MAX_BODY
from species.loops.walk import Names
from species.source.syntax.tree import walk
from species.symbols.symbols import Resolution, Symbol

_HARMLESS = ("pure", "reading")  # what calls of functions that are no part of the program may do
_OPAQUE = (c_ast.Pragma, c_ast.Typedef, c_ast.StaticAssert)


class Unfit(Exception):
    """The function cannot be understood in another file; the text says why."""


@dataclass
class Needs:
    """Names and nodes that a function depends on.

    `calls` are functions with external linkage that the program may define, `inner` static ones; `library`
    are functions whose effects a table tells.  `types` are definitions by the keys of `Outside.type_of`,
    those first that others are made of.
    """

    calls: set[str] = field(default_factory=set)
    inner: set[str] = field(default_factory=set)
    library: set[str] = field(default_factory=set)
    variables: dict[str, Symbol] = field(default_factory=dict)
    types: dict[str, Any] = field(default_factory=dict)
    renamed: list[c_ast.ID] = field(default_factory=list)  # that name something static


class Collector:
    """Finds the needs of the functions of one file.

    Attributes say something of the functions in `promised`; what is meant by the names in `peculiar`, nobody
    can tell.
    """

    def __init__(
        self,
        outside: Outside,
        names: Names,
        promised: frozenset[str],
        peculiar: frozenset[str],
    ) -> None:
        self._outside, self._resolution, self._effects = outside, names.resolution, names.effects
        self._promised, self._peculiar = promised, peculiar

    def needs(self, function: c_ast.FuncDef) -> Needs:
        """Raises Unfit."""
        found = Needs()
        nodes = [n for part in _parts(function) for n in walk(part)]
        if sum(1 for _ in walk(function.body)) > MAX_BODY:
            raise Unfit("it is too long")
        names_of_nothing = {id(n.field) for n in nodes if isinstance(n, c_ast.StructRef)}
        for node in nodes:
            if isinstance(node, c_ast.NamedInitializer):
                names_of_nothing.update(id(each) for each in node.name)
            if isinstance(node, c_ast.FuncCall):
                names_of_nothing.add(id(node.name))
                self._call(node, found)
        for node in nodes:
            if id(node) not in names_of_nothing:
                self._node(node, found)
        return found

    def add_type(self, node: Any, found: Needs) -> None:
        """The types that a declaration names, and those that these are made of."""
        for part in walk(node):
            self._type(part, found)

    def _node(self, node: Any, found: Needs) -> None:
        if isinstance(node, _OPAQUE) or (isinstance(node, c_ast.If) and _is_unknown(node.cond)):
            raise Unfit("it has a directive, or code that is not understood")
        if isinstance(node, c_ast.Decl):
            if "extern" in (node.storage or ()) or isinstance(node.type, c_ast.FuncDecl):
                raise Unfit("it has declarations of its own of what is outside")
        elif isinstance(node, c_ast.ID):
            self._name(node, found)
        elif _is_definition(node):
            raise Unfit("it has types of its own")
        self._type(node, found)

    def _call(self, node: c_ast.FuncCall, found: Needs) -> None:
        effect, name = self._effects.of(node), getattr(node.name, "name", None)
        symbol = self._resolution.symbols.get(id(node.name))
        if not isinstance(node.name, c_ast.ID) or name in self._peculiar or name is None:
            raise Unfit("it calls through a pointer, or calls an unknown function")
        if self._effects.summaries.called(node) is not None:
            own = is_static(self._resolution, name)
            (found.inner if own else found.calls).add(name)
            found.renamed += [node.name] if own else []
        elif effect.kind in _HARMLESS and name not in self._promised:
            found.library.add(name)
            for declared in self._outside.functions.get(name, ())[:1]:
                self.add_type(declared.type, found)
        elif symbol is None or symbol.ctype.kind != "function" or symbol.storage == "static" or symbol.scope:
            raise Unfit(f"it calls '{name}', of which nothing is known")
        elif effect.kind not in ("unknown", *_HARMLESS):
            raise Unfit(f"it calls '{name}'")
        else:
            found.calls.add(name)

    def _name(self, node: c_ast.ID, found: Needs) -> None:
        symbol = self._resolution.symbols.get(id(node))
        if symbol is None:
            if node.name in self._outside.constants:
                self._constant(node.name, found)
            elif not node.name.startswith("__"):
                raise Unfit(f"'{node.name}' is unknown")
            return
        if symbol.ctype.kind == "function":
            raise Unfit(f"it passes on '{node.name}', a function")
        if symbol.scope is not None:
            return
        is_plain = symbol.node in self._outside.variables.get(node.name, ())
        if node.name in self._peculiar or symbol.peculiar or symbol.replaceable or not is_plain:
            raise Unfit(f"'{node.name}' is unknown")
        found.variables[node.name] = symbol
        self.add_type(symbol.node.type, found)
        if symbol.storage == "static":
            found.renamed.append(node)

    def _type(self, node: Any, found: Needs) -> None:
        if isinstance(node, c_ast.IdentifierType) and len(node.names) == 1:
            self._add(f"typedef {node.names[0]}", found)
        elif isinstance(node, c_ast.Struct | c_ast.Union | c_ast.Enum) and node.name:
            self._add(type_key(node), found)

    def _add(self, key: str, found: Needs) -> None:
        node = self._outside.types.get(key)
        if node is None or key in found.types:
            return
        found.types[key] = None  # a place, for those that lead back to it
        for part in walk(node):
            if part is not node:
                self._type(part, found)
            if isinstance(part, c_ast.ID) and part.name in self._outside.constants:
                self._constant(part.name, found)
        del found.types[key]
        found.types[key] = node

    def _constant(self, name: str, found: Needs) -> None:
        node = self._outside.constants[name]
        if f"constant {name}" not in found.types:
            found.types.update((f"constant {each.name}", node) for each in node.values.enumerators)
            self.add_type(node, found)


def is_static(resolution: Resolution, name: str) -> bool:
    """Is this function of the file unknown to others?"""
    declared = resolution.functions[name].decl
    symbol = resolution.symbols.get(id(declared))
    return "static" in (declared.storage or ()) or (symbol is not None and symbol.storage == "static")


def _parts(function: c_ast.FuncDef) -> list[Any]:
    """Where a function names types and what is outside."""
    if function.param_decls:  # those in its parentheses are mere names
        return [function.decl.type.type, *function.param_decls, function.body]
    return [function.decl.type, function.body]


def _is_unknown(condition: Any) -> bool:
    return isinstance(condition, c_ast.EmptyStatement)


def _is_definition(node: Any) -> bool:
    """Does it define a type?"""
    if isinstance(node, c_ast.Struct | c_ast.Union):
        return node.decls is not None
    return isinstance(node, c_ast.Enum) and node.values is not None
