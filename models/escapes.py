"""Regions that make serial loops slower, because threads learn where a structure is.

A compiler that sees all of a program in `main` knows that what is stored through `m->cells` does not reach
`*m`.  It no longer does once a region hands `m` to threads: then it loads members again after each store that
may reach them by its type, in all loops that have become a part of `main`, before the region and behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from pycparser import c_ast

from models.callgraph import Callers
from species.source.syntax.tree import walk
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolver
from species.symbols.types import CType

LOSS = 0.25  # of a loop's time that it takes to load members again


class Escapes:
    """Answers for the functions of a file that become a part of its `main`."""

    def __init__(self, ast: c_ast.FileAST, callers: Callers) -> None:
        resolver = Resolver()
        self._symbols, self._types = resolver.file(ast).symbols, resolver.types
        self._callers = callers

    def hindering(
        self,
        saved: Mapping[str, float],
        serial: Mapping[str, float],
        nodes: Mapping[str, Mapping[str, c_ast.Node]],
    ) -> dict[str, str]:
        """The ids of loops whose threads save less than it costs that they know a structure, with its type.

        `saved` are the seconds that threads save in loops, `serial` those that others take by themselves;
        `nodes` are the loops by their ids, by function.
        """
        parts = [loops for name, loops in nodes.items() if self._callers.is_part_of_main(name)]
        wins, costs, told = (
            defaultdict[str, float](float),
            defaultdict[str, float](float),
            dict[str, set[str]](),
        )
        for each, node in (item for loops in parts for item in loops.items()):
            if each in saved:
                told[each] = set(self._known_to_threads(node))
                for tag in told[each]:
                    wins[tag] += saved[each]
            elif each in serial:
                for tag in set(self._loaded_again(node)):
                    costs[tag] += LOSS * serial[each]
        lost = {tag for tag, cost in costs.items() if cost > wins[tag]}
        return {each: min(tags & lost) for each, tags in told.items() if tags & lost}

    def _known_to_threads(self, node: c_ast.Node) -> Iterator[str]:
        """Structures of which a loop names a variable of its function, or a pointer in one."""
        for part in walk(node):
            symbol = self._symbols.get(id(part)) if isinstance(part, c_ast.ID) else None
            if symbol is not None and symbol.storage in ("local", "parameter"):
                owner = symbol.ctype.target if symbol.ctype.kind == "pointer" else symbol.ctype
                if owner is not None and owner.kind == "struct":
                    yield owner.tag

    def _loaded_again(self, node: c_ast.Node) -> Iterator[str]:
        """Structures of which a loop reads a member that its own stores may reach, as far as types tell."""
        own = [*_without_loops(node)]
        stored = [self._type(target) for target in map(_stored, own) if target is not None]
        for part in own:
            if isinstance(part, c_ast.StructRef) and any(_reaches(each, self._type(part)) for each in stored):
                owner = self._type(part.name)
                owner = owner.target or owner if owner.kind == "pointer" else owner
                if owner.kind == "struct":
                    yield owner.tag

    def _type(self, node: c_ast.Node) -> CType:
        return type_of(node, self._symbols, self._types)


def _without_loops(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The loop's nodes, without those of loops inside."""
    for _, child in node.children():
        if not isinstance(child, c_ast.For | c_ast.While | c_ast.DoWhile):
            yield child
            yield from _without_loops(child)


def _stored(node: c_ast.Node) -> c_ast.Node | None:
    """The cell to which a statement stores through a pointer."""
    match node:
        case c_ast.Assignment(lvalue=c_ast.ArrayRef() | c_ast.UnaryOp(op="*") as cell):
            return cell
        case c_ast.UnaryOp(
            op="++" | "--" | "p++" | "p--", expr=c_ast.ArrayRef() | c_ast.UnaryOp(op="*") as cell
        ):
            return cell
    return None


def _reaches(stored: CType, member: CType) -> bool:
    """May a store of one type change a value of another (C11 6.5p7)?"""
    if member.kind not in ("int", "float", "pointer"):
        return False
    return (stored.kind == "int" and stored.bits == 8) or (stored.kind, stored.bits) == (
        member.kind,
        member.bits,
    )
