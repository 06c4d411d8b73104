"""Subscripts as polynomials with a denominator: `i*(i + 1)/2 + j` is (i*i + i + 2*j) / 2, without rounding.

In an `Affine`, products of counters are opaque values.  Here they are multiplied out, and quotients by
constants are kept as such where their dividends are multiples of the divisor for all integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, product
from math import lcm

from species.loops.shifted import shifted
from species.sets.affine import Affine, Atom, Counter, Division, Value
from species.sets.conditions import Compare, Condition, atoms
from species.sets.domains import implied
from species.sets.products import MAX_TERMS, ONE, Polynomial, added, affine, factors, multiplied, polynomial

MOST_VARIABLES, MOST_DIVISOR = 3, 8
MOST = 4  # bounds of one polynomial
SIZES, MOST_SIZES = (8, 64, 1024, 2**20), 4  # that are tried
WHOLE: Polynomial = {ONE: 1}


class NoPolynomial(Exception):
    """The expression rounds, wraps around, or is too long."""


@dataclass
class Expansion:
    """Expands expressions that are evaluated where some conditions hold.

    `unsigned` are polynomials that are computed without a sign, with their types' widths: they are right only
    if they fit.
    """

    conditions: tuple[Condition, ...]
    unsigned: list[tuple[Polynomial, int]] = field(default_factory=list)
    _wide: int = 0  # operations on numbers of 64 bits without a sign so far

    def of_subscript(self, subscript: Affine) -> tuple[Polynomial, int]:
        """As `of`; what an address is computed with may be negative in between, but is no 2^64."""
        found = self.of(subscript)
        if self._wide:
            self.unsigned.append((found[0], 64))
        return found

    def of(self, expression: Affine) -> tuple[Polynomial, int]:
        """The expression as a polynomial over a denominator; raises `NoPolynomial`."""
        total: Polynomial = {ONE: expression.constant} if expression.constant else {}
        whole = 1
        for atom, coefficient in expression.ordered:
            terms, own = self._atom(atom)
            common = lcm(whole, own)
            total = added(scaled(total, common // whole), terms, coefficient * (common // own))
            whole = common
        return total, whole

    def _atom(self, atom: Atom) -> tuple[Polynomial, int]:
        parts = factors(atom)
        if len(parts) > 1:
            return self._product([Affine.of(part) for part in parts])
        if isinstance(atom, Division) and not atom.remainder:
            return self._quotient(atom.numerator, atom.divisor)
        if not isinstance(atom, Value) or atom.key[0] != "op" or len(atom.parts) != 2:
            return {(atom,): 1}, 1
        return self._operation(atom)

    def _operation(self, atom: Value) -> tuple[Polynomial, int]:
        left, right = atom.parts
        match atom.key[1]:
            case "*" | "+" | "-":
                return self._fitting(atom, self._combined(str(atom.key[1]), left, right))
            case "/" if right.is_constant and right.constant > 0:
                return self._quotient(left, right.constant)
            case ">>" if right.is_constant and 0 <= right.constant < 4:
                return self._quotient(left, 2**right.constant)
        return {(atom,): 1}, 1

    def _combined(self, operator: str, left: Affine, right: Affine) -> tuple[Polynomial, int]:
        if operator == "*":
            return self._product([left, right])
        return self.of(left + right if operator == "+" else left - right)

    def _fitting(self, atom: Value, found: tuple[Polynomial, int]) -> tuple[Polynomial, int]:
        """Operations without a sign are right modulo a power of two.

        Those of 64 bits stay so until something is divided: `i - 1` in `i * (i - 1) / 2`.
        """
        if atom.ctype.unsigned and atom.ctype.bits < 64:
            self._note(found[0], atom.ctype.bits)
        self._wide += atom.ctype.unsigned and atom.ctype.bits >= 64
        return found

    def _note(self, terms: Polynomial, bits: int) -> None:
        if not never_negative(terms, self.conditions):
            raise NoPolynomial
        self.unsigned.append((terms, bits))

    def _product(self, parts: Iterable[Affine]) -> tuple[Polynomial, int]:
        total, whole = WHOLE, 1
        for part in parts:
            terms, own = self.of(part)
            total, whole = multiplied(total, terms), whole * own
            if len(total) > MAX_TERMS:
                raise NoPolynomial
        return total, whole

    def _quotient(self, dividend: Affine, divisor: int) -> tuple[Polynomial, int]:
        before = self._wide
        terms, whole = self.of(dividend)
        if self._wide > before:
            self._note(terms, 64)
        if not _is_multiple(terms, whole * divisor):
            raise NoPolynomial
        return terms, whole * divisor


def _is_multiple(terms: Polynomial, number: int) -> bool:
    """Is the polynomial a multiple of the number, whatever integers its variables are?"""
    variables = list(dict.fromkeys(atom for monomial in terms for atom in monomial))
    if number > MOST_DIVISOR or len(variables) > MOST_VARIABLES:
        return False
    return all(
        _value(terms, dict(zip(variables, values, strict=True))) % number == 0
        for values in product(range(number), repeat=len(variables))
    )


def _value(terms: Polynomial, values: dict[Atom, int]) -> int:
    total = 0
    for monomial, coefficient in terms.items():
        for atom in monomial:
            coefficient *= values[atom]
        total += coefficient
    return total


def largest_fitting(terms: Polynomial, bits: int) -> int:
    """What all variables may be at most for the polynomial to have so many bits."""
    fitting = (
        value
        for value in (2**power - 1 for power in range(bits, 0, -1))
        if sum(abs(c) * value ** len(m) for m, c in terms.items()) < 2**bits
    )
    return next(fitting, 0)


def scaled(terms: Polynomial, factor: int) -> Polynomial:
    return added({}, terms, factor)


def degree(terms: Polynomial, atom: Atom) -> int:
    return max((monomial.count(atom) for monomial in terms), default=0)


def at(terms: Polynomial, atom: Counter, place: Affine) -> Polynomial:
    """The polynomial at another value of a counter."""
    total: Polynomial = {}
    for monomial, coefficient in terms.items():
        rest = (shifted(f, atom, place) for f in monomial if f != atom)
        part = multiplied({ONE: coefficient}, {tuple(rest): 1})
        for _ in range(monomial.count(atom)):
            part = multiplied(part, polynomial(place))
        total = added(total, part)
    return total


def growth(terms: Polynomial, counter: Counter) -> Polynomial:
    """What the next value of a counter adds."""
    return added(at(terms, counter, Affine.of(counter) + 1), terms, -1)


def never_negative(terms: Polynomial, facts: tuple[Condition, ...]) -> bool:
    """Is it so where all facts hold?  (By its growth from zero on, where a counter is squared in it.)"""
    if implied(Compare(affine(terms)), facts):
        return True
    squared = (a for m in terms for a in m if isinstance(a, Counter) and m.count(a) > 1)
    counter = next(squared, None)
    if counter is None:
        return False
    others = without(facts, frozenset((counter.loop,)))
    ends = (at(terms, counter, Affine()), growth(terms, counter))
    return all(never_negative(end, others) for end in ends)


def without(facts: tuple[Condition, ...], loops: frozenset[int]) -> tuple[Condition, ...]:
    """The facts that do not speak of what the loops move."""
    return tuple(f for f in facts if not any(atom.loops & loops for atom in atoms(f)))


def is_plausible(expressions: Iterable[Affine]) -> bool:
    """Are there sizes, each larger than a few, for which none of the expressions is negative?

    `w - h*m` is no problem, `w - h*w` says that h is one.
    """
    found = [polynomial(expression) for expression in expressions]
    sizes = list(dict.fromkeys(atom for terms in found for monomial in terms for atom in monomial))
    if len(sizes) > MOST_SIZES:
        return False
    choices = (dict(zip(sizes, each, strict=True)) for each in product(SIZES, repeat=len(sizes)))
    return any(all(_value(terms, chosen) >= 0 for terms in found) for chosen in choices)


# Bounds


def bounds(
    terms: Polynomial, loops: frozenset[int], conditions: tuple[Condition, ...], *, greatest: bool
) -> list[Polynomial]:
    """Bounds from above, or from below, in which nothing is left that the loops move, if there are some.

    The conditions hold wherever the polynomial is evaluated.
    """
    return [*islice(_bounded(terms, loops, conditions, greatest), MOST)]


def _bounded(
    terms: Polynomial, loops: frozenset[int], conditions: tuple[Condition, ...], greatest: bool
) -> Iterator[Polynomial]:
    moving = {atom for monomial in terms for atom in monomial if atom.loops & loops}
    counters = [atom for atom in moving if isinstance(atom, Counter)]
    if len(counters) < len(moving):
        return
    if not counters:
        yield terms
        return
    counter = max(counters, key=lambda c: abs(c.loop))  # loops inside have greater numbers
    ends = list(upper_ends(counter, conditions))
    known = (*without(conditions, counter.loops), *map(Compare, ends))  # it counts from zero on
    step = growth(terms, counter)
    if never_negative(step, known):
        rises = True
    elif never_negative(scaled(step, -1), known):
        rises = False
    else:
        return
    for end in ends if rises is greatest else [Affine()]:
        yield from _bounded(at(terms, counter, end), loops, known, greatest)
    for end, factor in multiple_ends(counter, conditions) if rises is greatest else ():
        linear = terms.get((counter,), 0)
        rest = {monomial: c for monomial, c in terms.items() if monomial != (counter,)}
        if linear % factor == 0 and not any(counter in monomial for monomial in rest):
            bounded = added(rest, polynomial(end), linear // factor)
            yield from _bounded(bounded, loops, known, greatest)


def multiple_ends(counter: Counter, conditions: Iterable[Condition]) -> Iterator[tuple[Affine, int]]:
    """Bounds from above of multiples of a counter, with the factor: `2 * k + 1 < n`."""
    for each in conditions:
        if isinstance(each, Compare) and not each.equal and each.expression.coefficient(counter) < -1:
            factor = -each.expression.coefficient(counter)
            rest = each.expression + Affine.of(counter, factor)
            if not counter.loops & rest.loops:
                yield rest, factor


def upper_ends(counter: Counter, conditions: Iterable[Condition]) -> Iterator[Affine]:
    """Bounds of a counter from above."""
    for each in conditions:
        if isinstance(each, Compare) and not each.equal and each.expression.coefficient(counter) == -1:
            rest = each.expression + Affine.of(counter)
            if not counter.loops & rest.loops:
                yield rest
