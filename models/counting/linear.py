"""Integer expressions that are linear in names and in quotients (rounded down) of such expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd


@dataclass(frozen=True)
class Floor:
    """`numerator / divisor`, rounded down; the divisor is greater than 1."""

    numerator: Linear
    divisor: int

    @cached_property
    def key(self) -> str:
        """A text that is the same only for equal ones."""
        return f"floor(({self.numerator.key})/{self.divisor})"


Symbol = str | Floor


def key_of(symbol: Symbol) -> str:
    """What symbols are ordered by; an isl expression."""
    return symbol if isinstance(symbol, str) else symbol.key


@dataclass(frozen=True)
class Linear:
    """`constant` and the sum of coefficients times symbols: no coefficient is 0, no symbol stands twice."""

    terms: tuple[tuple[Symbol, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(terms: Iterable[tuple[Symbol, int]], constant: int = 0) -> Linear:
        """The sum of any terms."""
        found: dict[Symbol, int] = {}
        for symbol, factor in terms:
            found[symbol] = found.get(symbol, 0) + factor
        kept = ((symbol, factor) for symbol, factor in found.items() if factor)
        return Linear(tuple(sorted(kept, key=lambda term: key_of(term[0]))), constant)

    @staticmethod
    def name(name: str) -> Linear:
        return Linear(((name, 1),))

    @cached_property
    def key(self) -> str:
        """An isl expression, the same for equal ones."""
        return " + ".join(
            [*(f"{factor}*{key_of(symbol)}" for symbol, factor in self.terms), str(self.constant)]
        )

    def __add__(self, other: Linear) -> Linear:
        return Linear.of((*self.terms, *other.terms), self.constant + other.constant)

    def __sub__(self, other: Linear) -> Linear:
        return self + other.times(-1)

    def plus(self, number: int) -> Linear:
        """The sum with a number."""
        return Linear(self.terms, self.constant + number)

    def times(self, factor: int) -> Linear:
        """The product with a number."""
        return Linear.of(((symbol, each * factor) for symbol, each in self.terms), self.constant * factor)

    def factor(self, name: str) -> int:
        """The coefficient of a name, quotients left out."""
        return dict(self.terms).get(name, 0)

    def names(self) -> set[str]:
        """All names, those in quotients, too."""
        found = set[str]()
        for symbol, _ in self.terms:
            found |= {symbol} if isinstance(symbol, str) else symbol.numerator.names()
        return found

    def quotients(self) -> Iterator[Floor]:
        """All quotients in it, the inner ones first."""
        for symbol, _ in self.terms:
            if isinstance(symbol, Floor):
                yield from symbol.numerator.quotients()
                yield symbol

    def period(self, name: str) -> int:
        """After how many steps of a name all quotients have moved by whole numbers."""
        found = 1
        for symbol, _ in self.terms:
            if isinstance(symbol, Floor) and name in symbol.numerator.names():
                inner = symbol.numerator.period(name) * symbol.divisor
                found = found * inner // gcd(found, inner)
        return found

    def with_(self, name: str, value: Linear) -> Linear:
        """The same with an expression for a name."""
        found, constant = list[tuple[Symbol, int]](), self.constant
        for symbol, factor in self.terms:
            new = value if symbol == name else floor_with(symbol, name, value)
            found += [(each, by * factor) for each, by in new.terms]
            constant += new.constant * factor
        return Linear.of(found, constant)

    def value(self, names: Mapping[str, int]) -> int:
        """What it comes to."""
        return self.constant + sum(factor * symbol_value(symbol, names) for symbol, factor in self.terms)


def floor_with(symbol: Symbol, name: str, value: Linear) -> Linear:
    """A symbol that is not the name itself, with an expression for the name in it."""
    if isinstance(symbol, str):
        return Linear.name(symbol)
    return floor(symbol.numerator.with_(name, value), symbol.divisor)


def floor(numerator: Linear, divisor: int) -> Linear:
    """The quotient rounded down: what the divisor divides is taken out of it."""
    if divisor == 1:
        return numerator
    whole = [(symbol, factor // divisor) for symbol, factor in numerator.terms]
    rest = Linear.of(
        ((symbol, factor % divisor) for symbol, factor in numerator.terms), numerator.constant % divisor
    )
    taken = Linear.of(whole, numerator.constant // divisor)
    common = gcd(divisor, *(factor for _, factor in rest.terms))
    if not rest.terms:
        return taken  # the constant is less than the divisor
    if common > 1:
        smaller = Linear(tuple((symbol, factor // common) for symbol, factor in rest.terms))
        return taken + floor(smaller.plus(rest.constant // common), divisor // common)
    return taken + Linear(((Floor(rest, divisor), 1),))


def symbol_value(symbol: Symbol, names: Mapping[str, int]) -> int:
    """What a name or a quotient comes to."""
    return names[symbol] if isinstance(symbol, str) else symbol.numerator.value(names) // symbol.divisor
