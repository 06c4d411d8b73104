"""Numbers of 64 bits that wrap around: negative ones that were converted, and what is computed with them."""

from __future__ import annotations

from species.sets.affine import CHOICE, Affine, Atom, Division, Value
from species.sets.products import product


def is_size(atom: Atom) -> bool:
    """May it be taken for the size of something, which is no negative number that was converted?"""
    if not isinstance(atom, Value) or atom.key[0] != "op":
        return True
    is_product = atom.key[2] is None  # of ours: exact, and with a sign where a factor has one
    if not is_product and (atom.ctype.bits < 64 or not atom.ctype.unsigned):
        return True
    keeps = is_product or atom.key[1] in ("/", "%", "&", "|", "^", ">>", CHOICE)
    return keeps and all(is_size(a) for part in atom.parts for a in part.atoms())


def flat(index: Affine) -> Affine:
    """A subscript as memory is addressed, modulo 2^64: `(size_t)x + i` is x + i, also for negative x."""
    if all(map(is_size, index.atoms())):
        return index
    found = unwrapped(index, 64)
    return found if all(map(is_size, found.atoms())) else index


def unwrapped(value: Affine, bits: int) -> Affine:
    """An expression that is equal modulo 2^bits: operations and conversions of opaque values are undone."""
    found = value.substitute(lambda atom: _undone(atom, bits))
    half = 2 ** (bits - 1)
    terms = frozenset((a, c) for a, n in found.terms if (c := (n + half) % 2**bits - half))
    return Affine(terms, (found.constant + half) % 2**bits - half)


def _undone(atom: Atom, bits: int) -> Affine | None:
    if isinstance(atom, Division):
        return Affine.of(atom)  # equal modulo 2^64 is not equal modulo 5, and quotients differ too
    if not isinstance(atom, Value) or atom.key[0] != "op" or not atom.parts or atom.ctype.bits < bits:
        return None
    parts = [unwrapped(part, bits) for part in atom.parts]
    match atom.key[1]:
        case "+":
            return parts[0] + parts[1]
        case "-":
            return parts[0] - parts[1]
        case "*":  # of the program, of two numbers, or of ours, of several
            return _product(parts)
    return parts[0] if atom.key[1] == f"({atom.ctype.text})" else None


def _product(parts: list[Affine]) -> Affine | None:
    result: Affine | None = parts[0]
    for part in parts[1:]:
        result = multiplied(result, part) if result is not None else None
    return result


def multiplied(a: Affine, b: Affine) -> Affine | None:
    """`a * b`, if that can be said."""
    if a.is_constant:
        return b.scaled(a.constant)
    return a.scaled(b.constant) if b.is_constant else product(a, b)
