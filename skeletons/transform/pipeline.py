"""Which transformations are made, in which order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from skeletons.transform import distribute, fuse, parallel, permute, strip
from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Tree

Step = Callable[[ScopModel, Tree], Tree]
STEPS: tuple[tuple[str, Step], ...] = (
    (distribute.NAME, distribute.apply),
    (permute.NAME, permute.apply),
    (fuse.NAME, fuse.apply),
    (strip.NAME, strip.apply),
)


@dataclass(frozen=True)
class Transformed:
    """A tree, and the names of the transformations that changed it."""

    tree: Tree
    steps: tuple[str, ...]


def transformed(model: ScopModel, without: frozenset[str], *, reorder: bool) -> Transformed:
    """The best tree that the transformations find, those in `without` left out.

    `reorder` allows sums to be computed in another order.
    """
    tree, steps = model.original, []
    for name, step in STEPS:
        new = tree if name in without else step(model, tree)
        if new != tree:
            steps.append(name)
        tree = new
    if tree == model.original:
        steps = []  # what was split is joined again
    tree = parallel.share(model, tree)
    if "vectorise" not in without:
        tree = parallel.vectorise(model, tree, reorder=reorder)
    return Transformed(tree, tuple(steps))
