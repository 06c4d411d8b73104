"""Pointers that outlive an iteration: copies of what they lead to would be gone, or be somewhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pycparser import c_ast

from species.dependence.judge import Judge
from species.loops.model import Loop, Reference
from species.source.syntax.tree import walk
from species.symbols.static_types import type_of
from species.symbols.symbols import Symbol
from species.symbols.types import CType, TypeTable

_ADDRESSES = ("pointer", "array")


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
    """The loop, and the bodies of functions that it calls, as far as they are analysed in its place."""
    yield loop.node
    chains = (r.inlining.chain for r in judge.references(loop) if r.inlining)
    yield from {id(each.body): each.body for chain in chains for each in chain}.values()


def _is_of_iteration(reference: Reference, judge: Judge, loop: Loop) -> bool:
    """Is it a variable that is made in the loop, or by a function that is called there?"""
    symbol, inlining = reference.symbol, reference.inlining
    made = inlining is not None and any(symbol in each.variables for each in inlining.chain)
    return reference.place.base is None and (made or judge.is_inside(symbol, loop))


def _is_number_of(cast: c_ast.Cast, symbols: Mapping[int, Symbol], types: TypeTable) -> bool:
    """Does it make a number of a pointer?"""
    if types.resolve(cast.to_type).kind in ("pointer", "void"):
        return False
    return type_of(cast.expr, symbols, types).kind in _ADDRESSES
