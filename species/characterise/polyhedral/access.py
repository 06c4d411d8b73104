"""Access functions `I = A x + B y + c` over base loops x and structure loops y (seed 003, equation 3.13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from species.loops.model import Loop, Reference
from species.regions.bounds import interval
from species.sets.affine import Affine, Counter, constant
from species.sets.conditions import Compare, Condition, Unknown, leaves

Coefficients = tuple[tuple[int, int], ...]  # (number of a loop, coefficient of its counter), none is zero
Bounds = Mapping[int, tuple[Affine, Affine]]  # first and last value of the counters of loops


class NotStaticAffineError(Exception):
    """The nest is no static affine loop nest; the text says why."""


@dataclass(frozen=True)
class Row:
    """One dimension of an access: a row of A, of B and of c.

    `base` and `structure` are over the loops' counters.  `offset` is what is left of c when the base loops'
    iterators stand in the place of their counters.  `unrolled` is the range of the artificial structure
    loop (section 3.2.3), to be added with the coefficient one; `(0, 0)`: there is none.
    """

    base: Coefficients
    structure: Coefficients
    constant: Affine
    offset: Affine
    unrolled: tuple[int, int] = (0, 0)

    @property
    def has_structure(self) -> bool:
        return bool(self.structure) or self.unrolled != (0, 0)


@dataclass(frozen=True)
class Access:
    """A reference, or several that artificial structure loops join, in the terms of the theory."""

    name: str
    write: bool
    operator: str | None
    rows: tuple[Row, ...]
    bounds: tuple[tuple[int, tuple[Affine, Affine]], ...]  # D_x and D_y: of every loop around it
    base: frozenset[int]
    exact: bool  # the bounds say all: the domain is a box

    @property
    def base_bounds(self) -> tuple[tuple[int, tuple[Affine, Affine]], ...]:
        """D_x alone."""
        return tuple((n, ends) for n, ends in self.bounds if n in self.base)

    @property
    def moves(self) -> bool:
        """Is A not zero?"""
        return any(row.base for row in self.rows)

    @property
    def has_structure(self) -> bool:
        """Is B not zero?"""
        return any(row.has_structure for row in self.rows)


def access(
    reference: Reference, loops: Mapping[int, Loop], base: frozenset[int], operator: str | None
) -> Access:
    """The access function of a reference in a nest; raises `NotStaticAffineError`.

    `loops` are the loops of the nest by number; those in `base` are the base loops.
    """
    check_reference(reference, frozenset(loops))
    own = [n for n in reference.loops if n in loops]
    subscripts = (*reference.place.rows, *reference.place.subscripts)
    rows = tuple(_row(s, [loops[n] for n in own], base) for s in subscripts)
    bounds = tuple((n, _bounds(n, reference.conditions, frozenset(loops))) for n in own)
    exact = all(_is_simple(c, frozenset(loops)) for c in reference.conditions)
    return Access(reference.place.name, reference.write, operator, rows, bounds, base, exact)


def check_reference(reference: Reference, nest: frozenset[int]) -> None:
    """Are subscripts and conditions affine in the iterators and in what the nest does not change?"""
    place = reference.place
    if place.loose or any(isinstance(step, str) for step in place.path):
        raise NotStaticAffineError(f"'{place.name}' is not subscripted like an array")
    for subscript in place.subscripts:
        _check(subscript, nest, f"a subscript of '{place.name}' is not affine")
    for condition in reference.conditions:
        check_condition(condition, nest, f"'{place.name}' stands under a condition that is not affine")


def check_condition(condition: Condition, nest: frozenset[int], message: str) -> None:
    """As `check_reference`, for a condition or a bound."""
    for leaf in leaves(condition):
        if isinstance(leaf, Unknown):
            raise NotStaticAffineError(message)
        _check(leaf.expression, nest, message)


def _check(expression: Affine, nest: frozenset[int], message: str) -> None:
    for atom, _ in expression.terms:
        if not isinstance(atom, Counter) and atom.loops & nest:
            raise NotStaticAffineError(message)


def _row(subscript: Affine, loops: list[Loop], base: frozenset[int]) -> Row:
    parts: tuple[list[tuple[int, int]], list[tuple[int, int]]] = [], []
    rest = subscript
    for loop in loops:
        coefficient = subscript.coefficient(loop.counter)
        if coefficient:
            parts[loop.number not in base].append((loop.number, coefficient))
            rest -= Affine.of(loop.counter, coefficient)
    offset = _without_structure(_without_base(subscript, loops, base), loops)
    return Row(tuple(parts[0]), tuple(parts[1]), rest, offset)


def _without_base(subscript: Affine, loops: list[Loop], base: frozenset[int]) -> Affine:
    """Innermost first: `c * t` of a base loop is `c / step * (iterator - lower)`; the iterator is dropped."""
    result = subscript
    for loop in reversed(loops):
        coefficient = result.coefficient(loop.counter)
        if loop.number in base and coefficient:
            if coefficient % loop.step:
                raise NotStaticAffineError("a subscript divides an iterator")
            result -= Affine.of(loop.counter, coefficient)
            result -= loop.lower.scaled(coefficient // loop.step)
    return result


def _without_structure(expression: Affine, loops: list[Loop]) -> Affine:
    for loop in loops:
        expression -= Affine.of(loop.counter, expression.coefficient(loop.counter))
    return expression


def _bounds(number: int, conditions: tuple[Condition, ...], nest: frozenset[int]) -> tuple[Affine, Affine]:
    found = interval(Affine.of(Counter(number)), conditions, nest)
    low, high = (found[0].single, found[1].single) if found else (None, None)
    if low is None or high is None:
        raise NotStaticAffineError("the bounds of a loop are not single expressions")
    return low, high


def _is_simple(condition: Condition, nest: frozenset[int]) -> bool:
    """Does the condition speak of one loop of the nest at most, and is it a bound of it?"""
    if isinstance(condition, Compare):
        moved = [c for a, c in condition.expression.terms if a.loops & nest]
        return len(moved) <= 1 and not (moved and condition.equal)
    return not any(isinstance(leaf, Compare) and leaf.expression.loops & nest for leaf in leaves(condition))


def total(coefficients: Coefficients, bounds: Bounds) -> tuple[Affine, Affine]:
    """The smallest and the largest value of a row of A or B over a box (equations 3.23 and following).

    The seed's formula takes lower bounds to lower bounds; a negative coefficient swaps them.
    """
    low = high = constant(0)
    for number, coefficient in coefficients:
        first, last = bounds[number] if coefficient > 0 else bounds[number][::-1]
        low += first.scaled(coefficient)
        high += last.scaled(coefficient)
    return low, high
