"""Delinearisation: equal subscripts `i*n + j` of flattened arrays as equal rows and equal columns.

Where |h - h'| < N for all iterations, `N*g + h = N*g' + h'` holds only if g = g' and h = h'.  The stride
N is a sum of products that the loop does not change; nothing is assumed of its sign.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from math import gcd, inf

from species.core.memo import kept, remembered
from species.loops.polynomials import bounds, is_plausible
from species.sets.affine import Affine, Atom, Counter, Division, Value, order
from species.sets.conditions import Compare, Condition, Fact, rewritten
from species.sets.domains import implied, implied_by_multiples
from species.sets.products import (
    ONE,
    Monomial,
    Polynomial,
    added,
    affine,
    coefficient_of,
    divided,
    leading,
    polynomial,
    renamed,
)

Equation = tuple[Affine, Affine]  # of the earlier and of the later iteration
MAX_STRIDES = 6


@dataclass(frozen=True)
class Split:
    """Equations that say the same, provided that all of `assumed` are never negative.

    Atoms of the later iteration that the loop moves are renamed in `assumed` (see `later`).
    """

    equations: tuple[Equation, ...]
    assumed: tuple[Affine, ...] = ()


@remembered(20_000)
def split(
    equation: Equation,
    inner: frozenset[int],
    source: tuple[Condition, ...],
    sink: tuple[Condition, ...],
    assume: bool = False,
    depth: int = 0,
) -> Split:
    """The equation with every symbolic stride taken apart for which that is proved.

    With `assume`, also where it is not proved; what is missing is in the result's `assumed`.  Where the
    conditions contradict each other, all is proved, again and again: `depth` ends that.
    """
    if depth > MAX_STRIDES:
        return Split((equation,))
    facts = (*source, *(later_condition(c, inner) for c in sink))
    bounded = {condition.value for condition in facts if isinstance(condition, Fact)}
    open_attempts: list[tuple[bool, Equation, Equation, tuple[Affine, ...]]] = []
    for stride, rows, columns, window in _attempts(equation, inner):
        missing = tuple(e for e in window if not _holds(Compare(e), facts))
        if not missing:
            return _joined((rows, columns), inner, source, sink, assume, depth)
        if assume:
            fixed = _without_counters(missing, inner, bounded, facts)
            open_attempts += [(set(stride) == {ONE}, rows, columns, fixed)] if fixed is not None else []
    if not open_attempts:
        return Split((equation,))
    # Every second element need not be a row of two: what is assumed of sizes comes first.  Of two sizes, that
    # of the outer loop's steps is the larger one.
    _, rows, columns, missing = min(open_attempts, key=lambda attempt: (attempt[0], -_outermost(attempt[2])))
    return _joined((rows, columns), inner, source, sink, assume, depth, missing)


def _outermost(equation: Equation) -> float:
    """The number of the outermost loop that moves it; loops inside have greater ones."""
    return min((abs(loop) for side in equation for a in side.atoms() for loop in a.loops), default=inf)


def _without_counters(
    missing: tuple[Affine, ...],
    inner: frozenset[int],
    bounded: Collection[Atom],
    facts: tuple[Condition, ...],
) -> tuple[Affine, ...] | None:
    """What is missing, in terms of values that no loop moves where it is not affine in the counters."""
    if not any(moves_freely(e, inner, bounded) for e in missing):
        return missing
    positive = tuple(Affine.of(size) - 1 for size in _sizes(missing, inner))
    for known, assumed in (((), ()), (tuple(map(Compare, positive)), positive)):
        held = (*facts, *known)
        found = [least(e, inner, held) if moves_freely(e, inner, bounded) else e for e in missing]
        fixed = (*(e for e in found if e is not None), *assumed)
        if None not in found and is_plausible(fixed):
            return fixed
    return None


def _sizes(expressions: Iterable[Affine], inner: frozenset[int]) -> list[Atom]:
    """The values that no loop moves and that counters are multiplied with."""
    moving = inner | {-number for number in inner}
    products = (
        m for e in expressions for m in polynomial(e) if len(m) > 1 and any(f.loops & moving for f in m)
    )
    return list(dict.fromkeys(f for monomial in products for f in monomial if not f.loops & moving))


def least(expression: Affine, inner: frozenset[int], facts: tuple[Condition, ...]) -> Affine | None:
    """A bound from below that no loop moves: of `w - h*m`, with h < n, it is `w - (n - 1)*m`."""
    moving = inner | {-number for number in inner}
    found = bounds(polynomial(expression), moving, facts, greatest=False)
    return affine(found[0]) if found else None


def _holds(claim: Compare, facts: tuple[Condition, ...]) -> bool:
    return implied(claim, facts) or implied_by_multiples(claim, facts)


def _joined(
    pair: tuple[Equation, Equation],
    inner: frozenset[int],
    source: tuple[Condition, ...],
    sink: tuple[Condition, ...],
    assume: bool,
    depth: int,
    missing: tuple[Affine, ...] = (),
) -> Split:
    parts = [split(e, inner, source, sink, assume, depth + 1) for e in pair]
    equations = tuple(e for part in parts for e in part.equations)
    return Split(equations, (*missing, *(e for part in parts for e in part.assumed)))


def _attempts(
    equation: Equation, inner: frozenset[int]
) -> Iterator[tuple[Polynomial, Equation, Equation, tuple[Affine, Affine]]]:
    """Ways to write both sides as N*g + h: N, the g, the h, and what must not be negative."""
    first, second = (polynomial(side) for side in equation)
    for stride in _both_signs([*_buffers(equation, inner), *strides(equation, inner)]):
        (g, h), (g2, h2) = divided(first, stride), divided(second, stride)
        for shift in (0, 1, -1):
            moved_g2 = added(g2, {ONE: 1}, -shift)
            moved_h2 = added(h2, stride, shift)
            gap = affine(h) - later(affine(moved_h2), inner)
            below = affine(stride) - 1
            yield (
                stride,
                (affine(g), affine(moved_g2)),
                (affine(h), affine(moved_h2)),
                (below - gap, below + gap),
            )


def _both_signs(found: Iterable[Polynomial]) -> Iterator[Polynomial]:
    """The strides, and the opposite of those of which the text shows no sign: `h - r + 1`."""
    for stride in found:
        yield stride
        if any(c < 0 for c in stride.values()):
            yield {m: -c for m, c in stride.items()}


def strides(subscripts: Iterable[Affine], inner: frozenset[int]) -> list[Polynomial]:
    """What parts of the subscripts are multiplied with that the loops in `inner` move, simplest first.

    Numbers are among them only beside products: integer sets know what to do with those alone.
    """
    found: dict[frozenset[tuple[Monomial, int]], Polynomial] = {}
    for side in subscripts:
        for stride in _coefficients(polynomial(side), inner).values():
            positive = _positive(stride)
            if positive != {ONE: 1}:
                found[frozenset(positive.items())] = positive
    if not any(set(stride) - {ONE} for stride in found.values()):
        return []
    return sorted(found.values(), key=_simplicity)[:MAX_STRIDES]


def _buffers(equation: Equation, inner: frozenset[int]) -> list[Polynomial]:
    """What numbers that differ between both sides, and stand still, are multiplied with: `now*n + i`, where
    the other side has `(1 - now)*n + i`.
    """
    between = polynomial(equation[0] - equation[1])
    fixed = {m: c for m, c in between.items() if len(m) > 1 and not any(_moves(f, inner) for f in m)}
    found: dict[frozenset[tuple[Monomial, int]], Polynomial] = {}
    for factor in dict.fromkeys(f for monomial in fixed for f in monomial):
        stride = coefficient_of(fixed, factor)
        if stride:
            common = gcd(*stride.values())  # of n and of 2*n, `(1 - now)*n` is a multiple of the first
            positive = _positive({m: c // common for m, c in stride.items()})
            found[frozenset(positive.items())] = positive
    return sorted(found.values(), key=_wholeness)[:MAX_STRIDES]


def _positive(stride: Polynomial) -> Polynomial:
    sign = 1 if stride[leading(stride)] > 0 else -1
    return {m: sign * c for m, c in stride.items()}


def _moves(atom: Atom, inner: frozenset[int]) -> bool:
    return bool(atom.loops & inner) or isinstance(atom, Counter)


def _wholeness(stride: Polynomial) -> tuple[object, ...]:
    """A whole buffer first, of all its sizes: `w*h` is more likely than w is."""
    return len(stride), -len(leading(stride)), *_simplicity(stride)


def _simplicity(stride: Polynomial) -> tuple[object, ...]:
    lead = leading(stride)
    return len(lead), len(stride), stride[lead], [order(f) for f in lead]


def _coefficients(terms: Polynomial, inner: frozenset[int]) -> dict[Monomial, Polynomial]:
    """For every product of counters and other atoms that the loop moves, what it is multiplied with."""
    found: dict[Monomial, Polynomial] = {}
    for monomial, coefficient in terms.items():
        moving = tuple(f for f in monomial if _moves(f, inner))
        fixed = tuple(f for f in monomial if f not in moving)
        if moving:
            found[moving] = added(found.get(moving, {}), {fixed: coefficient})
    return found


def moves_freely(expression: Affine, inner: frozenset[int], bounded: Collection[Atom] = ()) -> bool:
    """Is it no affine function of the counters in `inner`, and of values that are known to be `bounded`?"""
    moving = (a for a in expression.atoms() if a.loops & inner and a not in bounded)
    return any(not isinstance(a, Counter | Division) for a in moving)


# The later iteration


def later(expression: Affine, inner: frozenset[int]) -> Affine:
    """The expression with new names for all that the loops in `inner` move."""
    return renamed(expression, lambda atom: _later_atom(atom, inner))


def _later_atom(atom: Atom, inner: frozenset[int]) -> Atom:
    if isinstance(atom, Division) or not atom.loops & inner:
        return atom
    if isinstance(atom, Counter):
        return Counter(-atom.loop)
    return Value(("later", *atom.key), atom.loops, atom.text, atom.ctype, atom.why)


@kept(20_000)
def later_condition(condition: Condition, inner: frozenset[int]) -> Condition:
    return rewritten(condition, lambda expression: later(expression, inner))
