"""Integers that some iterations assign, such as the index of the largest element so far.

After the loop, and in each of its iterations, such a variable has its first value or one of those that are
assigned: `for (j = 1; j < n; j++) if (a[j] > a[best]) best = j;` leaves `best` between 0 and n - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from species.loops.environment import Known, is_shared
from species.loops.polynomials import bounds
from species.sets.affine import Affine
from species.sets.conditions import Both, Compare, Condition, Fact
from species.sets.products import affine, polynomial
from species.sets.relevance import relevant
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol

MOST_VARIABLES = 4
MOST_ASSIGNED = 3  # to one of them
_PARTS = c_ast.ID | c_ast.Constant | c_ast.BinaryOp | c_ast.UnaryOp
_OPERATORS = ("+", "-", "*")


@dataclass(frozen=True)
class Assigned:
    """A value that an iteration assigns, by which expression's name, and what holds there."""

    node: Any
    value: Known
    facts: tuple[Condition, ...]


def candidates(
    node: Any, symbol_of: Callable[[Any], Symbol | None], wanted: frozenset[Symbol]
) -> dict[Symbol, list[Any]]:
    """Variables that a loop changes in one way alone: some of its iterations assign a sum of others.

    With the places where their names stand on the left.
    """
    if not wanted:
        return {}
    plain = {id(a.lvalue): a.rvalue for a in _conditional(node.stmt) if a.op == "="}
    found: dict[Symbol, list[Any]] = {}
    for _, changed in changes(node):
        symbol = symbol_of(changed)
        if symbol in wanted:
            found.setdefault(symbol, []).append(changed)
    simple = {id(n) for _, n in changes(node) if id(n) in plain and _is_sum(plain[id(n)])}
    chosen = {s: n for s, n in found.items() if _is_number(s) and simple.issuperset(map(id, n))}
    return chosen if len(chosen) <= MOST_VARIABLES else {}


def in_subscripts(function: Any, symbol_of: Callable[[Any], Symbol | None]) -> frozenset[Symbol]:
    """The variables that stand in subscripts somewhere in a function."""
    parts = [each.subscript for each in walk(function) if isinstance(each, c_ast.ArrayRef)]
    named = (symbol_of(n) for part in parts for n in walk(part) if isinstance(n, c_ast.ID))
    return frozenset(symbol for symbol in named if symbol is not None)


def changes(node: Any) -> Iterator[tuple[Any, Any]]:
    """What is assigned, or counted up or down, in a loop's iterations: by which expression, and its name."""
    for part in (getattr(node, "cond", None), node.stmt, getattr(node, "next", None)):
        for each in walk(part) if part is not None else ():
            if isinstance(each, c_ast.Assignment):
                yield each, each.lvalue
            elif isinstance(each, c_ast.UnaryOp) and each.op in ("++", "--", "p++", "p--"):
                yield each, each.expr


def _conditional(node: Any) -> Iterator[c_ast.Assignment]:
    """The assignments inside branches."""
    for branch in (each for each in walk(node) if isinstance(each, c_ast.If)):
        for part in (branch.iftrue, branch.iffalse):
            yield from (a for a in walk(part) if isinstance(a, c_ast.Assignment)) if part is not None else ()


def _is_sum(node: Any) -> bool:
    return all(isinstance(part, _PARTS) and getattr(part, "op", "+") in _OPERATORS for part in walk(node))


def _is_number(symbol: Symbol) -> bool:
    return symbol.ctype.is_integer and symbol.is_scalar and not is_shared(symbol)


def is_complete(places: Iterable[Any], assigned: Iterable[Assigned]) -> bool:
    """Has every assignment been looked at?  Not those of loops that were too much work."""
    return {id(each.node) for each in assigned}.issuperset(map(id, places))


def known_of(value: Known, first: Known, assigned: Iterable[Assigned], loop: int) -> Fact | None:
    """What is known of a variable's value in, or after, the loop with a number.

    None where that is nothing: the loop assigns what it finds in memory.
    """
    if not isinstance(value, Affine) or not isinstance(first, Affine):
        return None
    atom, each = next(iter(value.atoms()), None), {a.value: a for a in assigned}
    if atom is None or value != Affine.of(atom) or len(each) > MOST_ASSIGNED:
        return None
    limits = [_limits(one, loop) for one in each.values()]
    cases = [
        Both((Compare(value - ends[0]), Compare(ends[1] - value))) for ends in limits if ends is not None
    ]
    return Fact((Both((Compare(value - first, True),)), *cases), atom) if len(cases) == len(limits) else None


def _limits(one: Assigned, loop: int) -> tuple[Affine, Affine] | None:
    """Between what a value lies, in whichever iteration it is assigned."""
    if not isinstance(one.value, Affine):
        return None
    inside = frozenset(number for number in one.value.loops if number >= loop)
    conditions = relevant((one.value,), tuple(c for c in one.facts if isinstance(c, Compare)))
    ends = [bounds(polynomial(one.value), inside, conditions, greatest=up) for up in (False, True)]
    return (affine(ends[0][0]), affine(ends[1][0])) if all(ends) else None
