"""Induction variables: what every iteration of a loop changes by the same amount.

Such a variable is `entry + amount * counter` at the start of an iteration (Wolfe, "Beyond induction
variables", 1992).  The walker finds the amounts by executing one iteration symbolically on unknown values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from pycparser import c_ast

from species.loops import expressions as ex
from species.loops.environment import Environment, Key, Known
from species.loops.model import Loop, Pointer
from species.loops.scanner import Scanner
from species.sets.affine import Affine, Atom, Value, constant, divided, operation
from species.sets.conditions import Compare, Condition
from species.sets.domains import implied
from species.sets.modular import unwrapped
from species.sets.products import product
from species.symbols.symbols import Symbol
from species.symbols.types import LONG, SIZE, CType

_SMALL = 2**31  # 64-bit counters that move by less do not wrap around in a lifetime


@dataclass(frozen=True)
class Change:
    """What an iteration adds to a variable.

    It is `exact` if no iteration wraps around; otherwise the sum is right modulo the range of the type.
    """

    amount: Affine
    exact: bool


Changes = Mapping[Symbol, Change]


def change(symbol: Symbol, start: Known, end: Known, loop: Loop) -> Change | None:
    """The change by one iteration that takes a variable from `start` to `end`, if it is always the same."""
    if isinstance(start, Pointer) and isinstance(end, Pointer):
        same = start.place == end.place and not start.place.loose
        return _invariant(end.offset - start.offset, True, loop) if same else None
    if not isinstance(start, Affine) or not isinstance(end, Affine):
        return None
    found = _invariant(end - start, True, loop)
    if found is not None and not _may_wrap(symbol.ctype, found.amount):
        return found
    return _invariant(unwrapped(end, symbol.ctype.bits) - start, False, loop)


def _invariant(amount: Affine, exact: bool, loop: Loop) -> Change | None:
    """Loops get their numbers in the order of the walk: this one and those inside it have greater ones."""
    return Change(amount, exact) if all(number < loop.number for number in amount.loops) else None


def _may_wrap(ctype: CType, amount: Affine) -> bool:
    """Sums of 64 bits without a sign are taken as exact: is the change too wide for that?"""
    return ctype.unsigned and ctype.bits >= 64 and abs(amount.constant) >= _SMALL


def moved(entry: Known, amount: Affine, count: Affine) -> Known:
    """The value `count` iterations after `entry`."""
    if isinstance(entry, Pointer):
        known = not entry.place.loose and entry.reach != "cell"
        return ex.moved(entry, _times(amount, count)) if known else ex.loosened(entry)
    return entry + _times(amount, count) if isinstance(entry, Affine) else None


def _times(amount: Affine, count: Affine) -> Affine:
    return product(amount, count) or operation("*", LONG, amount, count)


def first_value(loop: Loop, symbol: Symbol) -> Known:
    """The variable's value before the first iteration."""
    return loop.entry[symbol] if symbol in loop.entry else Environment().get(symbol)


def values(loop: Loop, changes: Changes, count: Affine) -> dict[Key, Known]:
    """Iterator and induction variables after `count` iterations."""
    found: dict[Key, Known] = {s: moved(first_value(loop, s), c.amount, count) for s, c in changes.items()}
    if loop.iterator is not None and loop.iterator not in found:
        found[loop.iterator] = loop.lower + count.scaled(loop.step)
    return found


def in_range(value: Known, ctype: CType, facts: tuple[Condition, ...]) -> bool:
    """Is the integer one of its type's, so that it has not wrapped around?"""
    if not isinstance(value, Affine):
        return True
    low, high = ctype.certain_range
    return implied(Compare(value - low), facts) and implied(Compare(-value + high), facts)


# How often


def trips(loop: Loop, facts: tuple[Condition, ...]) -> Affine | None:
    """How many iterations the loop makes where nothing but its bound ends it; None: nobody knows."""
    bound = loop.bound
    if not isinstance(bound, Compare) or bound.equal:
        return None
    width = -bound.expression.coefficient(loop.counter)
    room = bound.expression + Affine.of(loop.counter, width)
    if width <= 0 or loop.number in room.loops:
        return None
    if loop.meets_bound or implied(Compare(room + width), facts):
        return divided(room + width, width, False)
    return operation("max", SIZE, constant(0), room + 1) if width == 1 else None


def is_maximum(atom: Atom) -> bool:
    return isinstance(atom, Value) and atom.key[:2] == ("op", "max")


def resolved(value: Affine, facts: tuple[Condition, ...]) -> Affine:
    """`max(0, n)` is n where n is known to be at least 0, also inside of products."""

    def plain(atom: Atom) -> Affine | None:
        if not isinstance(atom, Value) or not atom.parts:
            return None
        if is_maximum(atom):
            return atom.parts[1] if implied(Compare(atom.parts[1]), facts) else None
        parts = tuple(resolved(p, facts) for p in atom.parts)
        if parts == atom.parts or atom.key[1] != "*":
            return None
        return reduce(_times, parts)

    return value.substitute(plain)


def has_maximum(value: Known) -> bool:
    """Does the value mention `max(0, n)`?"""
    if isinstance(value, Pointer):
        return has_maximum(value.offset)
    return isinstance(value, Affine) and any(map(_mentions_maximum, value.atoms()))


def _mentions_maximum(atom: Atom) -> bool:
    return is_maximum(atom) or (isinstance(atom, Value) and any(map(has_maximum, atom.parts)))


def resolved_known(value: Known, facts: tuple[Condition, ...]) -> Known:
    if isinstance(value, Pointer):
        return replace(value, offset=resolved(value.offset, facts))
    return resolved(value, facts) if isinstance(value, Affine) else value


# Which variables


def candidates(node: Any, scanner: Scanner, symbols: Mapping[int, Symbol]) -> frozenset[Symbol]:
    """Variables of a loop's iterations that are changed, and read before they are assigned."""
    parts = (getattr(node, "cond", None), node.stmt, getattr(node, "next", None))
    changed = {s for s in scanner.modified(*parts).symbols if _may_count(s)}
    seen: dict[Symbol, bool] = {}
    for part in parts:
        for symbol, read in _uses(part, lambda n: symbols.get(id(n))) if changed else ():
            seen.setdefault(symbol, read)
    return frozenset(s for s in changed if seen.get(s))


def _may_count(symbol: Symbol) -> bool:
    counts = symbol.ctype.is_integer and symbol.ctype.bits > 1
    return (counts or (symbol.is_scalar and symbol.ctype.kind == "pointer")) and not symbol.ctype.volatile


def _uses(node: Any, symbol_of: Callable[[Any], Symbol | None]) -> Iterator[tuple[Symbol, bool]]:
    """The variables in the order of evaluation, as far as it matters, and whether they are read."""
    if node is None:
        return
    symbol = symbol_of(node)
    plain = isinstance(node, c_ast.Assignment) and node.op == "=" and isinstance(node.lvalue, c_ast.ID)
    if symbol is not None and isinstance(node, c_ast.ID):
        yield symbol, True
    children = [node.rvalue] if plain else list(node)
    for child in children:
        yield from _uses(child, symbol_of)
    written = symbol_of(node.lvalue) if plain else symbol if isinstance(node, c_ast.Decl) else None
    if written is not None:
        yield written, False
