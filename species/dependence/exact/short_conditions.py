"""Integer sets of parameters as conditions that are worth a test at run time: a few comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl

from species.sets.affine import Affine, Atom, constant, operation
from species.sets.conditions import Both, Compare, Condition, Either
from species.sets.domains import implied
from species.sets.quotients import is_rest
from species.symbols.types import LONG

MAX_CASES, MAX_COMPARISONS = 3, 4


def short(good: isl.Set, named: Mapping[str, Atom], executed: Sequence[Condition]) -> Condition | None:
    """The set as a condition, if it is one of a few comparisons; raises `isl.Error`.

    `named` are the atoms that the parameters stand for.  Where one of `executed` does not hold, the loop has
    no iteration, whatever the condition says.
    """
    cases = [comparisons(case, named) for case in good.get_basic_sets()]
    if any(c is None for c in cases) or not 0 < len(cases) <= MAX_CASES:
        return None
    found = [c for c in cases if c is not None and not any(map(_is_one_number, c))]
    few = 0 < sum(map(len, found)) <= MAX_COMPARISONS and all(found)
    return _without_known(found, executed) if few else None


def _is_one_number(part: Compare) -> bool:
    """Must a size be one number, as in `n == 1`?  No program has that one.  (An offset may be zero.)"""
    atoms = [*part.expression.atoms()]
    return part.equal and len(atoms) == 1 and part.expression.constant != 0 and not is_rest(atoms[0])


def _without_known(cases: Sequence[tuple[Compare, ...]], executed: Sequence[Condition]) -> Condition:
    """Without what holds wherever there is an iteration: sets of parameters do not tell it of remainders."""
    if sum(map(len, cases)) > 1:
        needed = [tuple(part for part in case if not _is_known(part, executed)) for case in cases]
        cases = needed if all(needed) else cases
    return Either(tuple(map(Both, cases)))


def _is_known(part: Compare, executed: Sequence[Condition]) -> bool:
    claims = [Compare(e) for e in ((part.expression, -part.expression) if part.equal else (part.expression,))]
    facts = [e.parts if isinstance(e, Both) else (e,) for e in executed]
    return all(implied(claim, known) for claim in claims for known in facts)


def has_rounding(found: isl.Set) -> bool:
    """Are there quotients in it, as in `w` being a multiple of 8?"""
    return any(case.dim(isl.dim_type.div) for case in found.get_basic_sets())


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
