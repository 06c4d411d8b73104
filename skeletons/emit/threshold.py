"""How much work is enough for threads, where sizes are known only when a program runs: conditions for `if`
clauses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from math import prod

import islpy as isl

from models.machine import Machine
from skeletons.ctext import parenthesised
from skeletons.emit.expressions import Expressions
from skeletons.transform.constants import constant
from skeletons.transform.model import ScopModel
from skeletons.transform.parallel import FEW, UNKNOWN
from skeletons.transform.permute import cost_along
from skeletons.transform.tree import Tree, statements
from species.scops import ScopStatement

REGIONS = 2  # what one core should need, in times to start a region and to meet behind it
FEWEST = 100  # iterations; below, the clause would hardly ever be false
LONGEST = 40  # characters of a factor


def condition(factors: Sequence[str], seconds: float, machine: Machine, *, narrow: bool = False) -> str:
    """C text that holds where as many iterations as the product of `factors` are worth a parallel region.

    One of them takes one core about so many seconds.  The text is empty where they always are, or nobody can
    tell.  `narrow`: types may be too small for the number, of which compilers warn.
    """
    known = prod(int(factor) for factor in factors if factor.isdigit())
    unknown = [factor for factor in factors if not factor.isdigit()]
    least = REGIONS * machine.region / (known * seconds) if known and seconds else 0
    if not unknown or least < FEWEST or not all(map(_is_short, unknown)):
        return ""
    if len(unknown) == 1 and not narrow:
        return f"{unknown[0]} > {rounded(least)}"
    return f"(double){' * '.join(map(parenthesised, unknown))} > {rounded(least)}"


def _is_short(factor: str) -> bool:
    return len(factor) <= LONGEST and not set("?&|<>\n") & set(factor.replace("->", "."))


def rounded(number: float) -> int:
    """For people to read: the next number of the kind 100, 200, 500, 1000."""
    powers = (int(10**k) for k in count())
    found: int = next(n for power in powers for n in (power, 2 * power, 5 * power) if n >= number)
    return found


def condition_for(model: ScopModel, tree: Tree) -> str:
    """As `condition`, for what a tree runs."""
    trips = {name: list(_trips(model, model.statements[name])) for name in statements(tree)}
    deepest = max(trips, key=lambda name: sum(constant(each) is None for each in trips[name]))
    texts = Expressions(dict(model.scop.parameters))
    build = isl.AstBuild.from_context(model.context)
    factors = [texts.text(build.expr_from_pw_aff(each)) for each in trips[deepest]]
    narrow = any(constant(each) is None and each.max_val().is_int() for each in trips[deepest])
    seconds = 8 * _cells(model, model.statements[deepest]) / model.machine.bandwidth.one
    return condition(factors, seconds, model.machine, narrow=narrow)


def _cells(model: ScopModel, statement: ScopStatement) -> int:
    """About what the cells cost that one execution of a statement touches."""
    own = 1 if not statement.loops else FEW if statement.straight else UNKNOWN
    return own * (1 + cost_along(model, statement, len(statement.iterators) - 1))


def _trips(model: ScopModel, statement: ScopStatement) -> Iterator[isl.PwAff]:
    """How many values each iterator has, at most."""
    domain = model.domains.sets[statement.name]
    for position in range(len(statement.iterators)):
        distance = domain.dim_max(position).sub(domain.dim_min(position)).coalesce()
        one = isl.PwAff.from_aff(isl.Aff.val_on_domain_space(distance.get_domain_space(), 1))
        yield distance.add(one)
