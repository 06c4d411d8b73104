"""Characterisations of flattened arrays, `a[i * n + j]`: strides are values that the nest leaves alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from species.loops.model import Loop, Reference
from species.regions.bounds import Interval
from species.regions.flattened import Flattened, Span
from species.sets.affine import Affine, Counter
from species.sets.conditions import Condition
from species.sets.products import ONE, Polynomial, added, affine, coefficient_of, multiplied, polynomial

Step = Fraction | Affine  # an expression where the stride is a value: `a[i * n + j]` moves by n


@dataclass(frozen=True)
class Strided:
    """What is known of one dimension; `why` says why it is over-approximated (nothing: it is not)."""

    domain: Interval
    elements: Affine
    offset: Affine | None
    why: str


def stride_of(subscript: Affine, counter: Counter) -> Step:
    """How far the subscript moves from one iteration to the next."""
    found = affine(coefficient_of(polynomial(subscript), counter))
    return Fraction(found.constant) if found.is_constant else found


def flattened(
    reference: Reference,
    position: int,
    loops: tuple[Loop, ...],
    base: set[int],
    provided: tuple[Condition, ...],
) -> Strided | None:
    """The dimension at a position, strides being taken not to be negative where nobody knows; None where
    there are no bounds.

    `loops` are those of the nest, outermost first, `base` the numbers of base loops; the conditions in
    `provided` hold where the nest runs.
    """
    side = Flattened((reference,), position, frozenset(loop.number for loop in loops), provided)
    limits, span = side.limits(), side.span
    if limits is None or span is None or not all(isinstance(c, Counter) for c in span.coefficients):
        return None
    inner = [c for c in span.coefficients if isinstance(c, Counter) and c.loop not in base]
    elements: Polynomial = {ONE: 1}
    for counter in inner:
        moved = polynomial(span.high[counter] - span.low[counter])
        elements = added(elements, multiplied(span.coefficients[counter], moved))
    offset = _offset(reference.place.subscripts[position], loops, base, span)
    return Strided(limits, affine(elements), offset, _why(side, span))


def _why(side: Flattened, span: Span) -> str:
    if span.unsigned:
        return "the sign of a stride is not known"
    return "" if side.is_exact() else "condition"


def _offset(subscript: Affine, loops: tuple[Loop, ...], base: set[int], span: Span) -> Affine | None:
    """The least subscript of an iteration, the base iterators taken off; None where it has no such part."""
    rest = polynomial(subscript)
    for loop in reversed(loops):
        coefficient = coefficient_of(rest, loop.counter)
        start = polynomial(span.low.get(loop.counter, Affine()))
        if loop.number in base:
            if any(c % loop.step for c in coefficient.values()):
                return None
            per_step = {m: c // loop.step for m, c in coefficient.items()}
            rest, start = added(rest, multiplied(per_step, polynomial(loop.lower)), -1), {}
        moving = added(start, polynomial(Affine.of(loop.counter)), -1)
        rest = added(rest, multiplied(coefficient, moving))
    offset = affine(rest)
    return None if offset.loops & {loop.number for loop in loops} else offset
