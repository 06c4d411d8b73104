"""Conditions over numbered variables: whether they hold at a point, and how fast their sums grow there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Point = list[int]  # a number for each variable


@dataclass(frozen=True)
class Sum:
    """`constant + terms` is at least zero, or zero; a term is a coefficient and variables to multiply."""

    terms: tuple[tuple[int, tuple[int, ...]], ...]
    constant: int
    equal: bool = False

    def value(self, point: Point) -> int:
        total = self.constant
        for coefficient, variables in self.terms:
            for variable in variables:
                coefficient *= point[variable]
            total += coefficient
        return total

    def holds(self, point: Point) -> bool:
        value = self.value(point)
        return value == 0 if self.equal else value >= 0

    def variables(self) -> Iterator[int]:
        return (variable for _, variables in self.terms for variable in variables)

    def slopes(self, point: Point) -> dict[int, int]:
        """How fast the sum grows with each of its variables, as they are now."""
        found: dict[int, int] = {}
        for slope, variables in self.terms:
            for position, variable in enumerate(variables):
                own = slope
                for other in (*variables[:position], *variables[position + 1 :]):
                    own *= point[other]
                found[variable] = found.get(variable, 0) + own
        return {variable: slope for variable, slope in found.items() if slope}


@dataclass(frozen=True)
class Joined:
    """All of the parts hold, or any of them."""

    parts: tuple[Sum | Joined, ...]
    any: bool

    def holds(self, point: Point) -> bool:
        return (any if self.any else all)(part.holds(point) for part in self.parts)

    def variables(self) -> Iterator[int]:
        return (variable for part in self.parts for variable in part.variables())


Part = Sum | Joined


@dataclass(frozen=True)
class Derived:
    """A quotient or remainder: the variable `number` follows from others."""

    number: int
    numerator: Sum
    divisor: int
    remainder: bool

    def update(self, point: Point) -> None:
        quotient, rest = divmod(self.numerator.value(point), self.divisor)
        point[self.number] = rest if self.remainder else quotient
