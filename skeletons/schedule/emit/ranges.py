"""The bounds of a statement's loops as C, where its iterations are no more than what the loops say."""

from __future__ import annotations

import islpy as isl

from skeletons.schedule.core.model import ScopModel
from species.sets.isl_to_c import Expressions


def ranges(model: ScopModel, name: str) -> list[tuple[str, str]] | None:
    """For each iterator its first and its last value, over parameters and outer iterators.

    None where these alone do not describe the iterations, or are no affine functions.
    """
    domain, iterators = model.domains.sets[name], model.domains.iterators[name]
    if domain.intersect_params(model.context).is_empty():
        return None  # there is no first one
    build = isl.AstBuild.from_context(model.context)
    ends = [_ends(domain, iterators, position) for position in range(len(iterators))]
    texts = [tuple(Expressions({}).text(build.expr_from_pw_aff(end)) for end in pair) for pair in ends]
    known = (f"{low} <= {i} <= {high}" for i, (low, high) in zip(iterators, texts, strict=True))
    try:
        box = model.domains.where(name, " and ".join(known)).intersect_params(model.context)
    except isl.Error:
        return None  # a minimum, a maximum or a choice
    if not domain.is_equal(box):
        return None
    named = Expressions(dict(model.scop.parameters))
    return [
        (named.text(build.expr_from_pw_aff(low)), named.text(build.expr_from_pw_aff(high)))
        for low, high in ends
    ]


def _ends(domain: isl.Set, iterators: tuple[str, ...], position: int) -> tuple[isl.PwAff, isl.PwAff]:
    """The first and the last value of one iterator; the outer ones have become parameters."""
    kind, parameters = isl.dim_type.set, domain.dim(isl.dim_type.param)
    known = domain.project_out(kind, position + 1, len(iterators) - position - 1)
    known = known.move_dims(isl.dim_type.param, parameters, kind, 0, position)
    for k in range(position):
        known = known.set_dim_name(isl.dim_type.param, parameters + k, iterators[k])
    return known.dim_min(0).coalesce(), known.dim_max(0).coalesce()
