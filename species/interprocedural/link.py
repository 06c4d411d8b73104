"""Taking in functions of other files: the unit, as if they were defined behind its own text.

A function stays unknown where a name or a type that it needs means something else in the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from species.core.positions import Position
from species.interprocedural.outside import Outside
from species.interprocedural.trees import Tree, decoded
from species.source import TranslationUnit
from species.source.syntax.tree import walk

Json = dict[str, Any]


@dataclass(frozen=True)
class _Function:
    """A function that is to be taken in; `calls` are all that it calls, by their names in the program.

    Of the variables and functions of libraries that it uses, there are types and trees, by name; None where
    it has not declared a function.  `needs` are definitions of types.
    """

    name: str
    type: str | None
    calls: tuple[str, ...]
    needs: tuple[str, ...]
    file: str
    strict: bool
    variables: dict[str, Json]
    library: dict[str, Json | None]
    tree: Tree

    @classmethod
    def read(cls, said: Json) -> _Function:
        body = json.loads(said["body"])
        calls, needs = (*said["inner"], *body.pop("calls")), tuple(said["types"])
        return cls(said["name"], said["type"], calls, needs, **body)


def linked(unit: TranslationUnit, text: str, *, strict_aliasing: bool) -> TranslationUnit:
    """The unit with functions of other files, of which `species.interprocedural.join` has made the text."""
    said = json.loads(text)
    unit = replace(unit, hidden=unit.hidden.union(said["unknown"]))
    strict = strict_aliasing and not unit.options.mixes_types
    linking = _Linking(unit, said["types"], strict)
    return unit.with_code(linking.code(map(_Function.read, said["functions"])))


class _Linking:
    """What the unit knows already, and what it can take in beside that."""

    def __init__(self, unit: TranslationUnit, types: dict[str, str], strict: bool) -> None:
        self._unit, self._types, self._strict = unit, types, strict
        self._outside = Outside(unit.ast)
        defined = {item.decl.name for item in unit.ast.ext if isinstance(item, c_ast.FuncDef)}
        self._own = {name for name in defined if not self._is_static(name, self._outside.functions)}
        for item in unit.ast.ext:  # a type has one meaning in a file, for us, wherever it is defined
            if isinstance(item, c_ast.FuncDef):
                self._outside.add_types(walk(item.body))
        self._read: dict[str, tuple[list[str], Any]] = {}
        self._enumerations: dict[str, Any] = {}

    def code(self, functions: Iterator[_Function]) -> Callable[[Callable[[Position], Any]], list[Any]]:
        """What makes the declarations, given what makes coordinates."""
        taken = {each.name: each for each in functions}
        while lost := [name for name, each in taken.items() if not self._fits(each, taken)]:
            for name in lost:
                del taken[name]
        return lambda coord: list(self._items(list(taken.values()), coord))

    def _items(self, taken: list[_Function], coord: Callable[[Position], Any]) -> Iterator[Any]:
        for key in dict.fromkeys(key for each in taken for key in each.needs):
            names, node = self._type(key)
            if not self._known(key) and not self._outside.opaque.intersection(names):
                yield node if isinstance(node, c_ast.Typedef) else _declared_alone(node)
        declared: set[str] = set()
        for each in taken:
            place = _placing(each.file, coord)
            for name, said in (*each.variables.items(), *each.library.items()):
                if said is not None and name not in declared and not self._outside.is_taken(name):
                    declared.add(name)
                    yield decoded(said["tree"], place)
        for each in taken:
            yield decoded(each.tree, _placing(each.file, coord))

    # May a function be taken in?

    def _fits(self, function: _Function, taken: dict[str, _Function]) -> bool:
        known = taken.keys() | self._own
        return (
            (function.strict or not self._strict)
            and self._means(function.name, function.type, self._outside.functions)
            and all(name in known for name in function.calls)
            and all(map(self._is_one_type, function.needs))
            and all(self._fits_variable(n, v, taken) for n, v in function.variables.items())
            and all(self._fits_library(n, p, taken) for n, p in function.library.items())
        )

    def _fits_variable(self, name: str, said: Json, taken: dict[str, _Function]) -> bool:
        alike = all(each.variables.get(name, said)["type"] == said["type"] for each in taken.values())
        doubtful = name in self._unit.doubtful | self._unit.assembly
        return alike and not doubtful and self._means(name, said["type"], self._outside.variables)

    def _fits_library(self, name: str, said: Json | None, taken: dict[str, _Function]) -> bool:
        if said is None:
            return not self._outside.is_taken(name) or name in self._outside.functions
        others = (each.library.get(name) or said for each in taken.values())
        return all(each["type"] == said["type"] for each in others) and self._means(
            name, said["type"], self._outside.functions
        )

    def _means(self, name: str, type_: str | None, listed: dict[str, list[c_ast.Decl]]) -> bool:
        """Is the name, if the file knows it, that of something with this type and external linkage?"""
        if name in self._unit.hidden:
            return False
        if not self._outside.is_taken(name):
            return True
        if name not in listed or self._is_static(name, listed):
            return False
        is_function = listed is self._outside.functions
        found = self._outside.signature(name) if is_function else self._outside.variable(name)
        return type_ is not None and found == type_

    def _is_static(self, name: str, listed: dict[str, list[c_ast.Decl]]) -> bool:
        return any("static" in (each.storage or ()) for each in listed[name])

    def _is_one_type(self, key: str) -> bool:
        """Is the type the one that the file has by its names, as far as it has them?"""
        names, node = self._type(key)
        text, known = self._outside.text(node), self._known(key)
        if any(self._outside.text(each) != text for each in known):
            return False
        words = (each.partition(" ") for each in names)
        ordinary = (name for kind, _, name in words if kind in ("typedef", "constant"))
        return bool(known) or not any(map(self._outside.is_taken, ordinary))

    def _known(self, key: str) -> list[Any]:
        """What the file has of these names."""
        found = map(self._outside.type_of, self._type(key)[0])
        return [each for each in found if each is not None]

    def _type(self, key: str) -> tuple[list[str], Any]:
        """The names that a type gives a meaning to, and its definition."""
        if key not in self._read:
            names, tree = json.loads(self._types[key])
            self._read[key] = names, self._with_enumerations(decoded(tree, lambda _: None))
        return self._read[key]

    def _with_enumerations(self, node: Any) -> Any:
        """The same node for the same enumeration, wherever it is defined: its constants are one."""
        for part in walk(node):
            for field in part.__slots__ if isinstance(part, c_ast.Node) else ():
                inner = getattr(part, field) if field != "__weakref__" else None
                if isinstance(inner, c_ast.Enum) and inner.values is not None:
                    setattr(part, field, self._enumerations.setdefault(self._outside.text(inner), inner))
        is_one = isinstance(node, c_ast.Enum) and node.values is not None
        return self._enumerations.setdefault(self._outside.text(node), node) if is_one else node


def _placing(file: str, coord: Callable[[Position], Any]) -> Callable[[Any], Any]:
    """What makes coordinates of lines and columns, in this file unless they name another."""
    return lambda said: (
        coord(Position(said[2] if len(said) > 2 else file, said[0], said[1])) if said else None
    )


def _declared_alone(node: Any) -> c_ast.Decl:
    """A declaration of nothing but a type with members or constants."""
    return c_ast.Decl(None, [], [], [], [], node, None, None)
