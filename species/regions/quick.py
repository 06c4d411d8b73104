"""The quick path to the bounds of an expression: by elimination, where each bound is one expression."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from species.sets.affine import Affine, Atom, Counter, Value
from species.sets.conditions import Condition
from species.sets.elimination import Contradiction, Elimination, Row, Sum, System, Undecided


def itself(atom: Atom) -> Atom:
    return atom


def bounds(
    expression: Affine, conditions: tuple[Condition, ...], inner: frozenset[int]
) -> tuple[Affine, Affine] | None:
    """Least and greatest value while the loops in `inner` run; None where they never do.

    Raises `Undecided`.  What is known of the atoms is the same as in `species.regions.bounds.interval`.
    """
    system = System()
    try:
        for condition in conditions:
            system.add(condition, itself)
        value, constant = system.linear(expression, itself)
        for atom in atoms_of(system.numbers):
            _restrict(system, atom, inner)
        if any(not d.loops & inner for d in system.divisions):
            raise Undecided  # there are many ways to write a quotient
        maxima = [({v: -c for v, c in value.items()}, -constant), (value, constant)]
        return _extremes(system, fixed_variables(system.numbers, inner), maxima)
    except Contradiction:
        return None


def atoms_of(numbers: Mapping[Hashable, int]) -> list[Counter | Value]:
    """The atoms that variables stand for by themselves."""
    return [key for key in numbers if isinstance(key, Counter | Value)]


def fixed_variables(numbers: Mapping[Hashable, int], inner: frozenset[int]) -> dict[int, Atom]:
    """The variables that stand for what does not change while the loops in `inner` run."""
    return {numbers[atom]: atom for atom in atoms_of(numbers) if not atom.loops & inner}


def _restrict(system: System, atom: Counter | Value, inner: frozenset[int]) -> None:
    """Counters and unsigned values are at least zero; narrow values that change are within their range."""
    if isinstance(atom, Counter):
        at_least_zero(system, atom)
    elif atom.loops & inner and atom.ctype.is_integer and atom.ctype.bits <= 16:
        low, high = atom.ctype.value_range
        number = system.variable(atom)
        system.inequalities += [({number: 1}, -low), ({number: -1}, high)]
    elif atom.ctype.unsigned:
        at_least_zero(system, atom)


def at_least_zero(system: System, atom: Counter | Value) -> None:
    system.inequalities.append(({system.variable(atom): 1}, 0))


def _extremes(system: System, fixed: Mapping[int, Atom], maxima: list[Sum]) -> tuple[Affine, Affine]:
    elimination = Elimination(system, maxima)
    elimination.eliminate(set(range(len(system.numbers))) - fixed.keys())
    if not elimination.exact:
        raise Undecided  # a bound may be a number that no iteration has
    minus_low, high = (as_affine(row, constant, fixed) for row, constant in elimination.maxima)
    check_context(elimination, fixed)
    return -minus_low, high


def check_context(elimination: Elimination, fixed: Mapping[int, Atom]) -> None:
    """Raises `Undecided` unless what is left is a plain context: exact, no equations in it.

    Under equations isl may write a bound differently.  Raises `Contradiction` where nothing is left.
    """
    if elimination.is_open():
        return
    if elimination.has_opposites():
        raise Undecided
    elimination.maxima = []
    elimination.eliminate(fixed)
    if not elimination.exact:
        raise Undecided


def as_affine(row: Row, constant: int, fixed: Mapping[int, Atom]) -> Affine:
    """A row over fixed variables as an expression."""
    return Affine(frozenset((fixed[v], c) for v, c in enumerate(row) if c), constant)
