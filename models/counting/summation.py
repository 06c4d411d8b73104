"""Symbolic sums over the integer points of systems of inequalities, one variable after the other.

The innermost variable is summed first (Faulhaber), between its lower and its upper bound; where several may
be the greatest or the least, each case becomes a piece of its own.  A variable that stands in quotients is
taken apart by its remainders first, so that these become linear in what is left of it.  Seed 000, section
3.7.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import lcm

from models.counting.linear import Linear, Symbol, floor
from models.counting.polynomials import Polynomial

MOST = 32  # pieces that a sum may have at a time: beyond, it is of no use
STEPS = 120  # pieces that may be made on the way
Guards = tuple[Linear, ...]


class TooManyPieces(Exception):
    """The sum has more pieces than MOST, or takes more than STEPS; counting one by one is left."""


@dataclass
class Budget:
    """How many pieces may still be made."""

    steps: int = STEPS

    def spend(self) -> None:
        """For one more; TooManyPieces."""
        self.steps -= 1
        if self.steps < 0:
            raise TooManyPieces


@dataclass(frozen=True)
class Piece:
    """What a polynomial comes to where all `guards` are 0 or more, and 0 elsewhere."""

    guards: Guards
    polynomial: Polynomial


def summed(
    guards: Guards, names: Sequence[str], is_possible: Callable[[Guards], bool], budget: Budget
) -> list[Piece]:
    """How many values of `names` (outermost first) hold all guards, over the other names in these.

    The sum of all pieces counts.  `is_possible` may say that no integers hold some guards.  ValueError where
    a name has no bounds; TooManyPieces.
    """
    pieces = [Piece(guards, Polynomial.number(1))]
    for name in reversed(names):
        pieces = [new for piece in pieces for new in _without(piece, name, is_possible, budget)]
        if len(pieces) > MOST:
            raise TooManyPieces
    return pieces


def _without(
    piece: Piece, name: str, is_possible: Callable[[Guards], bool], budget: Budget
) -> Iterator[Piece]:
    """The pieces of the sum over a name."""
    period = lcm(piece.polynomial.period(name), *(guard.period(name) for guard in piece.guards))
    if period > MOST:
        raise TooManyPieces
    for remainder in range(period):
        value = Linear.of([(name, period)], remainder)
        guards = tuple(guard.with_(name, value) for guard in piece.guards)
        for new in _between(Piece(guards, piece.polynomial.with_(name, value)), name, is_possible):
            budget.spend()
            yield new


def _between(piece: Piece, name: str, is_possible: Callable[[Guards], bool]) -> Iterator[Piece]:
    """The pieces of the sum over a name that is in no quotient: for each greatest low and least high end."""
    lows, highs, others = list[Linear](), list[Linear](), list[Linear]()
    for guard in piece.guards:
        factor = guard.factor(name)
        rest = guard - Linear.of([(name, factor)])
        if factor > 0:
            lows.append(floor(rest.times(-1).plus(factor - 1), factor))
        elif factor < 0:
            highs.append(floor(rest, -factor))
        else:
            others.append(guard)
    if not lows or not highs:
        raise ValueError(f"{name} has no bounds")
    lows, highs = list(dict.fromkeys(lows)), list(dict.fromkeys(highs))
    for low, above in _chosen(lows, 1):
        for high, below in _chosen(highs, -1):
            guards = kept([*others, *above, *below, high - low])
            if guards is not None and (len(lows) == len(highs) == 1 or is_possible(guards)):
                yield Piece(guards, piece.polynomial.total(name, low, high))


def _chosen(bounds: Sequence[Linear], sign: int) -> Iterator[tuple[Linear, list[Linear]]]:
    """Each bound, and what holds where it is the greatest (`sign` 1) or least; of equals, the first is."""
    for place, bound in enumerate(bounds):
        others = [each for each in enumerate(bounds) if each[0] != place]
        yield bound, [(bound - each).times(sign).plus(-1 if k < place else 0) for k, each in others]


def kept(guards: Sequence[Linear]) -> Guards | None:
    """Without those that always hold, or that a stricter one implies; None: one never holds."""
    found: dict[tuple[tuple[Symbol, int], ...], Linear] = {}
    for guard in guards:
        if not guard.terms:
            if guard.constant < 0:
                return None
            continue
        known = found.get(guard.terms)
        if known is None or guard.constant < known.constant:
            found[guard.terms] = guard
    return tuple(found.values())
