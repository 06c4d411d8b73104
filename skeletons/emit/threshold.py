"""How much work is enough for threads, where sizes are known only when a program runs: conditions for `if`
clauses.
"""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from models.questions import condition
from models.worth import MARGIN
from skeletons.emit.expressions import Expressions
from skeletons.transform.constants import constant
from skeletons.transform.model import ScopModel
from skeletons.transform.parallel import FEW, UNKNOWN
from skeletons.transform.permute import cost_along
from skeletons.transform.tree import Tree, statements
from species.scops import ScopStatement


def condition_for(model: ScopModel, tree: Tree) -> str:
    """C text that holds where what a tree runs is worth a parallel region; empty: always."""
    trips = {name: list(_trips(model, model.statements[name])) for name in statements(tree)}
    deepest = max(trips, key=lambda name: sum(constant(each) is None for each in trips[name]))
    texts = Expressions(dict(model.scop.parameters))
    build = isl.AstBuild.from_context(model.context)
    factors = [texts.text(build.expr_from_pw_aff(each)) for each in trips[deepest]]
    narrow = any(constant(each) is None and each.max_val().is_int() for each in trips[deepest])
    seconds = 8 * _cells(model, model.statements[deepest]) / model.machine.bandwidth.one
    return condition(factors, seconds, MARGIN * model.machine.region, narrow=narrow)


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
