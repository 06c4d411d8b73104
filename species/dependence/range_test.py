"""The range test, for triangular arrays (Blume and Eigenmann, "The range test", Supercomputing 1994).

What an iteration touches lies in a range, whose ends are polynomials in the loop's counter.  Where each range
begins behind the end of the one before, no two iterations meet: `a[i*(i + 1)/2 + j]` with j <= i.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from species.dependence.data_checks import Chunks, Claim, are_kept, at_most, element
from species.dependence.exact.dependence_test import Dependence, meeting
from species.dependence.segments import asked, in_order, without_implied
from species.dependence.unsigned_limits import UnsignedLimits, opaque, told_bounds
from species.dependence.windows import is_wide, usually_met
from species.loops.model import Loop, Place, Reference
from species.loops.polynomials import (
    Expansion,
    NoPolynomial,
    degree,
    growth,
    never_negative,
    scaled,
    without,
)
from species.loops.unsigned_bounds import LARGEST
from species.sets.affine import Affine, Atom, Value
from species.sets.conditions import TRUE, Compare, Condition, rewritten
from species.sets.domains import implied
from species.sets.products import ONE, Polynomial, added, affine

Facts = tuple[Condition, ...]


def apart_in_ranges(
    loop: Loop, inner: frozenset[int], dependences: Sequence[Dependence], references: Sequence[Reference]
) -> tuple[Condition, list[Claim]] | None:
    """A condition on values that the loop does not change, and what it reads that must be in order, so that
    none of the dependences exists.

    None: there is none, or none that a program ever meets.  `inner` are the numbers of the loop and of those
    inside it, and `references` all that is in it.
    """
    claims: dict[Affine, None] = {}
    largest: dict[Place, int] = {}
    filled = set[Place]()
    for pair in dependences:
        test = _RangeTest(loop, inner, pair.source, pair.sink)
        found = test.needed() if not loop.strided else None
        if found is None:
            return None
        claims.update(dict.fromkeys(found))
        filled |= test.filled
        for place, most in test.limits.largest.items():
            largest[place] = min(most, largest.get(place, most))
    ordered = without_implied([each for claim in claims if (each := asked(claim, loop)) is not None])
    ordered = [replace(c, filled=c.lengths in filled) if isinstance(c, Chunks) else c for c in ordered]
    if filled - {claim.lengths for claim in ordered if isinstance(claim, Chunks)}:
        return None
    ends = [r for d in dependences for r in (d.source, d.sink)]
    bounded = [at_most(place, most, loop, references, ends) for place, most in largest.items()]
    limits = [limit for limit in bounded if limit is not None]
    if len(limits) < len(bounded):
        return None
    if not are_kept(ordered, loop, references, ends):
        return None
    condition = _on_values(loop, [claim for claim in claims if asked(claim, loop) is None])
    return (condition, [*limits, *ordered]) if condition is not None else None


def _on_values(loop: Loop, needed: Sequence[Affine]) -> Condition | None:
    """That none of the values is negative, if a program meets that."""
    wide = [v for v in dict.fromkeys(a for e in needed for a in e.atoms()) if is_wide(v)]
    small = tuple(Compare(-Affine.of(v) + LARGEST) for v in wide)
    left = [e for e in _strongest(needed) if not implied(Compare(e), (*loop.conditions, *small))]
    return usually_met(loop, left, wide) if needed else TRUE


def _strongest(needed: Iterable[Affine]) -> list[Affine]:
    """Those that are not negative only where no others are that differ in their constants."""
    least: dict[frozenset[tuple[Atom, int]], int] = {}
    for each in needed:
        least[each.terms] = min(each.constant, least.get(each.terms, each.constant))
    return [Affine(terms, constant) for terms, constant in least.items()]


class _RangeTest:
    """Two references to one object, the sink in a later iteration of the loop than the source."""

    def __init__(self, loop: Loop, inner: frozenset[int], source: Reference, sink: Reference) -> None:
        self._loop, self._inner = loop, inner
        self._differences: dict[Affine, None] = {}
        self._ends = tuple(self._plain(end) for end in (source, sink))
        self._domain = (*loop.conditions, loop.bound)
        self._counters = inner - {loop.number}
        facts = (*self._ends[0].conditions, *self._ends[1].conditions)
        self.limits = UnsignedLimits(loop, inner, facts)
        self.filled = set[Place]()  # lengths that must be positive

    def needed(self) -> list[Affine] | None:
        """What must not be negative, so that the ranges follow one another; None: nothing helps."""
        for pair in meeting(self._ends[0].place, self._ends[1].place) or ():
            both = [Expansion(end.conditions) for end in self._ends]
            try:
                (first, one), (second, other) = (x.of_subscript(e) for x, e in zip(both, pair, strict=True))
            except NoPolynomial:
                continue
            if not (self._is_beyond(first) or self._is_beyond(second)):
                continue  # other tests know more of those
            limits = self.limits.needed([each for x in both for each in x.unsigned])
            missing = self._following(scaled(first, other), scaled(second, one))
            if missing is None:
                missing = self._following(scaled(first, -other), scaled(second, -one))
            if missing is not None and limits is not None:
                return [*missing, *limits, *self._differences]
        return None

    def _plain(self, reference: Reference) -> Reference:
        """The reference with differences of sizes as they are where they do not wrap around."""

        def plain(atom: Atom) -> Affine | None:
            wide = isinstance(atom, Value) and atom.ctype.unsigned and atom.ctype.bits == 64
            if not wide or not isinstance(atom, Value) or atom.key[:2] != ("op", "-"):
                return None
            difference = atom.parts[0] - atom.parts[1]
            if in_order(difference, self._loop) is None:
                return None
            self._differences[difference] = None
            return difference

        conditions = tuple(rewritten(c, lambda e: e.substitute(plain)) for c in reference.conditions)
        return replace(reference, conditions=conditions)

    def _is_beyond(self, terms: Polynomial) -> bool:
        """Is it no affine function of the loop's counter?"""
        return degree(terms, self._loop.counter) > 1 or any(
            element(atom, self._loop) for atom in opaque(terms)
        )

    def _following(self, earlier: Polynomial, later: Polynomial) -> list[Affine] | None:
        """What is missing for the later range to begin behind the end of the earlier one."""
        source, sink = (end.conditions for end in self._ends)
        tops = told_bounds(earlier, self._loop, self._inner, source, greatest=True)
        bottoms = told_bounds(later, self._loop, self._inner, sink, greatest=False)
        own = (*self._domain, *without(source, self._counters))
        shortest = [one for bottom in bottoms for one in self._of_shortest(bottom, sink)]
        longest = [one for top in tops for one in self._of_longest(top, source)]
        ends = product([*tops, *longest], [*((bottom, set()) for bottom in bottoms), *shortest])
        for top, (bottom, filled) in ends:
            step = growth(bottom, self._loop.counter)
            behind = added(added(bottom, step), added(top, {ONE: 1}), -1)
            claims = ((behind, own), (step, self._domain))
            missing = [affine(terms) for terms, known in claims if not never_negative(terms, known)]
            moving = (e for e in missing if e.loops & self._inner)
            if all(asked(e, self._loop) is not None for e in moving):
                self.filled |= filled
                return missing
        return None

    def _of_longest(self, top: Polynomial, conditions: Facts) -> Iterator[Polynomial]:
        """A bound from above, and by how much a number in memory is larger than it is by conditions at least:
        the end of a chunk, of which one cell was named.
        """
        for atom, least in self._told(conditions):
            yield added(top, {(atom,): 1, ONE: -least})

    def _of_shortest(self, bottom: Polynomial, conditions: Facts) -> Iterator[tuple[Polynomial, set[Place]]]:
        """A bound from below that adds a number in memory, as if that was what it is by conditions at least;
        or 1, which has to be asked.
        """
        told = list(self._told(conditions))
        for monomial, factor in bottom.items():
            atom = monomial[0] if len(monomial) == 1 and factor > 0 else None
            place = element(atom, self._loop) if atom is not None else None
            rest = {other: f for other, f in bottom.items() if other != monomial}
            for least in [least for each, least in told if each == atom]:
                yield added(rest, {ONE: factor * least}), set()
            if place is not None:
                yield added(rest, {ONE: factor}), {place}

    def _told(self, conditions: Facts) -> Iterator[tuple[Atom, int]]:
        """Numbers in memory that conditions compare with constants, and what they are then at least."""
        for each in conditions:
            if not isinstance(each, Compare) or each.equal:
                continue
            for atom, factor in each.expression.terms if len(each.expression.terms) == 1 else ():
                if factor == 1 and element(atom, self._loop) is not None:
                    yield atom, -each.expression.constant
