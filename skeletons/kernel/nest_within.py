"""One loop of nests by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import islpy as isl

from species.facts import Scop, ScopAccess, ScopLoop, ScopStatement
from species.facts.scops import statements_in, with_statements


def nest_within(scop: Scop, node: ScopLoop, around: tuple[ScopLoop, ...]) -> Scop | None:
    """One loop of nests alone: the iterators `around` it are parameters.  None where they have no names of
    their own.
    """
    names = [loop.iterator for loop in around]
    inside = {name for s in statements_in(node) for name in s.iterators[len(around) :]}
    if len({*names, *dict(scop.parameters)}) < len(names) + len(scop.parameters) or inside & set(names):
        return None
    return replace(
        scop,
        span=node.spans.whole,
        nodes=(with_statements(node, lambda inside: _fixed(inside, names)),),
        parameters=(*scop.parameters, *((loop.iterator, _signed(loop)) for loop in around)),
        context=str(_reached(isl.Set(scop.context), node, names)),
        alternative=None,
    )


def _signed(loop: ScopLoop) -> str:
    """The iterator's value as a number with a sign: sums and negatives of it must not wrap around."""
    return f"(long){loop.iterator}" if loop.unsigned and loop.bits >= 32 else loop.iterator


def _reached(context: isl.Set, node: ScopLoop, names: list[str]) -> isl.Set:
    """What is known where the loop is reached: the values of the iterators around a statement, where those of
    the others do not depend on them, and there always are some.
    """
    kind, count = isl.dim_type.set, len(names)
    for statement in statements_in(node) if names else ():
        domain = isl.Set(statement.domain).reset_tuple_id()
        outer = domain.project_out(kind, count, domain.dim(kind) - count)
        inner = domain.project_out(kind, 0, count)
        runs = not statement.guarded and context.is_subset(inner.params())
        if runs and outer.flat_product(inner).is_equal(domain):
            return context.intersect(_as_parameters(outer, kind, names).params())
    return context


def _fixed(statement: ScopStatement, names: list[str]) -> ScopStatement:
    """The statement where the outermost iterators have a value."""
    domain = _as_parameters(isl.Set(statement.domain), isl.dim_type.set, names).set_tuple_name(statement.name)
    return replace(
        statement,
        iterators=statement.iterators[len(names) :],
        domain=str(domain),
        accesses=tuple(_fixed_access(access, statement.name, names) for access in statement.accesses),
    )


def _fixed_access(access: ScopAccess, statement: str, names: list[str]) -> ScopAccess:
    kind = isl.dim_type.in_
    relation = _as_parameters(isl.Map(access.relation), kind, names).set_tuple_name(kind, statement)
    moves = tuple(None if move is None else move[len(names) :] for move in access.moves)
    return replace(access, relation=str(relation), moves=moves)


def _as_parameters(points: Any, kind: isl.dim_type, names: list[str]) -> Any:
    """A set or relation whose first dimensions of a kind are parameters with these names."""
    first = points.dim(isl.dim_type.param)
    moved = points.move_dims(isl.dim_type.param, first, kind, 0, len(names))
    for place, each in enumerate(names):
        moved = moved.set_dim_name(isl.dim_type.param, first + place, each)
    return moved
