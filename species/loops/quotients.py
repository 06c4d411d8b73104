"""What is known of `n / 2` where nobody knows the sign of n: C rounds towards zero."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from species.loops.affine import Affine, Value
from species.loops.conditions import Compare, Condition, leaves
from species.loops.domains import implied


def quotients(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """Of quotients by constants that the conditions have positive: what they come from."""
    known = tuple(conditions)
    compared = (leaf.expression for c in known for leaf in leaves(c) if isinstance(leaf, Compare))
    for atom in dict.fromkeys(a for expression in compared for a in expression.atoms()):
        if not isinstance(atom, Value) or atom.key[:2] != ("op", "/"):
            continue
        dividend, divisor = atom.parts
        quotient = Affine.of(atom)
        if divisor.is_constant and divisor.constant > 0 and implied(Compare(quotient - 1), known):
            least = dividend - quotient.scaled(divisor.constant)
            yield Compare(least)
            yield Compare(-least + (divisor.constant - 1))
