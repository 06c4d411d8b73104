"""How many iterations nests of counted loops make, where all sizes are numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from models.counting.linear import Linear
from models.counting.summation import Budget, Guards, TooManyPieces, summed


@dataclass(frozen=True)
class Bounds:
    """A loop from `low` to `high`, both included, in steps of `step`; the ends may name outer loops."""

    name: str
    low: Linear
    high: Linear
    step: int = 1

    def guards(self) -> Guards:
        """What the number of an iteration, which has the loop's name, holds."""
        number = Linear.name(self.name)
        return number, self.high - self.low - number.times(self.step)

    @property
    def value(self) -> Linear:
        """What the loop's variable is, in terms of that number."""
        return self.low + Linear.name(self.name).times(self.step)


@lru_cache(maxsize=4096)
def iterations(nest: tuple[Bounds, ...]) -> int | None:
    """How often the body of the innermost loop runs; None where that is not found in reasonable time."""
    guards = list[Linear]()
    values = dict[str, Linear]()
    for loop in nest:
        own = Bounds(loop.name, _with(loop.low, values), _with(loop.high, values), loop.step)
        guards += own.guards()
        values[loop.name] = own.value
    names = [loop.name for loop in nest]
    if len(set(names)) < len(names):
        return None
    try:
        pieces = summed(tuple(guards), names, lambda each: True, Budget())
    except (TooManyPieces, ValueError):
        return None
    total = sum(each.polynomial.value({}) for each in pieces if all(g.value({}) >= 0 for g in each.guards))
    return int(total)


def _with(value: Linear, values: dict[str, Linear]) -> Linear:
    """An expression over loops' variables in terms of their numbers; the outermost first, none twice."""
    found = Linear((), value.constant)
    for symbol, factor in value.terms:
        assert isinstance(symbol, str)
        found += values.get(symbol, Linear.name(symbol)).times(factor)
    return found


def average(around: Sequence[Bounds], loop: Bounds) -> float | None:
    """The iterations of a loop in the mean of its executions in a nest; None where there are none."""
    outer, inner = iterations(tuple(around)) if around else 1, iterations((*around, loop))
    return inner / outer if inner and outer else None
