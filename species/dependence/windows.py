"""Iterations that stay within windows of their own: `[i*n + a, i*n + b]` with b - a < n.

A test of the sizes shows that of flattened arrays whose inner loops count to other sizes than the one that
the rows are apart: `x < in->width` in an array of `out->pitch` columns.  Nothing has to be known of what is
touched inside a window, in how many dimensions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import gcd, prod

from species.dependence.exact.dependence_test import Dependence
from species.loops.model import Loop, Reference
from species.loops.unsigned_bounds import LARGEST
from species.regions.flattened import Flattened
from species.sets.affine import Affine, Atom, Division, Value
from species.sets.conditions import Both, Compare, Condition
from species.sets.domains import implied, satisfiable
from species.sets.products import (
    ONE,
    Polynomial,
    added,
    affine,
    coefficient_of,
    factors,
    leading,
    multiplied,
    polynomial,
)

MOST = 4  # comparisons
_FEW, _SIZE, _LARGEST = 8, 64, 2**16  # of what a size is taken for, where no number is in its place


def apart_in_windows(
    loop: Loop, inner: frozenset[int], dependences: Sequence[Dependence]
) -> Condition | None:
    """A condition on values that the loop does not change, under which none of the dependences exists.

    None: there is none, or none that a program ever meets.
    """
    references = list(dict.fromkeys(r for d in dependences for r in (d.source, d.sink)))
    found = [_taken_apart(loop, inner, reference) for reference in references]
    if not found or any(each is None or each[0] != (found[0] or each)[0] for each in found):
        return None
    stride = dict(found[0][0]) if found[0] is not None else {}
    inside = [each[1] for each in found if each is not None]
    signs = tuple(Compare(s.expression - 1) for each in inside for s in Flattened((each,), 0, inner).signs())
    limits = Flattened(inside, 0, inner, signs).limits()
    if limits is None or any(e.loops & inner for bound in limits for e in bound.options):
        return None
    sign = 1 if stride[leading(stride)] > 0 else -1
    distance = affine(stride).scaled(sign)
    needed = [linear(distance - (high - low) - 1) for low in limits[0].options for high in limits[1].options]
    strides = {atom for monomial in stride for atom in monomial}
    return usually_met(
        loop, [*(sign.expression for sign in signs), *_hardest(loop, needed, distance)], strides
    )


def linear(expression: Affine) -> Affine:
    """One that is no larger, with fewer quotients: `8 * (n / 8)` is at most n, and at least n - 7."""
    total = Affine(constant=expression.constant)
    for atom, coefficient in expression.terms:
        whole = isinstance(atom, Division) and not atom.remainder and coefficient % atom.divisor == 0
        if whole and isinstance(atom, Division):
            rest = atom.divisor - 1 if coefficient > 0 else 0
            total += (atom.numerator - rest).scaled(coefficient // atom.divisor)
        else:
            total += Affine.of(atom, coefficient)
    return total


def _hardest(loop: Loop, needed: Sequence[Affine], distance: Affine) -> list[Affine]:
    """Those of several expressions that are not negative only where all of them are not, and the distance
    is not.
    """
    known = (*loop.conditions, Compare(distance))
    left = list(dict.fromkeys(needed))
    for each in [*left]:
        others = (other for other in left if other is not each)
        if any(implied(Compare(each - other), known) for other in others):
            left.remove(each)
    if len(left) == len(set(needed)):
        return left
    unit = gcd(distance.constant, *(coefficient for _, coefficient in distance.terms))
    terms = frozenset((atom, coefficient // unit) for atom, coefficient in distance.terms)
    return [Affine(terms, distance.constant // unit), *left]


def _taken_apart(
    loop: Loop, inner: frozenset[int], reference: Reference
) -> tuple[Polynomial, Reference] | None:
    """How far the windows of two iterations are apart, and the reference in the window of the first one."""
    place = reference.place
    if place.loose or place.flat is not None or len(place.path) != 1 or not isinstance(place.path[0], Affine):
        return None
    terms = polynomial(place.path[0])
    stride = coefficient_of(terms, loop.counter)
    rest = added(terms, multiplied(stride, polynomial(Affine.of(loop.counter))), -1)
    moves = any(atom.loops & inner for monomial in stride for atom in monomial)
    if moves or not set(stride) - {ONE} or any(loop.counter in monomial for monomial in rest):
        return None
    return stride, replace(reference, place=replace(place, path=(affine(rest),)))


def usually_met(loop: Loop, needed: Iterable[Affine], strides: Collection[Atom]) -> Condition | None:
    """That none of the expressions is negative, as far as that is not known; None: it never is so, or never
    where sizes are about the same.

    Nor may a value of type `size_t` be a negative number in disguise.
    """
    needed = tuple(needed)
    values = dict.fromkeys((*strides, *(f for e in needed for a in e.atoms() for f in factors(a))))
    wide = list(filter(is_wide, values))
    open_ = _weakest([Compare(e) for e in dict.fromkeys(needed)], loop.conditions)
    if len(open_) > MOST or any(not c.expression.terms for c in open_):
        return None
    guards = [Compare(-Affine.of(v) + LARGEST) for v in wide]
    open_ += _weakest([guard for guard in guards if guard not in open_], (*loop.conditions, *open_))
    if not satisfiable((*loop.conditions, *open_)):
        return None
    expressions = [c.expression for c in open_]
    met = (
        all(_value(each, apart, size) >= 0 for each in expressions)
        for size in _usual(expressions)
        for apart in _apart(strides, size)
    )
    return Both(tuple(open_)) if any(met) else None


def _apart(strides: Collection[Atom], size: int) -> Iterator[dict[Atom, int]]:
    """What strides are taken for: as sizes are, a bit more, or one is a few cells, as of a pixel in a row."""
    for wide in (size, size * 9 // 8):
        yield dict.fromkeys(strides, wide)
    for small in strides if len(strides) > 1 else ():
        yield {each: _FEW if each == small else _FEW * size * 9 // 8 for each in strides}


def _usual(expressions: Iterable[Affine]) -> tuple[int, int]:
    """What sizes are taken for; and a bit more than the numbers that stand in the place of some."""
    numbers = (abs(e.constant) for e in expressions)
    return _SIZE, max([_SIZE, *(number + 1 for number in numbers if number < _LARGEST)])


def _weakest(conditions: list[Compare], known: tuple[Condition, ...]) -> list[Compare]:
    """Those of the conditions that are not known, and do not follow from the others."""
    open_ = [each for each in conditions if not implied(each, known)]
    for each in [*open_]:
        others = [other for other in open_ if other is not each]
        if others and implied(each, (*known, *others)):
            open_ = others
    return open_


def is_wide(atom: Atom) -> bool:
    """May it be a negative number in disguise?"""
    return isinstance(atom, Value) and atom.ctype.unsigned and atom.ctype.bits == 64


def _value(expression: Affine, sizes: Mapping[Atom, int], usual: int) -> int:
    """The value where sizes are what they are taken for, others the usual one."""
    total = expression.constant
    for atom, coefficient in expression.terms:
        if isinstance(atom, Division):
            whole = divmod(_value(atom.numerator, sizes, usual), atom.divisor)
            total += coefficient * whole[atom.remainder]
        else:
            total += coefficient * prod(sizes.get(each, usual) for each in factors(atom))
    return total
