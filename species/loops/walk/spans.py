"""How many elements the bytes are that library functions are told of, as in `memset(p, 0, n * sizeof *p)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from species.loops.model import Place
from species.sets.affine import Affine, Atom, Value, constant
from species.sets.modular import multiplied, unwrapped
from species.sets.products import factors
from species.symbols.types import CType


@dataclass(frozen=True)
class Count:
    """A number of elements; unless `certain`, there may be fewer: a product of sizes may have wrapped."""

    value: Affine
    certain: bool = True


def count_of(sizes: Sequence[Any], element: Affine) -> Count | None:
    """How many elements make up a product of sizes; None where it does not come out even."""
    if not sizes or not all(isinstance(s, Affine) for s in sizes):
        return None
    for position, size in enumerate(sizes):
        others = [s for k, s in enumerate(sizes) if k != position]
        if size == element and len(others) == 1:
            return _as_number(others[0])
    fixed = [s.constant for s in sizes if s.is_constant]
    varying = [s for s in sizes if not s.is_constant]
    if len(varying) > 1:
        return None
    total = varying[0].scaled(prod(fixed)) if varying else constant(prod(fixed))
    return Count(constant(1)) if total == element else _divided(_as_number(total), element)


def structure_around(place: Place) -> Place | None:
    """The element of an array of structures that an array lies in; None: it lies in none.

    Bytes that are copied within the array, as many as only the data tells, stay in the structure: to get to
    the next one, they would have to leave both (C11 7.24.1p1).  (The first one may be named for all of them.)
    """
    rank = next((k for k, step in enumerate(place.path) if isinstance(step, str)), 0)
    ctype: CType | None = place.symbol.ctype
    for _ in range(rank):
        ctype = ctype.target if ctype is not None else None
    if place.loose or place.flat is not None or not rank or ctype is None or ctype.kind != "struct":
        return None
    if any(isinstance(step, Affine) and step.is_constant for step in place.path[:rank]):
        return None
    return replace(place, path=place.path[:rank], ctype=ctype)


def _as_number(size: Affine) -> Count:
    """A size without the conversions to size_t: it would be too large for any object if it were negative.

    A number of 64 bits that is multiplied stays converted: the product may be small again, but where a
    condition says that the number is small, too, all is well.  So may a product of three, and more; in
    memory there are no fewer elements than its factors say, or it wraps around.
    """
    found = unwrapped(size, 64)
    narrow = all(isinstance(atom, Value) and atom.ctype.bits <= 32 for atom in found.atoms())
    if narrow and sum(abs(c) for _, c in found.terms) < 2**30:
        return Count(found)
    converted = size.substitute(_original)
    parts = [f for atom in found.atoms() for f in factors(atom)]
    small = all(isinstance(f, Value) and f.ctype.bits <= 32 and f.key[0] != "op" for f in parts)
    if small and any(map(_is_unsigned_product, converted.atoms())):
        return Count(found, certain=False)
    return Count(converted)


def _is_unsigned_product(atom: Atom) -> bool:
    return any(
        isinstance(f, Value) and f.key[:2] == ("op", "*") and f.key[2] is not None for f in factors(atom)
    )


def _original(atom: Atom) -> Affine | None:
    if not isinstance(atom, Value) or atom.ctype.bits != 64 or not atom.ctype.unsigned or not atom.parts:
        return None
    match atom.key[:2]:
        case ("op", "*") if atom.key[2] is not None:
            return multiplied(*atom.parts)
        case ("op", operator) if str(operator).startswith("("):
            return atom.parts[0]
    return None


def _divided(total: Count, element: Affine) -> Count | None:
    value, size = total.value, element.constant
    if not element.is_constant or value.constant % size or any(c % size for _, c in value.terms):
        return None
    terms = frozenset((a, c // size) for a, c in value.terms)
    return Count(Affine(terms, value.constant // size), total.certain)
