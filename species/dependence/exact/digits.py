"""Quotient and remainder by one number, which together tell iterations apart: rows and columns, tiles."""

from __future__ import annotations

from collections.abc import Iterator

from species.dependence.exact.gcd_banerjee import Pair
from species.sets.affine import Atom, Counter, Value
from species.sets.conditions import Compare, leaves
from species.sets.products import factors


def digits(pair: Pair) -> list[tuple[Value, Value]]:
    """The quotients and remainders, by the same number, of what no two iterations of the loop have in common.

    C's satisfy `(a / b) * b + a % b == a` (C11 6.5.5p6): where a differs, one of the two does.
    """
    found = {(str(a.key[1]), a.parts): a for a in _atoms(pair) if isinstance(a, Value) and _is_digit(a, pair)}
    return [
        (value, found["%", parts])
        for (operator, parts), value in found.items()
        if operator == "/" and ("%", parts) in found
    ]


def _atoms(pair: Pair) -> Iterator[Atom]:
    for equation in pair.equations:
        for side in equation:
            yield from (factor for atom in side.atoms() for factor in factors(atom))
    for condition in (*pair.source, *pair.sink):
        for leaf in leaves(condition):
            if isinstance(leaf, Compare):
                yield from (factor for atom in leaf.expression.atoms() for factor in factors(atom))


def _is_digit(value: Value, pair: Pair) -> bool:
    """Is it a quotient or a remainder of what moves with the loop, by what does not?"""
    if value.key[0] != "op" or value.key[1] not in ("/", "%") or len(value.parts) != 2:
        return False
    (whole, part), counter = value.parts, Counter(pair.loop)
    others = frozenset[int]().union(*(a.loops for a, _ in whole.terms if a != counter))
    return bool(whole.coefficient(counter)) and not (others | part.loops) & pair.inner
