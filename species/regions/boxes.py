"""The quick path to regions of arrays: boxes around references by elimination, without isl."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple

from species.core.memo import remembered
from species.loops.model import Reference
from species.regions.quick import as_affine, at_least_zero, atoms_of, check_context, fixed_variables, itself
from species.sets.affine import Affine, Counter, Value
from species.sets.conditions import Compare, Condition
from species.sets.elimination import Contradiction, Elimination, Row, System, Undecided, has_solution

MAX_ESCAPES = 40  # queries for one region

Bounds = tuple[Affine, Affine]


class Access(NamedTuple):
    """What counts of a reference: where it is made, and when."""

    subscripts: tuple[Affine, ...]
    conditions: tuple[Condition, ...]

    @staticmethod
    def of(reference: Reference) -> Access:
        return Access(reference.place.subscripts, reference.conditions)


@remembered(5_000)
def boxes(accesses: tuple[Access, ...], inner: frozenset[int]) -> Boxes:
    """The boxes around some accesses; raises `Undecided`."""
    return Boxes(accesses, inner)


class Boxes:
    """The cells that some accesses to one object touch while the loops in `inner` run.

    Variables are the cell's indices and what does not change in the loops.  Everything raises `Undecided`
    where the bounds are not single expressions, or the accesses are not made under the same conditions.
    """

    def __init__(self, accesses: Sequence[Access], inner: frozenset[int]) -> None:
        self._rank = len(accesses[0].subscripts)
        self._inner = inner
        self._numbers: dict[Hashable, int] = {("cell", d): d for d in range(self._rank)}
        systems = {access: self._system(access) for access in accesses}
        atoms = atoms_of(self._numbers)
        if any(s.divisions for s in systems.values()) or any(self._is_opaque(a) for a in atoms):
            raise Undecided
        self._fixed = fixed_variables(self._numbers, inner)
        unsigned = [a for a in atoms if isinstance(a, Value) and a.ctype.unsigned]
        self._touched = {access: self._project(system, unsigned) for access, system in systems.items()}
        self._contexts: list[Mapping[Row, int]] = []  # that were checked
        self.limits = [self._limits(d) for d in range(self._rank)]

    def _is_opaque(self, atom: Counter | Value) -> bool:
        """Does the value change otherwise than with the counters?"""
        return isinstance(atom, Value) and bool(atom.loops & self._inner)

    def _system(self, access: Access) -> System:
        """The cells that one access touches, with its iterations."""
        system = System(self._numbers)
        try:
            for condition in access.conditions:
                system.add(condition, itself)
        except Contradiction:
            raise Undecided from None
        for dimension, subscript in enumerate(access.subscripts):
            coefficients, constant = system.linear(subscript, itself)
            system.equations.append(({**coefficients, dimension: -1}, constant))
        return system

    def _project(self, system: System, unsigned: Sequence[Value]) -> Elimination:
        """The cells alone, as inequalities."""
        for value in unsigned:
            at_least_zero(system, value)
        kept = {*range(self._rank), *self._fixed}
        moving = set(self._numbers.values()) - kept
        return _eliminated(lambda: Elimination(system), moving)

    # Bounds

    def _limits(self, dimension: int) -> Bounds:
        """The least and the greatest index in one dimension, over all accesses."""
        found = [self._limits_of(each, dimension) for each in self._touched.values()]
        if any(context != found[0][1] for _, context in found):
            raise Undecided
        lows, highs = [low for (low, _), _ in found], [high for (_, high), _ in found]
        return _least(lows), -_least([-high for high in highs])

    def _limits_of(self, touched: Elimination, dimension: int) -> tuple[Bounds, Mapping[Row, int]]:
        """The bounds of one access, and the context in which it is made at all."""
        unit = tuple(int(v == dimension) for v in range(len(self._numbers)))
        maxima = [(tuple(-c for c in unit), 0), (unit, 0)]
        copy = _eliminated(lambda: touched.copy(maxima), range(self._rank))
        minus_low, high = (as_affine(row, constant, self._fixed) for row, constant in copy.maxima)
        context = dict(copy.rows)
        if context not in self._contexts:
            self._contexts.append(context)
            try:
                check_context(copy, self._fixed)
            except Contradiction:
                raise Undecided from None
        return (-minus_low, high), context

    # Coverage

    def filled_by(self, certain: Sequence[Access], known: Sequence[Condition] = ()) -> bool:
        """Do these accesses together touch every cell within the limits, wherever the `known` conditions
        hold?
        """
        box = self._box()
        for condition in known:
            if isinstance(condition, Compare) and all(
                a in self._numbers for a, _ in condition.expression.terms
            ):
                box.add(condition, itself)
        within = Elimination(box).rows
        touched = (self._touched[access].rows for access in certain)
        beyond = [[(row, k) for row, k in rows.items() if within.get(row, k + 1) > k] for rows in touched]
        if not all(beyond):
            return True  # one of them alone
        distinct = {frozenset(rows): rows for rows in beyond}
        return not _escapes(box, list(distinct.values()), [MAX_ESCAPES])

    def _box(self) -> System:
        """The cells within the limits."""
        system = System(self._numbers)
        for dimension, (low, high) in enumerate(self.limits):
            for bound, sign in ((low, 1), (high, -1)):
                coefficients, offset = system.linear(bound.scaled(-sign), itself)
                system.inequalities.append(({**coefficients, dimension: sign}, offset))
        return system


def _escapes(system: System, regions: list[list[tuple[Row, int]]], left: list[int]) -> bool:
    """Has the system a solution outside of all regions, each of them a conjunction of rows?"""
    left[0] -= 1
    if left[0] < 0:
        raise Undecided
    if not has_solution(system):
        return False
    if not regions:
        return True
    for row, constant in regions[0]:
        other = System(system.numbers)
        other.inequalities = [*system.inequalities, ({v: -c for v, c in enumerate(row)}, -constant - 1)]
        if _escapes(other, regions[1:], left):
            return True
    return False


def _eliminated(made: Callable[[], Elimination], variables: set[int] | range) -> Elimination:
    """Exactly; raises `Undecided` otherwise, and where nothing is left."""
    try:
        elimination = made()
        elimination.eliminate(variables)
    except Contradiction:
        raise Undecided from None
    if not elimination.exact:
        raise Undecided
    return elimination


def _least(options: list[Affine]) -> Affine:
    """The least of expressions that differ by constants."""
    differences = [o - options[0] for o in options]
    if any(d.terms for d in differences):
        raise Undecided
    return options[0] + min(d.constant for d in differences)
