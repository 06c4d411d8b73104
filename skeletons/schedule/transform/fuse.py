"""Loop fusion: neighbouring loops over the same range become one, which threads may still share."""

from __future__ import annotations

import islpy as isl

from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.tree import Band, Tree, sequence, statements
from skeletons.schedule.core.walk import Whole, neighbours, rewrite

NAME = "fuse"


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with neighbouring parallel loops joined that have their range and an array in common.

    Both loops are parallel before, the joined one is after.  What is `apart` is left alone.
    """

    def step(part: Tree, whole: Whole) -> Tree | None:
        for first, second, put in neighbours(part, whole):
            one = joined(first, second)
            if _is_worthwhile(model, whole(part), first, second) and _is_fine(model, put(one), one):
                return put(one)
        return None

    return rewrite(tree, step)


def joined(first: Band, second: Band) -> Band:
    """Two loops as one, with the name of the first."""
    of = {**first.of, **second.of}
    return Band(first.name, of, sequence([first.child, second.child]), first.marks & second.marks)


def _is_worthwhile(model: ScopModel, tree: Tree, first: Band, second: Band) -> bool:
    if Mark.APART in first.marks | second.marks or not have_same_range(model, first, second):
        return False
    shared = NAME in model.wanted or _arrays(model, first) & _arrays(model, second)
    return bool(shared) and model.is_parallel(tree, first) and model.is_parallel(tree, second)


def _arrays(model: ScopModel, loop: Band) -> set[str]:
    return {a.array for name in statements(loop) for a in model.statements[name].accesses}


def have_same_range(model: ScopModel, first: Band, second: Band) -> bool:
    """Do two loops run through the same values, but for one at which an inner loop makes no iteration?"""
    one, other = _range(model, first), _range(model, second)
    only, missing = one.subtract(other), other.subtract(one)
    if only.is_empty() and missing.is_empty():
        return True
    lacking, more = (second, only) if missing.is_empty() else (first, missing)
    return bool(
        isinstance(lacking.child, Band) and more.is_singleton() and (only.is_empty() or missing.is_empty())
    )


def _range(model: ScopModel, loop: Band) -> isl.Set:
    """The values of a loop; that the loops inside make an iteration does not count."""
    values = model.values_of(loop)
    return values.drop_constraints_not_involving_dims(isl.dim_type.set, 0, 1)


def _is_fine(model: ScopModel, tree: Tree, loop: Band) -> bool:
    return model.is_legal(tree) and model.is_parallel(tree, loop)


PASS = NestPass(
    NAME,
    "fuse neighbouring parallel loops that access the same arrays",
    apply=on_trees(apply),
    can_be_forced=True,
)
