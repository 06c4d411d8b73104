"""Members of structures: addresses, different in every run and not compared, and floating-point numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.facts.loops import KernelArray, LoopFacts
from species.source import TranslationUnit
from species.source.scopes import FileScopes
from species.source.syntax.tree import walk

_STRUCTURES = c_ast.Struct | c_ast.Union


@dataclass(frozen=True)
class Addresses:
    """Answers for the arrays of one file."""

    unit: TranslationUnit

    @cached_property
    def _scopes(self) -> FileScopes:
        return FileScopes(self.unit)

    def call(self, loop: LoopFacts, array: KernelArray, element: str) -> str:
        """C text that says what is in each `element` that the next watch call records; maybe empty."""
        node = self._element(loop, array)
        if node is None:
            return ""
        known, kind = self._typedefs(loop.function), f"__typeof__({element})"
        places = list(self._addresses(node, known, ""))
        numbers = list(self._numbers(node, known, ""))
        addresses = [_place(kind, name) for name in places]
        floats = [f"{_place(kind, name)}, {_kind(kind, name + inner)}" for name, inner in numbers]
        return _told("addresses", addresses) + _told("floats", floats)

    def _element(self, loop: LoopFacts, array: KernelArray) -> Any:
        """The structure that an element of the array is; None for anything else."""
        if not array.name.isidentifier():
            return None
        declared = self._scopes.at(loop.function, loop.position).declaration(array.name)
        node = declared.type if declared is not None else None
        known = self._typedefs(loop.function)
        for _ in array.extent:
            node = _plain(node, known)
            if not isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl):
                return None
            node = node.type
        node = _plain(node, known)
        return node if isinstance(node, _STRUCTURES) else None

    def _addresses(self, node: Any, known: Mapping[str, Any], before: str) -> Iterator[str]:
        """The members, and those of structures inside, that are addresses or arrays with any in them."""
        for member in self._members(node):
            inner = _plain(member.type, known)
            name = f"{before}{member.name}" if member.name else before.rstrip(".")
            whole = isinstance(inner, c_ast.ArrayDecl | c_ast.Union) and bool(member.name)
            if isinstance(inner, c_ast.PtrDecl) or (whole and self._holds_address(inner, known)):
                yield name
            elif isinstance(inner, _STRUCTURES):
                yield from self._addresses(inner, known, f"{name}." if name else "")

    def _numbers(self, node: Any, known: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
        """The members that are floating-point numbers or arrays of them, with an element's subscripts."""
        for member in self._members(node) if isinstance(node, c_ast.Struct) else ():
            inner, subscripts = _plain(member.type, known), ""
            name = f"{before}{member.name}" if member.name else before.rstrip(".")
            while isinstance(inner, c_ast.ArrayDecl):
                inner, subscripts = _plain(inner.type, known), subscripts + "[0]"
            if isinstance(inner, c_ast.Struct) and not subscripts:
                yield from self._numbers(inner, known, f"{name}." if name else "")
            elif isinstance(inner, c_ast.IdentifierType) and {"float", "double"} & set(inner.names):
                yield name, subscripts

    def _holds_address(self, node: Any, known: Mapping[str, Any]) -> bool:
        inner = _plain(node, known)
        if isinstance(inner, c_ast.ArrayDecl):
            return self._holds_address(inner.type, known)
        if isinstance(inner, _STRUCTURES):
            return any(self._holds_address(member.type, known) for member in self._members(inner))
        return isinstance(inner, c_ast.PtrDecl)

    def _members(self, node: Any) -> list[Any]:
        if node.decls is not None:
            return [member for member in node.decls if isinstance(member, c_ast.Decl)]
        same = (n for n in self.unit.all_of(type(node)) if n.name == node.name and n.decls)
        found = list(same)
        return self._members(found[0]) if node.name and len(found) == 1 else []

    def _typedefs(self, function: str) -> dict[str, Any]:
        """The types that names stand for; those of the function come before those of the file."""
        found = {item.name: item.type for item in self.unit.ast.ext if isinstance(item, c_ast.Typedef)}
        for item in self.unit.ast.ext:
            if isinstance(item, c_ast.FuncDef) and item.decl.name == function:
                found |= {part.name: part.type for part in walk(item) if isinstance(part, c_ast.Typedef)}
        return found


def _place(kind: str, member: str) -> str:
    return f"__builtin_offsetof({kind}, {member}), sizeof((({kind} *)0)->{member})"


def _kind(kind: str, member: str) -> str:
    return f"CUVIER_KIND((({kind} *)0)->{member})"


def _told(what: str, places: list[str]) -> str:
    """The call for at most as many places as the watch library takes."""
    return f"cuvier_watch_{what}({len(places)}, {', '.join(places)}); " if 0 < len(places) <= 16 else ""


def _plain(node: Any, known: Mapping[str, Any]) -> Any:
    """The type behind typedef names: a pointer, an array, a structure, or what is a number."""
    while True:
        if isinstance(node, c_ast.TypeDecl):
            node = node.type
        elif isinstance(node, c_ast.IdentifierType) and len(node.names) == 1 and node.names[0] in known:
            node = known[node.names[0]]
        else:
            return node
