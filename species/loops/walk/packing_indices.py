"""Integers that some iterations count up, such as the next free place of a row that is packed.

In iteration k such a variable is at most its first value and k times what an iteration can add to it: after
`for (t = 0; t < n; t++) if (a[t] > 0) row[m++] = a[t];`, `m` is at most n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pycparser import c_ast

from species.loops.environment import Known, is_shared
from species.loops.model import Loop
from species.loops.polynomials import bounds
from species.loops.walk.selected_indices import changes
from species.sets.affine import Affine, Value
from species.sets.conditions import Both, Compare, Condition, Fact
from species.sets.products import affine, polynomial
from species.sets.relevance import relevant
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol

_LOOPS = c_ast.For | c_ast.While | c_ast.DoWhile
MOST_ADDED = 64


def candidates(
    node: Any, symbol_of: Callable[[Any], Symbol | None], wanted: frozenset[Symbol]
) -> Mapping[Symbol, int]:
    """Variables that a loop changes by `m++` and `m += 2` alone, and how much an iteration adds."""
    if not wanted or any(isinstance(part, c_ast.Goto | c_ast.Label) for part in walk(node)):
        return {}
    once = {id(part) for part in _own(node.stmt)}
    added: dict[Symbol, int] = {}
    others = set()
    for change, variable in changes(node):
        symbol, amount = symbol_of(variable), _amount(change)
        if symbol not in wanted or symbol is None:
            continue
        if amount is None or id(change) not in once:
            others.add(symbol)
        else:
            added[symbol] = added.get(symbol, 0) + amount
    return {s: n for s, n in added.items() if s not in others and n <= MOST_ADDED and _is_plain(s)}


def _is_plain(symbol: Symbol) -> bool:
    """A number of its own, that does not wrap around: no one can count so far."""
    least = 64 if symbol.ctype.unsigned else 32
    wide = symbol.ctype.is_integer and symbol.ctype.bits >= least
    return wide and symbol.is_scalar and not is_shared(symbol)


def _own(node: Any) -> Iterator[Any]:
    """What an iteration executes once at most."""
    yield node
    for child in node if not isinstance(node, _LOOPS) else ():
        yield from _own(child)


def _amount(change: Any) -> int | None:
    match change:
        case c_ast.UnaryOp(op="++" | "p++"):
            return 1
        case c_ast.Assignment(op="+=", rvalue=c_ast.Constant(type="int", value=text)) if text.isdigit():
            return int(text)
    return None


def within(value: Known, first: Known, added: int, loop: Loop) -> Fact | None:
    """What is known of the variable's value in an iteration."""
    return _between(value, first, lambda start: start + Affine.of(loop.counter, added))


def behind(value: Known, first: Known, added: int, loop: Loop, facts: tuple[Condition, ...]) -> Fact | None:
    """What is known of it after the loop; `facts` hold in each iteration.  None where that is nothing."""

    def most(start: Affine) -> Affine | None:
        last = start + Affine.of(loop.counter, added) + added
        known = relevant((last,), tuple(c for c in facts if isinstance(c, Compare)))
        ends = bounds(polynomial(last), frozenset((loop.number,)), known, greatest=True)
        return affine(ends[0]) if ends else None

    return _between(value, first, most)


def _between(value: Known, first: Known, most: Callable[[Affine], Affine | None]) -> Fact | None:
    if not isinstance(value, Affine) or not isinstance(first, Affine):
        return None
    atom, high = next(iter(value.atoms()), None), most(first)
    if not isinstance(atom, Value) or value != Affine.of(atom) or high is None:
        return None
    if atom.ctype.unsigned and not (first.is_constant and 0 <= first.constant < 2**62):
        return None  # from a negative number in disguise, it wraps around
    counted = Both((Compare(value - first), Compare(high - value)))
    return Fact((Both((Compare(value - first, True),)), counted), atom)
