"""Cells that data chooses, one number for each iteration: `y[perm[i]]`, `x[3*cell[i] + d]`.

Where no two iterations find the same number, no two touch the same cell.  No text shows that; a pass over the
numbers does, before the loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from species.dependence.data_checks import AtMost, Distinct, at_most, element
from species.dependence.data_reads import read_of
from species.dependence.exact.dependence_test import Dependence, meeting
from species.dependence.windows import is_wide, usually_met
from species.loops.model import Loop, Place, Reference
from species.loops.polynomials import Expansion, NoPolynomial, bounds, largest_fitting, never_negative, scaled
from species.sets.affine import Affine, Atom
from species.sets.conditions import TRUE, Condition
from species.sets.products import ONE, Polynomial, added, affine, coefficient_of

_ANY = 2**63 - 1  # numbers that are larger have no sign


def apart_by_numbers(
    loop: Loop, inner: frozenset[int], dependences: Sequence[Dependence], references: Sequence[Reference]
) -> tuple[Condition, list[Distinct | AtMost]] | None:
    """A condition on values that the loop does not change, and what must hold of numbers, so that none of the
    dependences exists; None: nothing of this kind helps.

    `inner` are the numbers of the loop and of those inside it, and `references` all that is in it.
    """
    needed: dict[Affine, None] = {}
    limits: dict[Place, int] = {}  # of the numbers, as far as there are some
    for pair in dependences:
        found = _distinct(loop, inner, pair.source, pair.sink) if not loop.strided else None
        if found is None:
            return None
        needed.update(dict.fromkeys(found.missing))
        for place, most in found.most.items():
            limits[place] = min(most, limits.get(place, most))
    ends = [r for d in dependences for r in (d.source, d.sink)]
    claims = [each for place, most in limits.items() for each in _claims(place, most, loop, references, ends)]
    if not claims:
        return None
    sizes = {atom for each in needed for atom in each.atoms()}
    condition = usually_met(loop, needed, {a for a in sizes if is_wide(a)}) if needed else TRUE
    return (condition, claims) if condition is not None else None


def _claims(
    place: Place, most: int, loop: Loop, references: Sequence[Reference], ends: Sequence[Reference]
) -> list[Distinct | AtMost]:
    """That the numbers at a place are distinct, and not too large, wherever the loop makes a reference in
    `ends`; none if that cannot be asked.
    """
    read = read_of(place, loop, references)
    bounded = at_most(place, most, loop, references, ends)
    if read is None or read.length is not None or bounded is None:
        return []
    return [*([bounded] if most < _ANY else []), Distinct(place, read.where)]


@dataclass(frozen=True)
class _Found:
    """What must not be negative, and the numbers that must be distinct, with what they may be at most."""

    missing: tuple[Affine, ...]
    most: Mapping[Place, int]


def _distinct(loop: Loop, inner: frozenset[int], source: Reference, sink: Reference) -> _Found | None:
    """What keeps the cells of two references apart."""
    for pair in meeting(source.place, sink.place) or ():
        both = [Expansion(each.conditions) for each in (source, sink)]
        try:
            terms = [_expanded(end, expansion) for end, expansion in zip(pair, both, strict=True)]
        except NoPolynomial:
            continue
        test = _Pair(loop, inner, source, sink)
        for atom in dict.fromkeys(a for monomial in terms[0] for a in monomial):
            numbers = element(atom, loop)
            missing = test.missing(terms[0], terms[1], atom) if numbers is not None else None
            limits = test.limits([each for x in both for each in x.unsigned], atom)
            if numbers is not None and missing is not None and limits is not None:
                return _Found((*missing, *limits[0]), {numbers: limits[1]})
    return None


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

    def limits(
        self, products: Sequence[tuple[Polynomial, int]], number: Atom
    ) -> tuple[list[Affine], int] | None:
        """What must not be negative, and what the number may be at most, so that what is computed without a
        sign fits its type.
        """
        needed, most = list[Affine](), _ANY
        for terms, bits in products:
            limit = largest_fitting(terms, bits)
            for atom in dict.fromkeys(a for monomial in terms for a in monomial):
                if atom == number:
                    most = min(most, limit)
                    continue
                facts = (*self._conditions[0], *self._conditions[1])
                tops = map(affine, bounds({(atom,): 1}, self._inner, facts, greatest=True))
                top = next((each for each in tops if not each.loops & self._inner), None)
                if top is None:
                    return None
                needed.append(-top + limit)
        return [each for each in needed if each.terms or each.constant < 0], most


def _is_squared(number: Atom, *sides: Polynomial) -> bool:
    return any(monomial.count(number) > 1 for terms in sides for monomial in terms)
