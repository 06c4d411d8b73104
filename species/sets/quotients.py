"""What is known of `n / 2`, `n % 2`, `n & 1` and `n ^ 1` for n of either sign: C rounds towards zero."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeGuard

from species.sets.affine import Affine, Atom, Value
from species.sets.conditions import Compare, Condition, leaves
from species.sets.domains import implied
from species.sets.modular import unwrapped
from species.symbols.types import WIDEST

_WHOLE = "quotient"
_RESTS = ("%", "&", "^")


def is_whole(atom: Atom) -> bool:
    """Is it the quotient that goes with a remainder?  It exists, but the program does not have it."""
    return isinstance(atom, Value) and atom.key[0] == _WHOLE


def quotients(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """Of quotients by constants that the conditions have positive: what they come from.

    Remainders and masks are so, too, but for a multiple of the divisor: an even one, of `(t + 1) % 2`, which
    therefore is not t, nor `t % 2`.
    """
    known = tuple(conditions)
    compared = (leaf.expression for c in known for leaf in leaves(c) if isinstance(leaf, Compare))
    found = [a for a in dict.fromkeys(a for e in compared for a in e.atoms()) if _is_binary(a)]
    for atom in found:
        if is_rest(atom):
            yield from _remainder(atom)
        if atom.key[1] != "/":
            continue
        dividend, divisor = atom.parts
        quotient = Affine.of(atom)
        if divisor.is_constant and divisor.constant > 0 and implied(Compare(quotient - 1), known):
            least = dividend - quotient.scaled(divisor.constant)
            yield Compare(least)
            yield Compare(-least + (divisor.constant - 1))


def is_rest(atom: Atom) -> bool:
    """Is it a remainder, a mask or the like, that conditions are better without?"""
    return _is_binary(atom) and atom.key[1] in _RESTS


def _is_binary(atom: Atom) -> TypeGuard[Value]:
    return isinstance(atom, Value) and atom.key[0] == "op" and len(atom.parts) == 2


def _remainder(atom: Value) -> Iterator[Condition]:
    whole, modulus = (_parity(Affine.of(atom)), 2) if atom.key[1] == "^" else _modulus(atom)
    if modulus:
        rest = _parity(whole) if modulus == 2 else whole
        if not modulus & (modulus - 1):  # it does not matter then whether a sum has wrapped around
            rest = unwrapped(rest, atom.ctype.bits)
        quotient = Value((_WHOLE, *atom.key), atom.loops, "/", WIDEST, atom.why)
        yield Compare(rest - Affine.of(atom) - Affine.of(quotient, modulus), True)


def _modulus(atom: Value) -> tuple[Affine, int]:
    """The operand that an operation leaves equal, up to multiples of a number; 0: there is none."""
    left, right = atom.parts if atom.parts[1].is_constant else reversed(atom.parts)
    number = right.constant if right.is_constant else 0
    if atom.key[1] == "%" and right is atom.parts[1]:
        return left, max(0, number)
    is_mask = atom.key[1] == "&" and number > 0 and not number & (number + 1)
    return left, number + 1 if is_mask else 0


def _parity(expression: Affine) -> Affine:
    """What is odd where an expression is: an exclusive or is so where a sum is."""
    atom = next(iter(expression.atoms()), None)
    if isinstance(atom, Value) and expression == Affine.of(atom) and atom.key[:2] == ("op", "^"):
        return atom.parts[0] + atom.parts[1]
    return expression
