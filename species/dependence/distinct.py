"""Cells that data chooses, one number for each iteration: `y[perm[i]]`, `x[3*cell[i] + d]`.

Where no two iterations find the same number, no two touch the same cell.  No text shows that; a pass over the
numbers does, before the loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from species.dependence.data_checks import AtMost, Distinct, at_most, element
from species.dependence.data_reads import is_left_alone, read_of
from species.dependence.exact.dependence_test import Dependence, meeting
from species.dependence.unsigned_limits import UnsignedLimits
from species.dependence.windows import is_wide, usually_met
from species.loops.model import Loop, Place, Reference
from species.loops.polynomials import Expansion, NoPolynomial, bounds, never_negative, scaled
from species.sets.affine import Affine, Atom
from species.sets.conditions import TRUE, Condition
from species.sets.products import ONE, Polynomial, added, affine, coefficient_of


def apart_by_numbers(
    loop: Loop, inner: frozenset[int], dependences: Sequence[Dependence], references: Sequence[Reference]
) -> tuple[Condition, list[Distinct | AtMost]] | None:
    """A condition on values that the loop does not change, and what must hold of numbers, so that none of the
    dependences exists; None: nothing of this kind helps.

    `inner` are the numbers of the loop and of those inside it, and `references` all that is in it.
    """
    needed: dict[Affine, None] = {}
    claims: dict[Distinct | AtMost, None] = {}
    for pair in dependences:
        ends = (pair.source, pair.sink)
        found = _distinct(loop, inner, *ends) if not loop.strided else None
        claimed = _claims(found, loop, references, ends) if found is not None else None
        if found is None or claimed is None:
            return None
        needed.update(dict.fromkeys(found.missing))
        claims.update(dict.fromkeys(claimed))
    sizes = {atom for each in needed for atom in each.atoms()}
    condition = usually_met(loop, needed, {a for a in sizes if is_wide(a)}) if needed else TRUE
    return (condition, [*claims]) if condition is not None else None


@dataclass(frozen=True)
class _Found:
    """What must not be negative, the numbers that must be distinct, and what numbers may be at most."""

    missing: tuple[Affine, ...]
    numbers: Place
    largest: Mapping[Place, int]


def _claims(
    found: _Found, loop: Loop, references: Sequence[Reference], ends: Sequence[Reference]
) -> list[Distinct | AtMost] | None:
    """What is asked of numbers wherever the loop makes a reference in `ends`; None: it cannot be asked."""
    read = read_of(found.numbers, loop, references)
    if read is None or read.length is not None or not is_left_alone(found.numbers, loop, references):
        return None
    limits = [at_most(place, most, loop, references, ends) for place, most in found.largest.items()]
    if None in limits or not all(map(read.is_made_by, ends)):
        return None
    return [*(each for each in limits if each is not None), Distinct(found.numbers, read.where)]


def _distinct(loop: Loop, inner: frozenset[int], source: Reference, sink: Reference) -> _Found | None:
    """What keeps the cells of two references apart."""
    for pair in meeting(source.place, sink.place) or ():
        both = [Expansion(each.conditions) for each in (source, sink)]
        try:
            terms = [_expanded(end, expansion) for end, expansion in zip(pair, both, strict=True)]
        except NoPolynomial:
            continue
        limits = UnsignedLimits(loop, inner, (*source.conditions, *sink.conditions))
        fitting = limits.needed([each for x in both for each in x.unsigned])
        test = _Pair(loop, inner, source, sink)
        for atom in dict.fromkeys(a for monomial in terms[0] for a in monomial):
            numbers = element(atom, loop)
            missing = test.missing(terms[0], terms[1], atom) if numbers is not None else None
            if numbers is not None and missing is not None and fitting is not None:
                return _Found((*missing, *filter(_is_open, fitting)), numbers, limits.largest)
    return None


def _is_open(needed: Affine) -> bool:
    return bool(needed.terms) or needed.constant < 0


def _expanded(subscript: Affine, expansion: Expansion) -> Polynomial:
    """A subscript as a polynomial; raises `NoPolynomial` where it rounds."""
    terms, whole = expansion.of_subscript(subscript)
    if whole != 1:
        raise NoPolynomial
    return terms


class _Pair:
    """Two subscripts `stride * number + rest`, the number being another one in every iteration."""

    def __init__(self, loop: Loop, inner: frozenset[int], source: Reference, sink: Reference) -> None:
        self._loop, self._inner = loop, inner
        self._conditions = (source.conditions, sink.conditions)

    def missing(self, first: Polynomial, second: Polynomial, number: Atom) -> list[Affine] | None:
        """What must not be negative, so that the stride is longer than the rests are apart."""
        stride = coefficient_of(first, number)
        moves = any(atom.loops & self._inner for monomial in stride for atom in monomial)
        if moves or coefficient_of(second, number) != stride or _is_squared(number, first, second):
            return None
        rests = [{m: c for m, c in terms.items() if number not in m} for terms in (first, second)]
        for sign in (1, -1):
            sides = [self._longer(scaled(stride, sign), rests, above) for above in (0, 1)]
            if sides[0] is not None and sides[1] is not None:
                return [*sides[0], *sides[1]]
        return None

    def _longer(self, stride: Polynomial, rests: Sequence[Polynomial], above: int) -> list[Affine] | None:
        """That a stride is longer than one rest is above the other, as far as that is not known."""
        below = 1 - above
        tops = bounds(rests[above], self._inner, self._conditions[above], greatest=True)
        bottoms = bounds(rests[below], self._inner, self._conditions[below], greatest=False)
        longer = [
            added(added(added(stride, top, -1), bottom), {ONE: 1}, -1) for top in tops for bottom in bottoms
        ]
        if any(never_negative(each, self._loop.conditions) for each in longer):
            return []
        return next(([needed] for needed in map(affine, longer) if needed.terms), None)


def _is_squared(number: Atom, *sides: Polynomial) -> bool:
    return any(monomial.count(number) > 1 for terms in sides for monomial in terms)
