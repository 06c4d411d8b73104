"""The order of loops for kernels of a CPU: as for OpenMP, without what only its directives can say."""

from __future__ import annotations

from dataclasses import replace

from skeletons.transform import contract, distribute, fuse, indexsplit, permute, rightlooking, strip, tile
from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Band, Tree
from skeletons.transform.walk import Whole, rewrite

STEPS = (rightlooking, permute, fuse, indexsplit, strip, tile)


def ordered(
    model: ScopModel, without: frozenset[str], recognise: contract.Recognise
) -> tuple[Tree, tuple[str, ...]]:
    """The best tree for cores with vectors, and the transformations that it took.

    What `recognise` takes for products stays as it is: they have skeletons of their own.
    """
    split = model.original if distribute.NAME in without else distribute.apply(model, model.original)
    tree = contract.apply(model, split, recognise)
    steps = [distribute.NAME] if split != model.original else []
    for step in STEPS:
        new = tree if step.NAME in without else step.apply(model, tree)
        steps += [step.NAME] if new != tree else []
        tree = new
    return (_plain(tree), tuple(steps)) if steps else (model.original, ())


def _plain(tree: Tree) -> Tree:
    """The tree in which products are loops like others."""

    def step(part: Tree, whole: Whole) -> Tree | None:
        if not isinstance(part, Band) or "product" not in part.marks:
            return None
        return whole(replace(part, marks=part.marks - {"product"}))

    return rewrite(tree, step)
