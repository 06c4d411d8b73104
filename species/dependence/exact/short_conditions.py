"""Integer sets of parameters as conditions that are worth a test at run time: a few comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl

from species.sets.affine import Atom
from species.sets.conditions import Both, Compare, Condition, Either
from species.sets.constraints import comparisons
from species.sets.domains import implied
from species.sets.quotients import is_rest

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
