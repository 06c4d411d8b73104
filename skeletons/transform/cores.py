"""The order of loops for kernels of a CPU: as for OpenMP, without what only its directives can say."""

from __future__ import annotations

from skeletons.transform import distribute, fuse, indexsplit, permute, rightlooking, strip, tile
from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Tree

STEPS = (distribute, rightlooking, permute, fuse, indexsplit, strip, tile)


def ordered(model: ScopModel, without: frozenset[str]) -> tuple[Tree, tuple[str, ...]]:
    """The best tree for cores with vectors, and the transformations that it took."""
    tree, steps = model.original, []
    for step in STEPS:
        new = tree if step.NAME in without else step.apply(model, tree)
        steps += [step.NAME] if new != tree else []
        tree = new
    return (tree, tuple(steps)) if tree != model.original else (tree, ())
