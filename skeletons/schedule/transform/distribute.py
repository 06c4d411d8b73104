"""Loop distribution (fission): a loop around several loops and statements becomes several loops."""

from __future__ import annotations

from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.tree import Band, Leaf, Sequence, Tree, nested, sequence
from skeletons.schedule.core.walk import Whole, rewrite

NAME = "distribute"


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with every loop split before and behind each loop directly inside, as far as that is legal.

    Consecutive statements stay together: apart, they would only read the same memory twice.  But those of
    branches are split off, if they leave simple domains.
    """

    def step(part: Tree, whole: Whole) -> Tree | None:
        candidates = (whole(new) for new in _splits(model, part))
        return next((c for c in candidates if model.is_legal(c)), None)

    return rewrite(tree, step)


def _splits(model: ScopModel, part: Tree) -> list[Tree]:
    """A loop as two, split where a loop stands on one side at least, or a branch."""
    if not isinstance(part, Band) or not isinstance(part.child, Sequence):
        return []
    children = list(part.child.children)
    return [
        sequence([nested((part,), sequence(children[:k])), nested((part,), sequence(children[k:]))])
        for k in range(1, len(children))
        if NAME in model.wanted or not _belong_together(model, children[k - 1], children[k])
    ]


def _belong_together(model: ScopModel, first: Tree, second: Tree) -> bool:
    """Are they statements that run in the same iterations, or in such that are hard to tell apart?"""
    if not (isinstance(first, Leaf) and isinstance(second, Leaf)):
        return False
    if not any(model.statements[leaf.statement].guarded for leaf in (first, second)):
        return True
    domains = [model.domains.sets[leaf.statement].reset_tuple_id() for leaf in (first, second)]
    simple = all(domain.coalesce().n_basic_set() == 1 for domain in domains)
    return not simple or bool(domains[0].is_equal(domains[1]))


PASS = NestPass(
    NAME,
    "split loops whose body holds several loops, where the order of their iterations allows it",
    apply=on_trees(apply),
    can_be_forced=True,
)
