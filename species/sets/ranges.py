"""What is known of remainders, quotients and masks that are not affine: `(i + 1) % n` is less than n."""

from __future__ import annotations

from collections.abc import Iterator

from species.sets.affine import Affine, Value
from species.sets.conditions import Both, Compare, Condition, Fact
from species.sets.domains import implied
from species.sets.modular import multiplied


def range_of(value: Affine, facts: tuple[Condition, ...]) -> Fact | None:
    """Between what an operation lies, of operands with these `facts`; None: nothing is known."""
    atom = next(iter(value.atoms()), None)
    if not isinstance(atom, Value) or value != Affine.of(atom) or atom.key[0] != "op" or len(atom.parts) != 2:
        return None
    limits = tuple(_limits(atom, facts))
    cases = tuple(Both((*limits, *case)) for case in _multiple(atom))
    return Fact(cases, atom) if any(case.parts for case in cases) else None


def _multiple(atom: Value) -> Iterator[tuple[Compare, ...]]:
    """C rounds towards zero: `(n / w) * w` is between zero and n."""
    left, right = atom.parts
    is_known = atom.key[1] != "/" or right.is_constant
    multiple = None if is_known else multiplied(Affine.of(atom), right)
    if multiple is None:
        yield ()
    else:
        yield Compare(left), Compare(multiple), Compare(left - multiple)
        yield Compare(-left), Compare(-multiple), Compare(multiple - left)


def _limits(atom: Value, facts: tuple[Condition, ...]) -> Iterator[Compare]:
    value, (left, right) = Affine.of(atom), atom.parts
    match atom.key[1]:
        case "%":
            yield from _remainder(value, left, right, facts)
        case "/" if implied(Compare(left), facts) and implied(Compare(right), facts):
            yield from (Compare(value), Compare(left - value))
        case "&":
            for mask in (left, right):
                if implied(Compare(mask), facts):
                    yield from (Compare(value), Compare(mask - value))
        case "^":
            for changed, mask in ((left, right), (right, left)):
                if mask.is_constant and mask.constant >= 0:  # the lowest bits change, in all numbers
                    yield from (Compare(value - changed + mask), Compare(changed + mask - value))


def _remainder(value: Affine, left: Affine, right: Affine, facts: tuple[Condition, ...]) -> Iterator[Compare]:
    """C has no remainder by zero, and one of a negative number is not positive."""
    is_natural, is_least = implied(Compare(left), facts), implied(Compare(right), facts)
    if is_natural:
        yield Compare(value)
    if is_least:
        yield Compare(right - value - 1)
    if is_least is not is_natural:
        yield Compare(right + value - 1) if is_least else Compare(left - value)
