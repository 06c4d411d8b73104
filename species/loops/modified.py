"""What a piece of code may change, found without executing it symbolically."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from species.loops.environment import Key, is_shared
from species.loops.model import Place
from species.loops.pointees import analysis_of, is_apart_from
from species.symbols.symbols import Symbol
from species.symbols.types import BIT_FIELD, CType


class Written(NamedTuple):
    """A cell that is written: of which variable, or reached from which, its type, and the members, from the
    outside in, that it is in.

    `where` is its place, or the expression that names it; an `inner` one is written while a function is
    called, an `argument` leads to it.
    """

    symbol: Symbol | None
    ctype: CType
    members: tuple[str, ...] = ()
    where: Any = None
    inner: bool = False
    argument: bool = False


@dataclass
class Modified:
    """Variables that are assigned, memory that is written, calls."""

    symbols: set[Symbol] = field(default_factory=set)
    memory: list[Written] = field(default_factory=list)
    calls: bool = False  # something unknown is called

    @property
    def anything(self) -> bool:
        return bool(self.symbols or self.memory or self.calls)

    def may_change(self, key: Key) -> bool:
        """May the code change the variable or place?"""
        if isinstance(key, Symbol) and key in self.symbols:
            return True
        if self.calls and (isinstance(key, Place) or is_shared(key)):
            return True
        if isinstance(key, Place) and (key.symbol in self.symbols or self._may_see_variable(key)):
            return True
        return any(writes_may_change(written, key) for written in self.memory)

    def only_by_pointer(self, key: Key) -> bool:
        """Is it changed, if at all, by writes through pointers that may lead anywhere?"""
        if self.calls or key in self.symbols or (isinstance(key, Place) and key.symbol in self.symbols):
            return False
        if isinstance(key, Symbol):
            return True  # what is written by way of a pointer is not the pointer
        return not any(written.symbol is key.symbol for written in self.memory)

    def _may_see_variable(self, place: Place) -> bool:
        """May the place be a variable that is assigned by its name, reached through a pointer?"""
        shared = (s for s in self.symbols if is_shared(s) and compatible(s.ctype, place.ctype))
        return not is_object(place.symbol) and any(not is_apart_from(s, place) for s in shared)


def is_object(symbol: Symbol | None) -> bool:
    """A declared array or structure: an object of its own, reached by its name."""
    return (
        symbol is not None
        and symbol.storage != "memory"
        and (
            symbol.ctype.kind in ("struct", "union")
            or (symbol.ctype.kind == "array" and not _is_parameter(symbol))
        )
    )


def _is_parameter(symbol: Symbol) -> bool:
    return symbol.storage == "parameter"


def _is_apart(symbol: Symbol | None) -> bool:
    """Does it lead to an object of its own: a declared one, or the one allocation that it ever points to?"""
    allocated = symbol is not None and symbol.is_single_allocation and symbol.storage in ("local", "static")
    return allocated or is_object(symbol)


def writes_may_change(written: Written, key: Key) -> bool:
    """May a write of a cell change what is known of `key`?"""
    symbol, ctype, members, *_ = written
    if isinstance(key, Symbol):
        reached = key.address_taken or key.storage == "global"  # a static variable has its name only
        met = reached and not _is_apart(symbol) and compatible(ctype, key.ctype)
        return met and not _goes_elsewhere(written, key)
    if key.symbol.is_constant:
        return False
    if key.symbol is symbol:
        own = members_of(key)
        if members or not written.argument:
            return all(one == other for one, other in zip(members, own, strict=False))
        return compatible(ctype, key.ctype)
    if _is_apart(symbol) and _is_apart(key.symbol):
        return False
    return compatible(ctype, key.ctype) and not _goes_elsewhere(written, key)


def _goes_elsewhere(written: Written, key: Key) -> bool:
    """Does points-to analysis show that the write is to other objects than that of `key`?"""
    analysis = analysis_of(key)
    if analysis is None or written.where is None:
        return False
    if isinstance(written.where, Place):
        found = analysis.of_key(written.where)
    else:
        found = (analysis.of_argument if written.argument else analysis.of_node)(written.where)
    found = found.merged if found is not None and written.inner else found
    return not analysis.may_meet(found, analysis.of_key(key))


def members_of(place: Place) -> tuple[str, ...]:
    """The members that a place is in, from the outside in."""
    return tuple(step for step in place.path if isinstance(step, str))


def compatible(a: CType, b: CType) -> bool:
    """May two lvalues of these types be one cell?  (C11 6.5p7, the rule of "strict aliasing".)"""
    a, b = a.element, b.element
    if a.may_alias or b.may_alias:
        return True
    scalar = ("int", "float", "complex", "pointer")
    if a.kind not in scalar or b.kind not in scalar:
        return True
    if BIT_FIELD in (a.text, b.text) or 8 in (a.bits, b.bits):  # characters may be part of anything
        return True
    if {a.kind, b.kind} == {"float", "complex"}:  # a part of one
        return max(a.bits, b.bits) == 2 * min(a.bits, b.bits)
    return a.kind == b.kind and a.bits == b.bits
