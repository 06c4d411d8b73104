"""Regions that make loops slower, because threads learn where a structure is.

A compiler that sees all of a program in `main` knows that what is stored through `m->cells` does not reach
`*m`.  It no longer does once a region hands `m` to threads: then it loads members again after each store
that may reach them by its type, and makes no vectors, in the region and in all loops that have become a part
of `main`, before the region and behind it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from pycparser import c_ast

from models.callgraph import Callers
from models.estimate import Program
from models.hidden_constants import Constants
from models.sizes.headers import header_of
from species.facts.loops import KernelMember
from species.source.syntax.tree import variables, walk
from species.symbols.static_types import type_of
from species.symbols.symbols import Resolver, Symbol
from species.symbols.types import CType

LOADS = 0.25  # of a loop's time that it takes to load members again
VECTORS = 4.0  # times as long takes a loop over bytes that compilers would make vectors of
SURE = 3.0  # times as much as threads save has to be lost elsewhere: both are guesses
_BRANCHES = (c_ast.FuncCall, c_ast.If, c_ast.Switch, c_ast.Break, c_ast.Return, c_ast.Goto, c_ast.While)


class Escapes:
    """Answers for the functions of a file that become a part of its `main`.

    `copied` are, by the ids of loops, the members that variables replace before them, `private` the variables
    of which every thread has a copy.
    """

    def __init__(
        self,
        ast: c_ast.FileAST,
        callers: Callers,
        cores: int,
        copied: Mapping[str, Sequence[KernelMember]],
        private: Mapping[str, Collection[str]],
        program: Program,
    ) -> None:
        resolver = Resolver()
        self._symbols, self._types = resolver.file(ast).symbols, resolver.types
        self._constants = Constants(program, {}, members=True)
        self._callers, self._cores, self._copied, self._private = callers, cores, copied, private

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
        parts = [loops for name, loops in nodes.items() if self._callers.is_part_of_main(name, small=True)]
        loops = {each: node for part in parts for each, node in part.items()}
        told = {each: {*self._known_to_threads(each, loops[each])} for each in saved if each in loops}
        found, left = dict[str, str](), dict(serial)
        for each, tags in told.items():
            slow, lost = self._slower(loops[each], tags)
            if slow and lost > self._cores - 1:
                found[each] = slow
                left[each] = saved[each] * self._cores / max(1, self._cores - 1)
        for each in found:
            del told[each]
        bad = self._costly(told, saved, {each: (loops[each], left[each]) for each in left if each in loops})
        return found | {each: min(tags & bad) for each, tags in told.items() if tags & bad}

    def _costly(
        self,
        told: Mapping[str, set[str]],
        saved: Mapping[str, float],
        serial: Mapping[str, tuple[c_ast.Node, float]],
    ) -> set[str]:
        """The structures that loops are `told` of, which save less than `serial` ones lose by that."""
        wins, costs = defaultdict[str, float](float), defaultdict[str, float](float)
        for each, tags in told.items():
            for tag in tags:
                wins[tag] += saved[each]
        for node, seconds in serial.values():
            for tag in wins:
                costs[tag] += seconds * self._slower(node, {tag})[1]
        return {tag for tag, cost in costs.items() if cost > SURE * wins[tag]}

    def _slower(self, node: c_ast.Node, tags: set[str]) -> tuple[str, float]:
        """A structure of which a loop, or one inside, loads members again, or counts to one that compilers no
        longer know; and how much longer that takes.
        """
        hidden = self._constants.hidden(node)
        owner = self._owner(hidden.node) if hidden is not None else ""
        if hidden is not None and owner in tags:
            return owner, hidden.factor - 1.0
        for loop in (
            each for each in walk(node) if isinstance(each, c_ast.For | c_ast.While | c_ast.DoWhile)
        ):
            again = tags.intersection(self._loaded_again(loop))
            if again:
                return min(again), VECTORS - 1 if self._is_of_bytes(loop) else LOADS
        return "", 0.0

    def _known_to_threads(self, loop: str, node: c_ast.Node) -> Iterator[str]:
        """Structures of which a loop names a variable of its function, or a pointer in one."""
        times = defaultdict[Symbol, int](int)
        for part in walk(node):
            symbol = self._symbols.get(id(part)) if isinstance(part, c_ast.ID) else None
            if symbol is not None and symbol.storage in ("local", "parameter"):
                times[symbol] += 1
        for symbol, count in times.items():
            owner = symbol.ctype.target if symbol.ctype.kind == "pointer" else symbol.ctype
            if owner is symbol.ctype and symbol.name in self._private[loop]:
                continue
            members = (m for m in self._copied.get(loop, ()) if _root(m) == symbol.name)
            is_replaced = sum(len(member.places) for member in members) == count
            if owner is not None and owner.kind == "struct" and not is_replaced:
                yield owner.tag

    def _loaded_again(self, node: c_ast.Node) -> Iterator[str]:
        """Structures of which a loop reads a member that its own stores may reach, as far as types tell."""
        own = [*_without_loops(node)]
        stored = [self._type(target) for target in map(_stored, own) if target is not None]
        for part in own:
            if isinstance(part, c_ast.StructRef) and any(_reaches(each, self._type(part)) for each in stored):
                yield from filter(None, [self._owner(part)])

    def _owner(self, member: c_ast.Node) -> str:
        """The tag of the structure that a member belongs to."""
        owner = self._type(member.name)
        owner = owner.target or owner if owner.kind == "pointer" else owner
        return owner.tag if owner.kind == "struct" else ""

    def _is_of_bytes(self, loop: c_ast.Node) -> bool:
        """Does it store bytes in a row, and do compilers make vectors of it: no branches, no subscripts that
        wrap or that data chooses?
        """
        nodes, header = [*walk(loop.stmt)], header_of(loop)
        iterator = header.iterator if header is not None else ""
        targets = [target for target in map(_stored, nodes) if isinstance(target, c_ast.ArrayRef)]
        along = [t for t in targets if iterator in {each.name for each in variables(t.subscript)}]
        stored = map(self._type, along)
        subscripts = [each.subscript for each in nodes if isinstance(each, c_ast.ArrayRef)]
        wraps = any(ctype.unsigned and ctype.bits == 32 for ctype in map(self._type, subscripts))
        chosen = any(isinstance(each, c_ast.ArrayRef) for part in subscripts for each in walk(part))
        branches = any(isinstance(each, _BRANCHES) for each in nodes)
        return any(map(_is_byte, stored)) and not (wraps or chosen or branches)

    def _type(self, node: c_ast.Node) -> CType:
        return type_of(node, self._symbols, self._types)


def _root(member: KernelMember) -> str:
    return re.split(r"->|\.", member.text.lstrip("*"))[0]


def _without_loops(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The loop's nodes, without those of loops inside."""
    for _, child in node.children():
        if not isinstance(child, c_ast.For | c_ast.While | c_ast.DoWhile):
            yield child
            yield from _without_loops(child)


def _stored(node: c_ast.Node) -> c_ast.Node | None:
    """The cell to which a statement stores through a pointer."""
    match node:
        case c_ast.Assignment(lvalue=cell) if _is_cell(cell):
            return cell
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=cell) if _is_cell(cell):
            return cell
    return None


def _is_cell(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.UnaryOp) and node.op == "*")


def _is_byte(ctype: CType) -> bool:
    return ctype.kind == "int" and ctype.bits == 8


def _reaches(stored: CType, member: CType) -> bool:
    """May a store of one type change a value of another (C11 6.5p7)?"""
    if member.kind not in ("int", "float", "pointer"):
        return False
    return _is_byte(stored) or (stored.kind, stored.bits) == (member.kind, member.bits)
