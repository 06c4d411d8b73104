"""Which transformations are made, in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from models.errors import SkeletonError
from skeletons.catalogue.features import FOR_ACCELERATORS, FOR_HOSTS, FOR_SCANS
from skeletons.schedule.core.effort import made_over
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.private_arrays import own_arrays
from skeletons.schedule.core.reductions import MOST_CELLS, section_of
from skeletons.schedule.core.tree import Tree, bands, statements
from skeletons.schedule.transform import (
    contract,
    deadsteps,
    distribute,
    fuse,
    gather,
    indexsplit,
    jam,
    leftlooking,
    panels,
    parallel,
    permute,
    privatise,
    rightlooking,
    strip,
    tile,
    timetile,
    unify,
)

Step = Callable[[ScopModel, Tree], Tree]
BEHIND_PRODUCTS: tuple[tuple[str, Step], ...] = (
    (rightlooking.NAME, rightlooking.apply),
    (permute.NAME, permute.apply),
    (gather.NAME, gather.apply),
    (fuse.NAME, fuse.apply),
    (indexsplit.NAME, indexsplit.apply),
    (strip.NAME, strip.apply),
    (timetile.NAME, timetile.apply),
    (tile.NAME, tile.apply),
)
VECTORISE, THRESHOLD = "vectorise", "threshold"
MODULES = (
    deadsteps,
    privatise,
    distribute,
    contract,
    leftlooking,
    panels,
    rightlooking,
    permute,
    gather,
    fuse,
    indexsplit,
    strip,
    timetile,
    tile,
    unify,
    jam,
)
SUMMARIES = {
    **{m.NAME: m.SUMMARY for m in MODULES},
    VECTORISE: "mark innermost loops for vectors, with sums in variables",
    THRESHOLD: "leave loops that are too short for threads or launches; ask where only the run knows",
}
REORDERING = frozenset({contract.NAME, gather.NAME})  # computes sums in another order


@dataclass(frozen=True)
class Transformed:
    """A tree over the statements of a model, and the names of the transformations that changed it.

    The tree may be used where `condition` (C text; empty: always) holds, else `otherwise` may.
    """

    model: ScopModel
    tree: Tree
    steps: tuple[str, ...]
    condition: str = ""
    otherwise: Tree | None = None


def transformed(
    model: ScopModel,
    without: frozenset[str],
    recognise: contract.Recognise,
    same: unify.Same,
    *,
    reorder: bool,
) -> Transformed:
    """The best tree that the transformations find, those in `without` left out.

    `recognise` finds contractions, `same` statements that read the same (see `unify`).  `reorder` allows sums
    to be computed in another order.
    """
    made = _transformed(model, without, recognise, same, reorder)
    small = _sizes(made.model, made.tree)
    if not small:
        return made
    without |= {unify.NAME}  # both trees are over the same statements
    made = _transformed(model, without, recognise, same, reorder)
    otherwise = _transformed(model, without | {gather.NAME}, recognise, same, reorder)
    return replace(made, condition=small, otherwise=otherwise.tree)


def _transformed(
    model: ScopModel,
    without: frozenset[str],
    recognise: contract.Recognise,
    same: unify.Same,
    reorder: bool,
) -> Transformed:
    steps = []
    if deadsteps.NAME not in without:
        alive = deadsteps.apply(model)
        steps, model = [deadsteps.NAME] if alive is not model else [], alive
    tree, dead = model.original, list(steps)
    left_out = without if reorder else without | REORDERING
    copies: Step = partial(privatise.apply, reorder=reorder)
    products: Step = partial(contract.apply, recognise=recognise)
    ordering = (
        (privatise.NAME, _over_the_same(copies)),
        (distribute.NAME, _over_the_same(distribute.apply)),
        (contract.NAME, _over_the_same(products)),
        (leftlooking.NAME, _over_the_same(leftlooking.apply)),
        (panels.NAME, panels.apply),
        *((name, _over_the_same(step)) for name, step in BEHIND_PRODUCTS),
    )
    for name, step in ordering:
        before = tree
        if name not in left_out:
            model, tree = made_over(name, step, model, tree)
        steps += [name] if tree != before else []
    if tree == model.original:
        steps = dead  # what was split is joined again
    if unify.NAME not in left_out:
        model, united = unify.apply(model, tree, same)
        tree, steps = united, [*steps, unify.NAME] if united != tree else steps
    tree = parallel.share(model, tree, reorder=reorder and gather.NAME not in without)
    if not any(own_arrays(band) for band in bands(tree)):
        steps = [name for name in steps if name != privatise.NAME]
    if VECTORISE not in without:
        tree = parallel.vectorise(model, tree, reorder=reorder)
    jammed = tree if jam.NAME in without else jam.apply(model, tree)
    return Transformed(model, jammed, (*steps, jam.NAME) if jammed is not tree else tuple(steps))


def _over_the_same(step: Step) -> Callable[[ScopModel, Tree], tuple[ScopModel, Tree]]:
    """A transformation that leaves the statements as they are, as one that gives their model, too."""
    return lambda model, tree: (model, step(model, tree))


def _sizes(model: ScopModel, tree: Tree) -> str:
    """The condition that arrays of unknown sizes, of which threads have copies, are there and small."""
    texts = []
    for band in bands(tree):
        for array in (mark.split()[2] for mark in sorted(band.marks) if mark.startswith("sum ")):
            section = section_of(model, array, statements(band))
            if section is not None and section.cells is None:
                texts.append(f"{section.length} >= 1 && {section.length} <= {MOST_CELLS}")
    return " && ".join(dict.fromkeys(texts))


def check_transformations(names: Iterable[str]) -> None:
    """SkeletonError for a name that no transformation has."""
    for name in names:
        known = {**SUMMARIES, **FOR_ACCELERATORS, **FOR_HOSTS, **FOR_SCANS}
        if name not in known:
            raise SkeletonError(f"unknown transformation {name!r}; choose among {', '.join(sorted(known))}")
