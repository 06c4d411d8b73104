"""Exact counts of the points of sets that isl describes: iterations of nests, cells of references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import islpy as isl

from models.counting.counts import Count
from models.counting.linear import Linear, floor
from models.counting.loops import CountingLoops
from models.counting.summation import Budget, Guards, Piece, TooManyPieces, summed


def counted(points: isl.Set) -> Count | CountingLoops:
    """How many points a set has, over its parameters, in any number of dimensions: a formula, or, where that
    would be of no use, loops.  ValueError where there are infinitely many.
    """
    try:
        return formula(points)
    except TooManyPieces:
        return CountingLoops(_parameters(points), points)


def formula(points: isl.Set) -> Count:
    """The same, always as a formula; TooManyPieces where there is none that is short enough."""
    names, pieces, budget = _parameters(points), list[Piece](), Budget()
    for part in _disjoint(points):
        variables = [f"{_OWN}{k}" for k in range(part.dim(isl.dim_type.set))]
        plain = part.dim(isl.dim_type.div) == 0  # else what bounds quotients may go, too
        guards = _guards(part.remove_redundancies() if plain else part, names, variables)
        pieces += summed(guards, variables, _is_possible, budget)
    return Count.of(names, pieces)


def _disjoint(points: isl.Set) -> Iterator[isl.BasicSet]:
    """Parts that have no point in common, with some each; all their quotients are known."""
    for part in points.compute_divs().make_disjoint().compute_divs().make_disjoint().get_basic_sets():
        if not part.is_empty():
            yield part


def _parameters(points: isl.Set) -> tuple[str, ...]:
    return tuple(points.get_dim_name(isl.dim_type.param, k) for k in range(points.dim(isl.dim_type.param)))


_OWN = "cuvier_v"  # what dimensions are called: no name of the user's


def _guards(part: isl.BasicSet, parameters: Sequence[str], variables: Sequence[str]) -> Guards:
    """The constraints of a basic set, its local quotients written out."""
    local = part.get_local_space()
    divisions = list[Linear]()

    def linear(of: isl.Aff | isl.Constraint, count: int) -> Linear:
        kinds = ((isl.dim_type.param, parameters), (isl.dim_type.set, variables))
        terms = [
            (name, _whole(of.get_coefficient_val(_in(of, kind), k)))
            for kind, all_names in kinds
            for k, name in enumerate(all_names)
        ]
        found = Linear.of(terms, _whole(of.get_constant_val()))
        for k in range(count):
            found += divisions[k].times(_whole(of.get_coefficient_val(isl.dim_type.div, k)))
        return found

    for k in range(part.dim(isl.dim_type.div)):
        quotient = local.get_div(k)
        below = _whole(quotient.get_denominator_val())
        divisions.append(floor(linear(quotient.scale_val(quotient.get_denominator_val()), k), below))
    found = list[Linear]()
    for constraint in part.get_constraints():
        value = linear(constraint, len(divisions))
        found += [value, value.times(-1)] if constraint.is_equality() else [value]
    return tuple(found)


def _in(of: isl.Aff | isl.Constraint, kind: isl.dim_type) -> isl.dim_type:
    """An expression over a set has its dimensions as inputs."""
    return isl.dim_type.in_ if isinstance(of, isl.Aff) and kind == isl.dim_type.set else kind


def _whole(value: isl.Val) -> int:
    return int(value.to_python())


@cache
def _is_possible(guards: Guards) -> bool:
    """May integers hold all of these?"""
    names = sorted({name for guard in guards for name in guard.names()})
    text = " and ".join(f"{guard.key} >= 0" for guard in guards) or "true"
    return not isl.Set(f"[{', '.join(names)}] -> {{ : {text} }}").is_empty()
