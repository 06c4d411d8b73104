"""What variables may be at most, so that sums and products without a sign fit their types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from species.dependence.data_checks import element
from species.loops.model import Loop, Place
from species.loops.polynomials import at, bounds, largest_fitting, upper_ends
from species.sets.affine import Affine, Atom, Counter
from species.sets.conditions import Condition
from species.sets.products import Polynomial, affine

Facts = tuple[Condition, ...]


class UnsignedLimits:
    """The limits of what iterations of a loop compute where some `facts` hold.

    `inner` are the numbers of the loop and of those inside it.  `largest` is what numbers in memory may be at
    most, by their places; it grows with what is asked.
    """

    def __init__(self, loop: Loop, inner: frozenset[int], facts: Facts) -> None:
        self._loop, self._inner, self._facts = loop, inner, facts
        self.largest: dict[Place, int] = {}

    def needed(self, products: Iterable[tuple[Polynomial, int]]) -> list[Affine] | None:
        """What must not be negative, so that the polynomials have so many bits; None: nobody can ask."""
        needed = []
        for terms, bits in products:
            limit = largest_fitting(terms, bits)
            for atom in dict.fromkeys(a for monomial in terms for a in monomial):
                top = self._greatest(atom)
                if top is not None and not top.loops & self._inner:
                    needed.append(-top + limit)
                elif not self._is_number(atom, limit):
                    return None
        return needed

    def _greatest(self, atom: Atom) -> Affine | None:
        """What a variable is at most, in all iterations."""
        last = [*upper_ends(self._loop.counter, (*self._loop.conditions, self._loop.bound))]
        ends = (affine(at(top, self._loop.counter, end)) for top in self._tops(atom) for end in last)
        return next(ends, None)

    def _tops(self, atom: Atom) -> list[Polynomial]:
        return told_bounds({(atom,): 1}, self._loop, self._inner, self._facts, greatest=True)

    def _is_number(self, atom: Atom, limit: int) -> bool:
        """Is a variable at most a number in memory and some more?  Notes what that may be at most."""
        for top in map(affine, self._tops(atom)):
            numbers = [(place, sign) for each, sign in top.terms if (place := element(each, self._loop))]
            if len(top.terms) == len(numbers) == 1 and numbers[0][1] == 1:
                place, most = numbers[0][0], limit - top.constant
                self.largest[place] = min(most, self.largest.get(place, most))
                return True
        return False


def told_bounds(
    terms: Polynomial, loop: Loop, inner: frozenset[int], conditions: Facts, *, greatest: bool
) -> list[Polynomial]:
    """Bounds from above, or below, of which the loop's own counter moves parts, or finds them in memory."""
    found = bounds(terms, inner - {loop.number}, conditions, greatest=greatest)
    return [each for each in found if all(_is_told(a, loop, inner) for a in opaque(each))]


def _is_told(atom: Atom, loop: Loop, inner: frozenset[int]) -> bool:
    """Does the loop leave it alone, or find it in memory?"""
    return not atom.loops & inner or element(atom, loop) is not None


def opaque(terms: Polynomial) -> Iterator[Atom]:
    """The atoms that are no counters."""
    return (atom for monomial in terms for atom in monomial if not isinstance(atom, Counter))
