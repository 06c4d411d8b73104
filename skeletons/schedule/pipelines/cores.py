"""The order of loops for kernels of a CPU: as for OpenMP, without what only its directives can say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import ModuleType

from skeletons.schedule.core.effort import made
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.reductions import is_scalar, private_sums, section_of
from skeletons.schedule.core.tree import Band, Tree, statements
from skeletons.schedule.core.walk import Whole, children, rewrite
from skeletons.schedule.transform import (
    contract,
    distribute,
    fuse,
    gather,
    indexsplit,
    jam,
    parallel,
    permute,
    rightlooking,
    strip,
    tile,
    timetile,
    unify,
)

_FOR_VECTORS = frozenset({"simd", "scalar"})
STEPS = (rightlooking, permute, gather, fuse, indexsplit, strip, timetile, tile)
FEW_CELLS = 3072  # doubles of which a work-item may have its own, in skeletons for sums of arrays


def ordered(
    model: ScopModel,
    without: frozenset[str],
    recognise: contract.Recognise,
    same: unify.Same,
    *,
    reorder: bool,
) -> tuple[ScopModel, Tree, tuple[str, ...]]:
    """The best tree for cores with vectors, over the statements of a model, and the transformations that it
    took.

    What `recognise` takes for products stays as it is: they have skeletons of their own.  `same` finds
    statements that read the same (see `unify`).  `reorder` allows sums to be computed in another order.
    """
    if not reorder:
        without |= {gather.NAME}
    split = model.original if distribute.NAME in without else distribute.apply(model, model.original)
    tree = contract.apply(model, split, recognise)
    steps = [distribute.NAME] if split != model.original else []
    for step in STEPS:
        new = tree if step.NAME in without else made(step.NAME, _with_limits(step), model, tree)
        if step is gather and not _has_few_sums(model, new, new):
            continue
        steps += [step.NAME] if new != tree else []
        tree = new
    if steps and unify.NAME not in without:
        model, united = unify.apply(model, tree, same)
        steps += [unify.NAME] if united != tree else []
        tree = united
    jammed = tree if jam.NAME in without else _jammed(model, tree)
    steps += [jam.NAME] if jammed != tree else []
    return (model, _plain(jammed), tuple(steps)) if steps else (model, model.original, ())


def _jammed(model: ScopModel, tree: Tree) -> Tree:
    """The tree with serial loops of kernels unrolled (see `jam`), and nothing marked that compilers see by
    themselves.
    """
    marked = parallel.vectorise(model, tree, reorder=False)
    jammed = made(jam.NAME, partial(jam.apply, inside=True), model, marked)
    return tree if jammed is marked else _unmarked(jammed, _FOR_VECTORS)


def _with_limits(step: ModuleType) -> Callable[[ScopModel, Tree], Tree]:
    """Launches take longer than threads that meet: what fits into a cache anyhow is not worth any."""
    if step is not timetile:
        return step.apply  # type: ignore[no-any-return]
    return lambda model, tree: timetile.apply(model, tree, least=_least(model))


def _least(model: ScopModel) -> int:
    return 0 if timetile.NAME in model.wanted else model.machine.cache(2).bytes


def _has_few_sums(model: ScopModel, tree: Tree, part: Tree) -> bool:
    """May threads share the outermost loops as they are, or with a few cells each that they add to?"""
    if not isinstance(part, Band):
        return all(_has_few_sums(model, tree, child) for child, _ in children(part))
    if model.is_parallel(tree, part):
        return True
    arrays = [array for array in private_sums(model, part) or () if not is_scalar(model, array)]
    if not arrays:
        return _has_few_sums(model, tree, part.child)
    sections = [section_of(model, array, statements(part)) for array in arrays]
    cells = [FEW_CELLS + 1 if s is None or s.cells is None else s.cells for s in sections]
    return sum(cells) <= FEW_CELLS


def _plain(tree: Tree) -> Tree:
    """The tree in which products are loops like others."""

    return _unmarked(tree, frozenset({"product"}))


def _unmarked(tree: Tree, marks: frozenset[str]) -> Tree:
    def step(part: Tree, whole: Whole) -> Tree | None:
        if not isinstance(part, Band) or not part.marks & marks:
            return None
        return whole(replace(part, marks=part.marks - marks))

    return rewrite(tree, step)
