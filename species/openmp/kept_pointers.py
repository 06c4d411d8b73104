"""Pointers that outlive an iteration: copies of what they lead to would be gone, or be somewhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pycparser import c_ast

from species.dependence.judge import Judge
from species.loops.model import Loop, Place, Pointer, Reference
from species.loops.pointees import analysis_of
from species.source.syntax.tree import walk
from species.symbols.static_types import type_of
from species.symbols.symbols import Symbol
from species.symbols.types import CType, TypeTable

_ADDRESSES = ("pointer", "array")
_EQUALITY, _ORDER = ("==", "!="), ("<", ">", "<=", ">=", "-")


def keeps_pointers(judge: Judge, loop: Loop, symbols: Mapping[int, Symbol], types: TypeTable) -> bool:
    """Does the loop, or a function that it calls, store a pointer where it outlives the iteration, or as a
    number?
    """
    references = judge.references(loop)
    stored = (r for r in references if r.write and _may_hold(r.place.ctype, types))
    if any(not _is_of_iteration(r, judge, loop) for r in stored):
        return True
    casts = (part for node in bodies(judge, loop) for part in walk(node) if isinstance(part, c_ast.Cast))
    return any(_is_number_of(cast, symbols, types) for cast in casts)


def _may_hold(ctype: CType, types: TypeTable) -> bool:
    """May a value of the type have pointers in it?"""
    if ctype.kind in ("struct", "union"):
        members = types.members(ctype)
        return not members or any(_may_hold(member, types) for member in members)
    if ctype.kind == "array":
        return ctype.target is None or _may_hold(ctype.target, types)
    return not ctype.is_number


def bodies(judge: Judge, loop: Loop) -> Iterator[Any]:
    """The loop, and the bodies of all functions of the file that it calls by their names."""
    functions, found, waiting = judge.functions, dict[str, Any](), [loop.node]
    while waiting:
        yield waiting[-1]
        for call in (node for node in walk(waiting.pop()) if isinstance(node, c_ast.FuncCall)):
            name = getattr(call.name, "name", None)
            if isinstance(name, str) and name in functions and name not in found:
                found[name] = functions[name].body
                waiting.append(found[name])


def _is_of_iteration(reference: Reference, judge: Judge, loop: Loop) -> bool:
    """Is it a variable that is made in the loop, or by a function that is called there?"""
    symbol, inlining = reference.symbol, reference.inlining
    made = inlining is not None and any(symbol in each.variables for each in inlining.chain)
    return reference.place.base is None and (made or judge.is_inside(symbol, loop))


def follows_others(
    judge: Judge, loop: Loop, objects: Collection[Symbol], names: Collection[Symbol | Place]
) -> bool:
    """Does the loop read a pointer into one of some objects that was set before it, and is none of `names`?

    The model takes what is reached by it for a part of the object, but its text is another one.
    """
    others = [
        key if isinstance(key, Place) else Place(key)
        for key, value in loop.entry.items()
        if isinstance(value, Pointer) and value.place.symbol in objects and key not in names
    ]
    read = (r for r in judge.references(loop) if not r.write and not _is_of_iteration(r, judge, loop))
    return any(_is_part(key, r.place) for r in read for key in others)


def _is_part(key: Place, place: Place) -> bool:
    """Is it the place, or a member of it?"""
    is_there = key.symbol is place.symbol and key.base == place.base
    return is_there and key.path[: len(place.path)] == place.path


def _is_number_of(cast: c_ast.Cast, symbols: Mapping[int, Symbol], types: TypeTable) -> bool:
    """Does it make a number of a pointer?"""
    if types.resolve(cast.to_type).kind in ("pointer", "void"):
        return False
    return type_of(cast.expr, symbols, types).kind in _ADDRESSES


def tells_apart(
    judge: Judge, loop: Loop, places: Sequence[Place], symbols: Mapping[int, Symbol], types: TypeTable
) -> bool:
    """Might the loop compare a pointer into one of some objects, or subtract it, with one that does not come
    from the variable that leads there?  (That one would lead to the object itself, the other to a copy.)
    """
    asking = _Comparisons(judge, loop, places, symbols, types)
    return any(asking.is_doubtful(part, own=own) for part, own in asking.compared())


@dataclass(frozen=True)
class _Comparisons:
    judge: Judge
    loop: Loop
    places: Sequence[Place]
    symbols: Mapping[int, Symbol]
    types: TypeTable

    def compared(self) -> Iterator[tuple[c_ast.BinaryOp, bool]]:
        """Comparisons and differences of pointers, not with NULL; do they stand in the text of the loop?"""
        for node in bodies(self.judge, self.loop):
            asked = (part for part in walk(node) if isinstance(part, c_ast.BinaryOp))
            for part in (each for each in asked if each.op in (*_EQUALITY, *_ORDER)):
                kinds = [self._kind(side) for side in (part.left, part.right)]
                if {*kinds} <= {*_ADDRESSES, "unknown"} and {*kinds} & {*_ADDRESSES}:
                    yield part, node is self.loop.node

    def is_doubtful(self, part: c_ast.BinaryOp, *, own: bool) -> bool:
        """Might its sides come by different ways to one of the objects?"""
        if not any(self._may_lead(side) for side in (part.left, part.right)):
            return False
        if any(self._is_foreign(each) for side in (part.left, part.right) for each in self._sources(side)):
            return True
        return (part.op in _EQUALITY or not own) and self._has_foreign

    @cached_property
    def _has_foreign(self) -> bool:
        """Does the loop name a pointer at all that might lead there, and is not the variable that does?"""
        named = (part for node in bodies(self.judge, self.loop) for part in walk(node))
        return any(self._is_foreign(part) for part in named if isinstance(part, _SOURCES))

    def _sources(self, node: Any) -> Iterator[Any]:
        """The variables and loads that the value of a pointer is made of."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            node = node.expr
            while isinstance(node, c_ast.ArrayRef | c_ast.StructRef) and not self._is_pointer(node):
                node = node.name
        if isinstance(node, _SOURCES):
            yield node
        elif not isinstance(node, c_ast.FuncCall):
            for _, child in node.children():
                yield from self._sources(child)

    def _is_foreign(self, node: Any) -> bool:
        """Is it a pointer that may lead there, from elsewhere than an iteration?"""
        if not self._is_pointer(node):
            return False
        if isinstance(node, c_ast.ID):
            symbol = self.symbols.get(id(node))
            if symbol is None or symbol in {place.symbol for place in self.places}:
                return symbol is None
            if symbol.storage in ("local", "parameter") and self._is_inside(symbol):
                return False  # an iteration's, or a function's that it calls
        return self._may_lead(node)

    def _is_inside(self, symbol: Symbol) -> bool:
        """Is it made in an iteration, or in a call there?"""
        return self.judge.is_inside(symbol, self.loop) or not self.judge.is_own(symbol)

    def _is_pointer(self, node: Any) -> bool:
        return self._kind(node) in (*_ADDRESSES, "unknown")

    def _kind(self, node: Any) -> str:
        """The kind of its type; of a constant, NULL included, that of a number."""
        bare = node.expr if isinstance(node, c_ast.Cast) else node
        if isinstance(bare, c_ast.Constant) and bare.type != "string":
            return "int"
        return type_of(node, self.symbols, self.types).kind

    def _may_lead(self, node: Any) -> bool:
        return any(_may_lead(node, place) for place in self.places)


_SOURCES = (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef, c_ast.FuncCall)


def _may_lead(node: Any, place: Place) -> bool:
    """May a pointer lead to the memory that a place is in?"""
    analysis = analysis_of(place)
    if analysis is None:
        return True
    found, memory = analysis.of_argument(node), analysis.of_key(place)
    return found is None or memory is None or bool(analysis.may_meet(found, memory))
