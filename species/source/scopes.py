"""Which variable a name means at a loop, by the scopes of C (C11 6.2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from species.core.positions import Position
from species.core.refusal import Refusal
from species.source.syntax.tree import walk

if TYPE_CHECKING:
    from species.source import TranslationUnit

_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


class FileScopes:
    """What names mean in one file."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._known: dict[tuple[str, Position], Scopes] = {}

    def at(self, function: str, position: Position) -> Scopes:
        """What names mean at a loop of a function."""
        place = function, position
        if place not in self._known:
            self._known[place] = Scopes(self._unit, function, position)
        return self._known[place]


class Scopes:
    """What names mean at the loop, or the loops that one macro makes, at a place of a function."""

    def __init__(self, unit: TranslationUnit, function: str, position: Position) -> None:
        self._unit = unit
        owners = (f for f in unit.all_of(c_ast.FuncDef) if f.decl.name == function)
        self._owner = next(owners, None)
        self._position = position
        self._seen = tuple(self._loops(self._owner, {})) if self._owner is not None else ()

    def declaration(self, name: str) -> Any:
        """The c_ast.Decl of a variable: as the loop's header sees it, else from inside of the loop; None if
        there is none.  Refusal where loops at the same place see different variables.
        """
        found = {id(scope.get(name)): scope.get(name) for scope, _ in self._seen}
        if len(found) > 1:
            raise Refusal(f"{name} means several variables there")
        for declared in found.values():
            if declared is not None:
                return declared
        inside = (part for _, loop in self._seen for part in walk(loop))
        files = (item for item in self._unit.ast.ext if isinstance(item, c_ast.Decl))
        return next((d for d in (*files, *inside) if isinstance(d, c_ast.Decl) and d.name == name), None)

    def _loops(self, node: Any, scope: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Any]]:
        """The loops at the place, each with the variables that its header sees."""
        scope = {**scope, **_named(_header(node))}
        if isinstance(node, _LOOPS) and self._unit.loop_position(node) == self._position:
            yield scope, node
        for item in _statements(node) if isinstance(node, c_ast.Compound) else node:
            if isinstance(node, c_ast.Compound):
                scope = {**scope, **_named([item])}
            yield from self._loops(item, scope)


def _header(node: Any) -> Iterable[Any]:
    """What a function or a loop declares for all that is inside."""
    match node:
        case c_ast.FuncDef():
            listed = node.decl.type.args
            return [*(listed.params if listed is not None else ()), *(node.param_decls or ())]
        case c_ast.For(init=c_ast.DeclList()):
            return list(node.init.decls)
    return ()


def _statements(node: Any) -> Iterator[Any]:
    """The statements of a block, those behind labels too: these open no scope of their own."""
    for item in node:
        if isinstance(item, c_ast.Case | c_ast.Default | c_ast.Label):
            yield from _statements(item)
        else:
            yield item


def _named(declared: Iterable[Any]) -> dict[str, Any]:
    return {d.name: d for d in declared if isinstance(d, c_ast.Decl) and d.name is not None}
