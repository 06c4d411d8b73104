"""Counted loops: finds iterator, step and bound of a `for`, or says why there are none."""

from __future__ import annotations

from math import prod

from species.loops.model import Loop
from species.sets.affine import Affine, Atom, Counter, Value, constant
from species.sets.conditions import Both, Compare, Condition, Either, Unknown, leaves
from species.sets.domains import implied

MAX_ENUMERATED = 100_000


def bound_of(loop: Loop, condition: Condition, facts: tuple[Condition, ...], alone: bool) -> Condition | str:
    """The condition as a bound on the loop's counter, or the sentence that says why it is none.

    `alone` says that nothing else ends the loop.
    """
    distance = inequality(condition)
    if distance is not None:
        return _until_equal(loop, distance, facts, alone)
    if isinstance(condition, Both) and condition.parts:
        parts = [bound_of(loop, part, facts, alone=False) for part in condition.parts]
        bad = next((p for p in parts if isinstance(p, str)), None)
        return bad if bad else Both(tuple(p for p in parts if not isinstance(p, str)))
    if isinstance(condition, Unknown):
        return f"its condition is not affine ({condition.why})"
    if not isinstance(condition, Compare) or condition.equal:
        return _disjunction(loop, condition)
    return _check(loop, condition)


def _check(loop: Loop, condition: Compare) -> Condition | str:
    if loop.number in _other_loops(loop, condition.expression):
        return _enumerate(loop, condition) or _why_moving(loop, condition.expression)
    if condition.expression.coefficient(loop.counter) >= 0:
        return "its condition does not end it: the iterator moves away from the bound"
    return condition


def _why_moving(loop: Loop, compared: Affine) -> str:
    """Why a comparison is no bound in which more than the counter moves."""
    for atom, _ in compared.terms:
        computed = isinstance(atom, Value) and atom.parts and loop.number in atom.loops
        if computed and isinstance(atom, Value) and atom.ctype.unsigned:
            return f"its condition compares as '{atom.ctype.text}', in which numbers may wrap around"
    return "its bound changes inside the loop, or is not affine"


def _disjunction(loop: Loop, condition: Condition) -> Condition | str:
    """`i < (c ? a : b)`: every leaf must be a bound or not speak of the loop at all."""
    for leaf in leaves(condition):
        if isinstance(leaf, Unknown):
            return f"its condition is not affine ({leaf.why})"
        free = loop.number not in leaf.expression.loops
        if not free and (leaf.equal or isinstance(_check(loop, leaf), str)):
            return "its condition is no bound on the iterator"
    return condition


def inequality(condition: Condition) -> Affine | None:
    """What the condition says is not zero, if that is what it says."""
    if not isinstance(condition, Either) or len(condition.parts) != 2:
        return None
    first, second = condition.parts
    if not isinstance(first, Compare) or not isinstance(second, Compare) or first.equal or second.equal:
        return None
    distance = first.expression + 1  # leaves of != are d - 1 >= 0 and -d - 1 >= 0
    return distance if second.expression == -distance - 1 else None


def _until_equal(loop: Loop, distance: Affine, facts: tuple[Condition, ...], alone: bool) -> Condition | str:
    """`i != n` ends at n if the steps hit n.

    A start beyond n would overflow, which signed types cannot, unless something else ends the loop before.
    """
    coefficient = distance.coefficient(loop.counter)
    towards = distance if coefficient < 0 else -distance
    first = towards + Affine.of(loop.counter, abs(coefficient))
    if not coefficient or loop.number in _other_loops(loop, distance):
        return "its condition is !=, and its bound is not fixed"
    if any(number % coefficient for number in (first.constant, *(c for _, c in first.terms))):
        return "its condition is !=, and the step is not one"
    if loop.stride is not None and not (alone and implied(Compare(loop.stride - 1), facts)):
        return "its condition is !=, and the step is not one"
    wraps = loop.iterator is not None and loop.iterator.ctype.wraps_around
    if (wraps or not alone) and not implied(Compare(first), facts):
        return "its condition is !=, and its iterator may start beyond the bound, or wrap around"
    return Compare(towards - 1)


def again_bound(loop: Loop, bound: Condition, facts: tuple[Condition, ...]) -> Condition | str:
    """The bound of a `do`, whose condition decides at the end of an iteration whether there is another."""
    if not isinstance(bound, Compare):
        return "its condition is no single comparison"
    width = -bound.expression.coefficient(loop.counter)
    earlier = Compare(bound.expression + width)
    first = Compare(earlier.expression + Affine.of(loop.counter, width))
    if loop.meets_bound or implied(first, facts):
        return earlier
    return Either((Compare(-Affine.of(loop.counter)), earlier))


def is_linear(loop: Loop, condition: Condition) -> bool:
    """Does one comparison with what the loop does not change decide?"""
    return isinstance(condition, Compare) and loop.number not in _other_loops(loop, condition.expression)


def _other_loops(loop: Loop, expression: Affine) -> frozenset[int]:
    """The loops that move the expression otherwise than through this loop's counter."""
    return frozenset().union(*(a.loops for a, _ in expression.terms if a != loop.counter))


def _enumerate(loop: Loop, condition: Compare) -> Condition | None:
    """A bound of constants only, such as `i < 8 - i*i`, is solved by counting (figure 3.21)."""
    for trip in range(MAX_ENUMERATED):
        value = value_at(condition.expression, loop.counter, trip)
        if value is None:
            return None
        if value < 0:
            return Compare(-Affine.of(loop.counter) + (trip - 1))
    return None


def value_at(expression: Affine, counter: Counter, trip: int) -> int | None:
    """The value in one iteration of the only loop that the expression depends on; None if unknown."""
    total = expression.constant
    for atom, coefficient in expression.terms:
        value = _atom_value(atom, counter, trip)
        if value is None:
            return None
        total += coefficient * value
    return total


def _atom_value(atom: Atom, counter: Counter, trip: int) -> int | None:
    if atom == counter:
        return trip
    if isinstance(atom, Value) and atom.key[:2] == ("op", "*"):
        factors = [value_at(p, counter, trip) for p in atom.parts]
        value = None if None in factors else prod(f for f in factors if f is not None)
        low, high = atom.ctype.value_range
        return value if value is not None and low <= value <= high else None
    return None


def start(loop: Loop) -> Affine:
    """The iterator's value in the iteration of the loop's counter."""
    return loop.lower + Affine.of(loop.counter, loop.step) if loop.iterator else constant(0)
