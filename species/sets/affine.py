"""Quasi-affine integer expressions over loop counters and values that the loop does not know.

An `Affine` is a sum of atoms with integer coefficients and a constant.  Atoms are loop counters
(0, 1, 2 ... per iteration, whatever the loop's start and step), opaque values (a parameter, a variable
after an assignment, a product of two of them), and quotients or remainders by a positive constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from species.core.cached import once
from species.symbols.types import INT, CType

# Of values that keep how they were computed, so that equal ones are equal: `x = (x >> 8) ^ table[x & 255]`,
# thirty times over, would be made of 2**30 others.
MAX_SIZE = 64
TRUTHS = ("==", "!=", ">=", "&&", "||")  # operations whose value is 0 or 1 (see `loops.truths`)
CHOICE = "?"  # the operation that chooses between two values
LEAST, GREATEST = "least", "greatest"  # operations on any number of values
CHOSEN = "a choice"  # why a value that comes of one is not affine

_numbers = count()


@dataclass(frozen=True)
class Counter:
    """How many iterations a loop has made: 0 in the first one."""

    loop: int

    def __hash__(self) -> int:
        return self.loop

    @property
    def loops(self) -> frozenset[int]:
        return frozenset((self.loop,))


@dataclass(frozen=True)
class Value:
    """An integer that is not affine in what is known; equal keys are equal values.

    `loops` are the loops whose iterations may change it; `why` says, for people, where it comes from;
    `parts` are the operands where it is an operation on other expressions.
    """

    key: tuple[object, ...]
    loops: frozenset[int] = field(compare=False)
    text: str = field(compare=False)
    ctype: CType = field(compare=False, default=INT)
    why: str = field(compare=False, default="")
    parts: tuple[Affine, ...] = field(compare=False, default=(), repr=False)  # they are in the key
    size: int = field(compare=False, default=1, repr=False)  # as of an `Affine`, itself included

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        return hash(self.key)


@dataclass(frozen=True)
class Division:
    """`numerator / divisor` or `numerator % divisor`, with numerator >= 0 and divisor > 0 proved."""

    numerator: Affine
    divisor: int
    remainder: bool

    @property
    def loops(self) -> frozenset[int]:
        return self.numerator.loops


Atom = Counter | Value | Division


def order(atom: Atom) -> tuple[int, int, str, str, int]:
    """A total order, but for atoms that only differ in what they are read from."""
    match atom:
        case Counter(loop):
            return (0, loop, "", "", 0)
        case Division():
            return (2, atom.divisor, "", "", 0)
    number = next((part for part in atom.key[:3] if isinstance(part, int)), 0)
    kind = " ".join(part for part in atom.key[:3] if isinstance(part, str))
    return (1, len(atom.parts), atom.text, kind, number)


def is_natural(atom: Atom) -> bool:
    """Never negative, whatever is known at the place."""
    return not isinstance(atom, Value) or atom.ctype.unsigned


@dataclass(frozen=True)
class Affine:
    """`constant + sum of coefficient * atom`; no coefficient is zero."""

    terms: frozenset[tuple[Atom, int]] = frozenset()
    constant: int = 0

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Affine) or self._hash != other._hash:
            return False
        return self.constant == other.constant and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        """Expressions are parts of keys, which are looked up more often than made."""
        return hash((self.terms, self.constant))

    @staticmethod
    def of(atom: Atom, coefficient: int = 1) -> Affine:
        return Affine(frozenset(((atom, coefficient),)) if coefficient else frozenset())

    @once
    def coefficients(self) -> Mapping[Atom, int]:
        return dict(self.terms)

    @once
    def loops(self) -> frozenset[int]:
        """The loops that may change the value."""
        return frozenset().union(*(atom.loops for atom, _ in self.terms))

    @once
    def size(self) -> int:
        """How many values it is made of, and these of others; one that is used twice counts twice."""
        return sum(atom.size for atom in self.atoms() if isinstance(atom, Value))

    @property
    def ordered(self) -> Iterable[tuple[Atom, int]]:
        """The terms in an order that is the same in every run, for what depends on it."""
        return self.terms if len(self.terms) < 2 else self._ordered

    @once
    def _ordered(self) -> tuple[tuple[Atom, int], ...]:
        return tuple(sorted(self.terms, key=lambda term: order(term[0])))

    @property
    def is_constant(self) -> bool:
        return not self.terms

    def coefficient(self, atom: Atom) -> int:
        return self.coefficients.get(atom, 0)

    def __add__(self, other: Affine | int) -> Affine:
        return self._plus(other, 1)

    def __neg__(self) -> Affine:
        return self.scaled(-1)

    def __sub__(self, other: Affine | int) -> Affine:
        return self._plus(other, -1)

    def _plus(self, other: Affine | int, factor: int) -> Affine:
        """`self + factor * other`."""
        if isinstance(other, int):
            return Affine(self.terms, self.constant + factor * other)
        constant = self.constant + factor * other.constant
        if not other.terms:
            return Affine(self.terms, constant)
        total = dict(self.terms)
        for atom, coefficient in other.terms:
            total[atom] = total.get(atom, 0) + factor * coefficient
        return Affine(frozenset([term for term in total.items() if term[1]]), constant)

    def scaled(self, factor: int) -> Affine:
        if factor == 0:
            return Affine()
        return Affine(frozenset([(a, c * factor) for a, c in self.terms]), self.constant * factor)

    def substitute(self, replacement: Callable[[Atom], Affine | None]) -> Affine:
        """Every atom for which `replacement` gives an expression is replaced by it."""
        result = Affine(constant=self.constant)
        for atom, coefficient in self.terms:
            result += _replaced(atom, replacement).scaled(coefficient)
        return result

    def atoms(self) -> Iterator[Atom]:
        """All atoms, those inside divisions included."""
        for atom, _ in self.ordered:
            yield atom
            if isinstance(atom, Division):
                yield from atom.numerator.atoms()


def _replaced(atom: Atom, replacement: Callable[[Atom], Affine | None]) -> Affine:
    new = replacement(atom)
    if new is not None:
        return new
    if isinstance(atom, Division):
        inner = atom.numerator.substitute(replacement)
        return divided(inner, atom.divisor, atom.remainder)
    return Affine.of(atom)


def divided(numerator: Affine, divisor: int, remainder: bool) -> Affine:
    """Quotient or remainder of an expression that is known not to be negative."""
    if numerator.is_constant:
        quotient, rest = divmod(numerator.constant, divisor)
        return Affine(constant=rest if remainder else quotient)
    if all(c % divisor == 0 for _, c in numerator.terms):
        if remainder:
            return Affine(constant=numerator.constant % divisor)
        terms = frozenset((a, c // divisor) for a, c in numerator.terms)
        return Affine(terms, numerator.constant // divisor)
    return Affine.of(Division(numerator, divisor, remainder))


def constant(value: int) -> Affine:
    return Affine(constant=value)


def operation(operator: str, ctype: CType, *operands: Affine) -> Affine:
    """An opaque value: equal operands give equal values, unless they are large."""
    loops = frozenset().union(*(o.loops for o in operands))
    why = CHOSEN if operator in (*TRUTHS, CHOICE) else _reason(operands)
    size = 1 + sum(o.size for o in operands)
    if size > MAX_SIZE:
        return Affine.of(Value(("large", next(_numbers)), loops, operator, ctype, why))
    if operator in ("*", "&", "|", "^"):
        operands = tuple(sorted(operands, key=repr))
    key = ("op", operator, _cells(ctype), *operands)
    return Affine.of(Value(key, loops, operator, ctype, why, operands, size))


def _reason(operands: tuple[Affine, ...]) -> str:
    found = (a.why for o in operands for a in o.atoms() if isinstance(a, Value) and a.why)
    return next(found, "not affine")


def _cells(ctype: CType) -> tuple[str, int, bool]:
    """What tells integer types apart: bit-fields of all widths have one name."""
    return ctype.text, ctype.bits, ctype.unsigned
