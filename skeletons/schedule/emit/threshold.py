"""How much work is enough for threads, where sizes are known only when a program runs: conditions for `if`
clauses.
"""

from __future__ import annotations

import re
from math import prod

import islpy as isl

from models.profitability import MARGIN
from models.run_time_thresholds import condition, is_short
from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel, around
from skeletons.schedule.core.shapes import nested_trips
from skeletons.schedule.core.tree import Tree, bands, statements
from skeletons.schedule.transform.parallel import UNKNOWN, inner_trips
from skeletons.schedule.transform.permute import cost_along
from species.facts import ScopStatement
from species.sets.isl_to_c import Expressions
from species.source.text.code import names_in


def condition_for(model: ScopModel, tree: Tree) -> str:
    """C text that holds where what a tree runs is worth a parallel region; empty: always.

    Where threads meet again and again, in a loop around, it is what they do between two meetings that counts.
    """
    trips = {name: _trips(model, model.statements[name]) for name in statements(tree)}
    deepest = max(trips, key=lambda name: _unknown(model.statements[name], trips[name]))
    steps = _between_meetings(model, tree, deepest)
    counted = [each for iterator, each in trips[deepest].items() if iterator not in steps]
    texts = Expressions(dict(model.scop.parameters))
    build = isl.AstBuild.from_context(model.context)
    factors = [texts.text(build.expr_from_pw_aff(_plain(each))) for each in counted]
    factors += (each if is_short(each) else str(UNKNOWN) for each in inner_trips(model.statements[deepest]))
    narrow = any(constant(each) is None and each.max_val().is_int() for each in counted)
    seconds = (
        prod(steps.values()) * 8 * _cells(model, model.statements[deepest]) / model.machine.bandwidth.one
    )
    return condition(factors, seconds, MARGIN * model.machine.region, narrow=narrow)


def _unknown(statement: ScopStatement, trips: dict[str, isl.PwAff]) -> int:
    """Of how many loops, around the statement and in it, only the run knows how long they are."""
    inside = (each for each in statement.trips if not each.isdigit())
    return sum(constant(each) is None for each in trips.values()) + len(list(inside))


def _plain(trips: isl.PwAff) -> isl.PwAff:
    """Trips without a choice: those of the case that names most sizes, for which the question then stands."""
    affs = [aff for _, aff in trips.get_pieces()]
    if len(affs) < 2:
        return trips
    return isl.PwAff.from_aff(max(affs, key=_sizes))


def _sizes(aff: isl.Aff) -> int:
    count = aff.dim(isl.dim_type.param)
    return sum(not aff.get_coefficient_val(isl.dim_type.param, k).is_zero() for k in range(count))


def _between_meetings(model: ScopModel, tree: Tree, name: str) -> dict[str, int]:
    """How far iterators of a statement go from one meeting of the threads to the next: those that serial
    loops around shared ones go through, one by one or in blocks.
    """
    shared = [band for band in bands(tree) if Mark.PARALLEL in band.marks]
    serial = [tuple(filter(model.repeats, around(tree, band) or ())) for band in shared]
    most, found = max(serial, key=len, default=()), dict[str, int]()
    for band in most:
        named = {*names_in(band.of.get(name, ""))} & {*model.statements[name].iterators}
        block = re.match(r"(\d+)\*floor\(", band.of.get(name, ""))
        if len(named) == 1:  # (in a block, threads may meet at every step of another loop)
            found[named.pop()] = int(block[1]) if block and name in most[-1].of else 1
    return found


def _cells(model: ScopModel, statement: ScopStatement) -> int:
    """About what the cells cost that one execution of a statement touches, or of the loops in it."""
    return 1 + cost_along(model, statement, len(statement.iterators) - 1)


def _trips(model: ScopModel, statement: ScopStatement) -> dict[str, isl.PwAff]:
    """How many values each iterator has, at most."""
    domain, found = model.domains.sets[statement.name], {}
    for position, iterator in enumerate(statement.iterators):
        distance = domain.dim_max(position).sub(domain.dim_min(position)).coalesce()
        space, known = distance.get_domain_space(), nested_trips(domain, position)
        one = isl.PwAff.from_aff(isl.Aff.val_on_domain_space(space, 1 if known is None else known))
        found[iterator] = distance.add(one) if known is None else one
    return found
