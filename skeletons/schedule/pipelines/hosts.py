"""The order of loops for threads of the host (OpenMP)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from skeletons.schedule.core.marks import Sum, of_kind
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Nest, NestPass, Settings, run
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
    wavefront,
)


def _with_threads(nest: Nest, settings: Settings) -> Nest:
    """Loops marked for threads; those who leave `gather` out want no arrays of sums for each of them."""
    reorder = settings.reorder and gather.NAME not in settings.without
    return nest.ordered(parallel.share(nest.model, nest.tree, reorder=reorder))


ORDERING = (
    privatise.PASS,
    distribute.PASS,
    contract.PASS,
    leftlooking.PASS,
    panels.PASS,
    rightlooking.PASS,
    permute.PASS,
    gather.PASS,
    fuse.PASS,
    indexsplit.PASS,
    strip.PASS,
    timetile.PASS,
    wavefront.PASS,
    tile.PASS,
)
SHARE = NestPass("share", "mark outermost parallel loops for threads", apply=_with_threads, marks_only=True)
SHARING = (unify.PASS, SHARE, parallel.VECTORS, jam.PASS)
PASSES = (deadsteps.PASS, *ORDERING, *SHARING)


@dataclass(frozen=True)
class Transformed:
    """A tree over the statements of a model, and the names of the passes that changed it.

    The tree may be used where `condition` (C text; empty: always) holds, else `otherwise` may.
    """

    model: ScopModel
    tree: Tree
    steps: tuple[str, ...]
    condition: str = ""
    otherwise: Tree | None = None


def ordered(model: ScopModel, settings: Settings) -> Transformed:
    """The best tree that the passes find."""
    made = _ordered(model, settings)
    small = _sizes(made.model, made.tree)
    if not small:
        return made
    settings = _without(settings, unify.NAME)  # both trees are over the same statements
    made = _ordered(model, settings)
    otherwise = _ordered(model, _without(settings, gather.NAME))
    return replace(made, condition=small, otherwise=otherwise.tree)


def _without(settings: Settings, name: str) -> Settings:
    return replace(settings, without=settings.without | {name})


def _ordered(model: ScopModel, settings: Settings) -> Transformed:
    alive, dead = run((deadsteps.PASS,), Nest(model, model.original), settings)
    nest, steps = run(ORDERING, alive, settings)
    if nest.tree == nest.model.original:
        steps = ()  # what was split is joined again
    nest, last = run(SHARING, nest, settings)
    steps = (*dead, *steps, *last)
    if not any(own_arrays(band) for band in bands(nest.tree)):
        steps = tuple(name for name in steps if name != privatise.NAME)
    return Transformed(nest.model, nest.tree, steps)


def _sizes(model: ScopModel, tree: Tree) -> str:
    """The condition that arrays of unknown sizes, of which threads have copies, are there and small."""
    texts = []
    for band in bands(tree):
        for mark in sorted(of_kind(Sum, band.marks)):
            section = section_of(model, mark.array, statements(band))
            if section is not None and section.cells is None:
                texts.append(f"{section.length} >= 1 && {section.length} <= {MOST_CELLS}")
    return " && ".join(dict.fromkeys(texts))
