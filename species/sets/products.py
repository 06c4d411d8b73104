"""Products of expressions as polynomials: sums of monomials with integer coefficients.

`(i + 1) * n` and `i*n + n` are one polynomial, so that equal subscripts are equal expressions.  A monomial
of several factors is an atom of an `Affine`: a `Value` with the factors as its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from species.sets.affine import Affine, Atom, Counter, Division, Value, is_natural, order
from species.sets.affine import divided as quotient_of
from species.symbols.types import WIDEST, CType

Monomial = tuple[Atom, ...]  # factors in a fixed order; no factor at all: one
Polynomial = Mapping[Monomial, int]

MAX_TERMS = 32
ONE: Monomial = ()
_KEY = ("op", "*", None)  # where an operation of the program has its type, a product of ours has none

# Wider than any product of a few machine integers, so that its range promises nothing but the sign.
NATURAL = CType("int", "unsigned long", 128, unsigned=True)


def product(a: Affine, b: Affine) -> Affine | None:
    """`a * b` multiplied out, where one of them holds no counters; None: it is not, or it is too long."""
    if not (_is_plain(a) or _is_plain(b)) or len(a.terms) * len(b.terms) > MAX_TERMS:
        return None
    return affine(multiplied(polynomial(a), polynomial(b)))


def _is_plain(expression: Affine) -> bool:
    return not any(isinstance(atom, Counter) for atom in expression.atoms())


def factors(atom: Atom) -> Monomial:
    """The factors of a product that was multiplied out, else the atom itself."""
    if isinstance(atom, Value) and atom.key[:3] == _KEY:
        return tuple(next(iter(part.terms))[0] for part in atom.parts)
    return (atom,)


def polynomial(expression: Affine) -> Polynomial:
    terms = {factors(atom): coefficient for atom, coefficient in expression.ordered}
    return {**terms, ONE: expression.constant} if expression.constant else terms


def affine(terms: Polynomial) -> Affine:
    """The polynomial with every monomial as one atom."""
    atoms = frozenset((_atom(m), c) for m, c in terms.items() if m and c)
    return Affine(atoms, terms.get(ONE, 0))


def _atom(monomial: Monomial) -> Atom:
    if len(monomial) == 1:
        return monomial[0]
    parts = tuple(Affine.of(factor) for factor in monomial)
    loops = frozenset().union(*(factor.loops for factor in monomial))
    why = next((f.why for f in monomial if isinstance(f, Value) and f.why), "not affine")
    ctype = NATURAL if all(map(is_natural, monomial)) else WIDEST  # of equal products the same
    size = 1 + sum(part.size for part in parts)
    return Value((*_KEY, *monomial), loops, "*", ctype, why, parts, size)


def multiplied(a: Polynomial, b: Polynomial) -> Polynomial:
    result: dict[Monomial, int] = {}
    for left, x in a.items():
        for right, y in b.items():
            monomial = _sorted(left + right)
            result[monomial] = result.get(monomial, 0) + x * y
    return {m: c for m, c in result.items() if c}


def added(a: Polynomial, b: Polynomial, times: int = 1) -> Polynomial:
    """`a + times * b`."""
    result = dict(a)
    for monomial, coefficient in b.items():
        result[monomial] = result.get(monomial, 0) + times * coefficient
    return {m: c for m, c in result.items() if c}


def coefficient_of(terms: Polynomial, atom: Atom) -> Polynomial:
    """What an atom is multiplied with, where it is a factor once."""
    found: dict[Monomial, int] = {}
    for monomial, coefficient in terms.items():
        if monomial.count(atom) == 1:
            rest = _without(monomial, (atom,))
            found[rest or ONE] = coefficient
    return found


def replaced(expression: Affine, atom: Atom, by: Affine) -> Affine:
    """The expression with `by` in place of an atom, which may be a factor of products."""
    total: Polynomial = {}
    for monomial, coefficient in polynomial(expression).items():
        part: Polynomial = {_without(monomial, (atom,) * monomial.count(atom)) or ONE: coefficient}
        for _ in range(monomial.count(atom)):
            part = multiplied(part, polynomial(by))
        total = added(total, part)
    return affine(total)


def renamed(expression: Affine, rename: Callable[[Atom], Atom]) -> Affine:
    """The expression with other names for counters and values, in products and quotients, too."""
    return expression.substitute(lambda atom: _renamed(atom, rename))


def _renamed(atom: Atom, rename: Callable[[Atom], Atom]) -> Affine:
    if isinstance(atom, Division):
        return quotient_of(renamed(atom.numerator, rename), atom.divisor, atom.remainder)
    parts = factors(atom)
    if len(parts) == 1:
        return Affine.of(rename(atom))
    return affine({tuple(next(iter(_renamed(part, rename).terms))[0] for part in parts): 1})


def has_strides(subscript: Affine, inner: frozenset[int]) -> bool:
    """Are some parts a counter times a value that the loops in `inner` leave alone, the others affine?"""
    monomials = [factors(atom) for atom, _ in subscript.terms]
    moving = [[f for f in m if f.loops & inner] for m in monomials]
    single = all(len(m) <= 1 and all(isinstance(f, Counter) for f in m) for m in moving)
    return single and any(m and len(whole) > 1 for m, whole in zip(moving, monomials, strict=True))


def divided(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and rest, by the divisor's leading monomial: dividend = quotient * divisor + rest."""
    lead = leading(divisor)
    quotient: dict[Monomial, int] = {}
    rest: Polynomial = {}
    work = dict(dividend)
    for _ in range(2 * MAX_TERMS):
        if not work:
            break
        monomial = leading(work)
        cofactor = _without(monomial, lead)
        times, remainder = divmod(work[monomial], divisor[lead])
        if cofactor is None or remainder:
            rest = added(rest, {monomial: work.pop(monomial)})
            continue
        quotient[cofactor] = quotient.get(cofactor, 0) + times
        work = dict(added(work, multiplied({cofactor: times}, divisor), -1))
    return quotient, added(rest, work)


def leading(terms: Polynomial) -> Monomial:
    """The monomial of the highest degree."""
    return max(terms, key=lambda m: (len(m), [order(f) for f in m]))


def _without(monomial: Monomial, part: Monomial) -> Monomial | None:
    rest = list(monomial)
    for factor in part:
        if factor not in rest:
            return None
        rest.remove(factor)
    return tuple(rest)


def _sorted(monomial: Monomial) -> Monomial:
    return tuple(sorted(monomial, key=order))
