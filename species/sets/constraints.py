"""Convex integer sets of parameters, as isl has them, as comparisons of the atoms that these stand for."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from species.sets.affine import Affine, Atom, constant, operation
from species.sets.conditions import Compare
from species.symbols.types import LONG


def comparisons(case: isl.BasicSet, named: Mapping[str, Atom]) -> tuple[Compare, ...] | None:
    """The constraints of one convex set of parameters; None where they have quotients in them."""
    found = [_comparison(case, constraint, named) for constraint in case.get_constraints()]
    return None if None in found else tuple(c for c in found if c is not None)


def _comparison(case: isl.BasicSet, constraint: isl.Constraint, named: Mapping[str, Atom]) -> Compare | None:
    expression = Affine(constant=constraint.get_constant_val().to_python())
    for position in range(case.dim(isl.dim_type.param)):
        factor = constraint.get_coefficient_val(isl.dim_type.param, position).to_python()
        atom = named[case.get_dim_name(isl.dim_type.param, position)]
        expression += Affine.of(atom, int(factor))
    wholes = [
        (k, int(times.to_python()))
        for k in range(case.dim(isl.dim_type.div))
        if not (times := constraint.get_coefficient_val(isl.dim_type.div, k)).is_zero()
    ]
    if not wholes:
        return Compare(expression, constraint.is_equality())
    ((division, divisor), *others) = wholes
    if others or not constraint.is_equality() or not _rounds(case, division, constraint, divisor):
        return None
    _, first = next(iter(expression.ordered))
    positive = expression if first > 0 else -expression
    return Compare(operation("%", LONG, positive, constant(abs(divisor))), True)


def _rounds(case: isl.BasicSet, division: int, constraint: isl.Constraint, divisor: int) -> bool:
    """Is the quotient that of the constraint's expression, so that this says that there is no rest?"""
    quotient = case.get_div(division)
    pairs = [(quotient.get_constant_val(), constraint.get_constant_val())]
    for position in range(case.dim(isl.dim_type.param)):
        one = quotient.get_coefficient_val(isl.dim_type.param, position)
        pairs.append((one, constraint.get_coefficient_val(isl.dim_type.param, position)))
    inner = (quotient.get_coefficient_val(isl.dim_type.div, k) for k in range(case.dim(isl.dim_type.div)))
    plain = all(each.is_zero() for each in inner)
    return plain and all(one.mul(isl.Val(-divisor)).eq(other) for one, other in pairs)
