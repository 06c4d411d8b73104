"""Polynomials with rational coefficients over names and quotients, and their sums over a variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, lcm

from models.counting.linear import Linear, Symbol, floor_with, key_of, symbol_value

Monomial = tuple[tuple[Symbol, int], ...]  # symbols with their powers, in the order of their keys


@dataclass(frozen=True)
class Polynomial:
    """A sum of monomials with coefficients; none of them is 0."""

    terms: tuple[tuple[Monomial, Fraction], ...] = ()

    @staticmethod
    def of(terms: Iterable[tuple[Monomial, Fraction]]) -> Polynomial:
        """The sum of any terms."""
        found: dict[Monomial, Fraction] = {}
        for monomial, factor in terms:
            found[monomial] = found.get(monomial, Fraction(0)) + factor
        return Polynomial(tuple((monomial, factor) for monomial, factor in found.items() if factor))

    @staticmethod
    def number(value: int | Fraction) -> Polynomial:
        return Polynomial.of([((), Fraction(value))])

    @staticmethod
    def linear(value: Linear) -> Polynomial:
        """A linear expression as a polynomial."""
        terms: list[tuple[Monomial, Fraction]] = [(((s, 1),), Fraction(f)) for s, f in value.terms]
        return Polynomial.of([*terms, ((), Fraction(value.constant))])

    def __add__(self, other: Polynomial) -> Polynomial:
        return Polynomial.of((*self.terms, *other.terms))

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other * Polynomial.number(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        return Polynomial.of((_product(a, b), x * y) for a, x in self.terms for b, y in other.terms)

    def to_the(self, power: int) -> Polynomial:
        """A power of it, from 0 on."""
        found = Polynomial.number(1)
        for _ in range(power):
            found = found * self
        return found

    def period(self, name: str) -> int:
        """As of `Linear`."""
        symbols = {symbol for monomial, _ in self.terms for symbol, _ in monomial}
        periods = [Linear(((symbol, 1),)).period(name) for symbol in symbols]
        return lcm(1, *periods)

    def with_(self, name: str, value: Linear) -> Polynomial:
        """The same with an expression for a name."""
        found = Polynomial()
        for monomial, factor in self.terms:
            each = Polynomial.number(factor)
            for symbol, power in monomial:
                new = value if symbol == name else floor_with(symbol, name, value)
                each = each * Polynomial.linear(new).to_the(power)
            found = found + each
        return found

    def powers_of(self, name: str) -> dict[int, Polynomial]:
        """What stands with each power of a name, which is in no quotient."""
        found: dict[int, list[tuple[Monomial, Fraction]]] = {}
        for monomial, factor in self.terms:
            power = dict(monomial).get(name, 0)
            rest = tuple(each for each in monomial if each[0] != name)
            found.setdefault(power, []).append((rest, factor))
        return {power: Polynomial.of(terms) for power, terms in found.items()}

    def total(self, name: str, low: Linear, high: Linear) -> Polynomial:
        """The sum over a name from `low` to `high`, both included; there may be no more than -1 between."""
        ends = Polynomial.linear(high), Polynomial.linear(low.plus(-1))
        found = Polynomial()
        for power, factor in self.powers_of(name).items():
            sums = [_applied(power_sum(power), end) for end in ends]
            found = found + factor * (sums[0] - sums[1])
        return found

    def value(self, names: Mapping[str, int]) -> Fraction:
        """What it comes to."""
        found = Fraction(0)
        for monomial, factor in self.terms:
            for symbol, power in monomial:
                factor *= symbol_value(symbol, names) ** power
            found += factor
        return found

    @property
    def denominator(self) -> int:
        """What makes all coefficients whole."""
        return lcm(1, *(factor.denominator for _, factor in self.terms))


def _product(one: Monomial, other: Monomial) -> Monomial:
    powers = dict(one)
    for symbol, power in other:
        powers[symbol] = powers.get(symbol, 0) + power
    return tuple(sorted(powers.items(), key=lambda each: key_of(each[0])))


def _applied(coefficients: tuple[Fraction, ...], end: Polynomial) -> Polynomial:
    found = Polynomial()
    for factor in reversed(coefficients):  # Horner
        found = found * end + Polynomial.number(factor)
    return found


@cache
def power_sum(power: int) -> tuple[Fraction, ...]:
    """The coefficients of 0**power + ... + x**power (0**0 is 1), as a polynomial in x, the constant first.

    Faulhaber's formula; it holds for x = -1, too, where the sum is empty.
    """
    found = [Fraction(0)] * (power + 2)
    for k in range(power + 1):
        found[power + 1 - k] = Fraction((-1) ** k * comb(power + 1, k), power + 1) * bernoulli(k)
    return (Fraction(1), Fraction(1)) if power == 0 else tuple(found)


@cache
def bernoulli(number: int) -> Fraction:
    """The Bernoulli numbers, of which that of 1 is minus a half."""
    if number == 0:
        return Fraction(1)
    total = sum((comb(number + 1, k) * bernoulli(k) for k in range(number)), Fraction(0))
    return -total / (number + 1)
