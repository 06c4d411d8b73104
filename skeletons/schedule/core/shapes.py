"""The shapes of iteration spaces: whether loops inside are as long in all iterations of an outer one."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from skeletons.schedule.core.constants import constant
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import Band, bands, statements


def position_of(model: ScopModel, band: Band, statement: str) -> int | None:
    """Which of the statement's iterators is the loop's value; None where it is another value."""
    iterators = model.statements[statement].iterators
    value = band.of[statement]
    return iterators.index(value) if value in iterators else None


def trips(domain: isl.Set, position: int) -> int | None:
    """How many values a dimension has, whatever those of the others are; None where that is no number."""
    kinds = isl.dim_type
    known, others = domain.dim(kinds.param), domain.dim(kinds.set) - position - 1
    domain = domain.move_dims(kinds.param, known, kinds.set, position + 1, others)
    domain = domain.move_dims(kinds.param, known + others, kinds.set, 0, position)
    last = constant(domain.dim_max(0).sub(domain.dim_min(0)))
    return None if last is None else last + 1


def nested_trips(domain: isl.Set, position: int) -> int | None:
    """The same, whatever those of the dimensions before it are."""
    behind = domain.dim(isl.dim_type.set) - position - 1
    return trips(domain.project_out(isl.dim_type.set, position + 1, behind), position)


def have_equal_counts(model: ScopModel, name: str, loop: Band) -> bool:
    """Do the loops inside make as many iterations, whatever the loop's value is?"""
    inside = [position_of(model, band, name) for band in bands(loop) if band is not loop and name in band.of]
    domain, own = model.domains.sets[name], position_of(model, loop, name)
    return own is not None and all(
        p is not None and p > own and nested_trips(domain, p) is not None for p in inside
    )


def is_even(model: ScopModel, name: str, loop: Band, around: Sequence[Band] = ()) -> bool:
    """Do the loops inside make the same iterations, whatever the loop's value is?

    The loops `around` stand still; those whose values are iterators do so anyhow.
    """
    position = position_of(model, loop, name)
    inside = [position_of(model, band, name) for band in bands(loop) if band is not loop and name in band.of]
    if position is None or None in inside:
        return False
    fixed = [f"({band.of[name]})" for band in around if position_of(model, band, name) is None]
    values = ", ".join([*model.statements[name].iterators, *fixed])
    places = isl.Map(f"{model.domains.parameters}{{ {model.domains.tuple_of(name)} -> [{values}] }}")
    domain = inner = model.domains.sets[name].apply(places)
    for each in inside:
        inner = inner.eliminate(isl.dim_type.set, each, 1)
    outer = domain.eliminate(isl.dim_type.set, position, 1)
    return bool(inner.intersect(outer).is_equal(domain))


def is_constant(model: ScopModel, name: str, loop: Band) -> bool:
    """Does the loop make the same iterations, whatever the values of all others are?"""
    position = position_of(model, loop, name)
    if position is None:
        return False
    kind, domain = isl.dim_type.set, model.domains.sets[name]
    alone = domain.eliminate(kind, 0, position)
    alone = alone.eliminate(kind, position + 1, domain.dim(kind) - position - 1)
    return bool(domain.eliminate(kind, position, 1).intersect(alone).is_equal(domain))


def are_even(model: ScopModel, loop: Band) -> bool:
    """Is that so of all statements in the loop together?  Two triangles may make a rectangle."""
    spaces: dict[tuple[int, int], isl.Set] = {}
    for name in statements(loop):
        values = [band.of[name].removeprefix("-") for band in bands(loop) if name in band.of]
        around = [each for each in model.statements[name].iterators if each not in values]
        own = f"{model.domains.tuple_of(name)} -> [{', '.join([*around, *values])}]"
        places = isl.Map(f"{model.domains.parameters}{{ {own} }}")
        found, key = model.domains.sets[name].apply(places), (len(around), len(values))
        spaces[key] = spaces[key].union(found) if key in spaces else found
    return all(_is_product(space, position) for (position, _), space in spaces.items())


def _is_product(space: isl.Set, position: int) -> bool:
    """Are the values behind a position the same ones, whatever stands at it?"""
    behind = space.dim(isl.dim_type.set) - position - 1
    inner = space.eliminate(isl.dim_type.set, position + 1, behind)
    return bool(inner.intersect(space.eliminate(isl.dim_type.set, position, 1)).is_equal(space))
