"""What is touched of one row of an array, where the rows differ: triangles, diagonals and columns.

The box around a triangle holds cells that nobody touches; row by row there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import islpy as isl

from species.facts.loops import ROW
from species.grammar.nodes import Range
from species.loops.model import Reference
from species.regions.bounds import Extreme, extreme
from species.sets.affine import Affine, Atom, Counter, Division, Value
from species.sets.conditions import Compare, leaves
from species.sets.domains import Names, Printer
from species.symbols.types import LONG

_ROW = Value(("iterator", -1), frozenset(), ROW, LONG)

Limits = list[tuple[Extreme, Extreme]]


class RowPrinter(Printer):
    """Prints for sets in which the row is the first dimension, x0."""

    def atom(self, atom: Atom) -> str:
        return "x0" if atom == _ROW else super().atom(atom)


def row_limits(touched: isl.Set, names: Names, inner: frozenset[int]) -> Limits:
    """The bounds of the rows, and of the other dimensions in terms of the row; raises `isl.Error`."""
    fixed = {n: a for (a, _), n in names.items() if not a.loops & inner}
    rows = limits(touched, 0, fixed)
    place = touched.dim(isl.dim_type.param)
    row = touched.move_dims(isl.dim_type.param, place, isl.dim_type.set, 0, 1)
    row = row.set_dim_name(isl.dim_type.param, place, ROW)
    fixed[ROW] = _ROW
    return [rows, *(limits(row, d, fixed) for d in range(row.dim(isl.dim_type.set)))]


def limits(touched: isl.Set, dimension: int, fixed: dict[str, Atom]) -> tuple[Extreme, Extreme]:
    """The bounds of one dimension; raises `isl.Error` where there are none."""
    if not touched.dim_is_bounded(isl.dim_type.set, dimension):
        raise isl.Error("not bounded")
    context = touched.params()  # before: isl 0.27 can crash on a set of which it has sought a bound in vain
    low = extreme(touched.dim_min(dimension), context, fixed, "min")
    high = extreme(touched.dim_max(dimension), context, fixed, "max")
    if low is None or high is None:
        raise isl.Error("no expression for a bound")
    return low, high


def has_quotients(bounds: Limits) -> bool:
    options = (option for pair in bounds for bound in pair for option in bound.options)
    return any(isinstance(atom, Division) for option in options for atom in option.atoms())


def may_differ(references: Sequence[Reference], inner: frozenset[int]) -> bool:
    """Might rows differ: is there something that two loops, or two subscripts, have to do with?"""
    return any(_is_coupled(reference, inner) for reference in references)


def _is_coupled(reference: Reference, inner: frozenset[int]) -> bool:
    found = (leaf for condition in reference.conditions for leaf in leaves(condition))
    expressions = [leaf.expression for leaf in found if isinstance(leaf, Compare)]
    seen: set[Atom] = set()
    for subscript in reference.place.subscripts:
        counters = _counters(subscript, inner)
        if counters & seen:
            return True
        seen |= counters
    return any(len(_counters(e, inner)) > 1 for e in expressions)


def _counters(expression: Affine, inner: frozenset[int]) -> set[Atom]:
    return {atom for atom in expression.atoms() if isinstance(atom, Counter) and atom.loop in inner}


def of_box(region: tuple[Range, ...]) -> tuple[Range, ...]:
    """The rows of a box that has one cell in each of them; empty for any other."""
    narrow = all(bound.low == bound.high for bound in region[1:])
    return region if narrow and region[0].low != region[0].high else ()


def texts(bounds: Limits, text: Callable[[Extreme], str]) -> tuple[Range, ...]:
    """The bounds as C; empty where no bound depends on the row."""
    found = tuple(Range(text(low), text(high)) for low, high in bounds)
    return found if any(ROW in part for b in found[1:] for part in (b.low, b.high)) else ()
