"""Dead steps: iterations of an outermost loop that leave nothing behind.

    for (t = 0; t < steps; t++)         t = steps - 1:
        for (i = 0; i < n; i++)             for (i = 0; i < n; i++)
            b[i] = f(a[i], t);                  b[i] = f(a[i], t);

Where no iteration reads what another one has written, only those count that write a cell for the last time
(array data flow: Feautrier 1991, "Dataflow analysis of array and scalar references").
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce

import islpy as isl

from skeletons.schedule.core.effort import STEP, attempted
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, NestPass, Settings
from skeletons.schedule.core.tree import Band
from species.facts import Scop, ScopLoop, ScopNode, ScopStatement
from species.facts.scops import statements_in, with_statements

NAME = "dead-steps"

MOST = 12  # statements


def apply(model: ScopModel) -> ScopModel:
    """The model with outermost loops that make one iteration only, if nobody sees what the others do."""
    scop = model.scop
    nodes = tuple(attempted(partial(_alone, scop, node), STEP) or node for node in scop.nodes)
    if nodes == scop.nodes:
        return model
    return ScopModel(replace(scop, nodes=nodes), model.machine, model.wanted, model.ignored)


def _alone(scop: Scop, node: ScopNode) -> ScopNode:
    """A loop with the one iteration that counts; as it is where there are others."""
    inside = list(statements_in(node))
    if not isinstance(node, ScopLoop) or len(inside) > MOST or not all(map(_overwrites, inside)):
        return node
    model = ScopModel(replace(scop, nodes=(node,)))
    loop = model.original
    if not isinstance(loop, Band) or not model.repeats(loop):
        return node
    if not model.is_parallel(loop, loop, _flow(model)):
        return node  # an iteration reads what another one has written
    texts = {name: f"{{ {model.domains.tuple_of(name)} -> [({of})] }}" for name, of in loop.of.items()}
    writers, own = _last(model), model.domains.sets
    found = [writers.apply(isl.UnionMap(text)) for text in texts.values()]
    last = isl.Set.from_union_set(reduce(isl.UnionSet.union, found))
    if not last.is_singleton():
        return node
    kept = {name: isl.Map(text).intersect_range(last).domain() for name, text in texts.items()}
    domains = {name: str(own[name].intersect(each)) for name, each in kept.items()}
    return with_statements(node, lambda each: replace(each, domain=domains[each.name], guarded=True))


def _overwrites(statement: ScopStatement) -> bool:
    """Does it write one cell for certain, the same in all iterations of the outermost loop?"""
    writes = [access for access in statement.accesses if access.write]
    if not statement.plain or len(writes) != 1 or not statement.iterators:
        return False
    still = all(move is not None and move[0] == 0 for move in writes[0].moves)
    return still and bool(isl.Map(writes[0].relation).is_single_valued())


def _flow(model: ScopModel) -> isl.UnionMap:
    """Pairs of iterations, the second of which reads what the first has written."""
    info = isl.UnionAccessInfo.from_sink(model.accesses(write=False))
    info = info.set_must_source(model.accesses(write=True)).set_schedule_map(model.order)
    return info.compute_flow().get_may_dependence()


def _last(model: ScopModel) -> isl.UnionSet:
    """The iterations that write a cell for the last time, so that what follows can read it."""
    writes = model.accesses(write=True)
    names = [f"{model.domains.tuple_of(name)} -> [0]" for name in model.statements]
    order = isl.UnionMap(f"{{ {'; '.join(names)} }}").flat_range_product(model.order)
    depth = isl.Set.from_union_set(order.range()).dim(isl.dim_type.set)
    behind = isl.UnionMap(f"{{ End[] -> [{', '.join(['1'] + ['0'] * (depth - 1))}] }}")
    looks = isl.UnionMap.from_domain_and_range(isl.UnionSet("{ End[] }"), writes.range())
    info = isl.UnionAccessInfo.from_sink(looks).set_must_source(writes)
    return info.set_schedule_map(order.union(behind)).compute_flow().get_may_dependence().domain()


def _alive(nest: Nest, _: Settings) -> Nest:
    model = apply(nest.model)
    return nest if model is nest.model else Nest(model, model.original)


PASS = NestPass(
    NAME,
    "leave out the iterations of an outermost loop whose results another one overwrites",
    apply=_alive,
    can_be_forced=True,
)
