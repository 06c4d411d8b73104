"""Fusion for reuse: neighbouring nests that read the same matrix, or adjacent ones that read the same vector,
become one, which reads it once.

What they add up may be different things, such as a sum along every row and one along every column: one of
them then is an array of sums of which every thread has its own.
"""

from __future__ import annotations

from itertools import combinations, pairwise

from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.tree import Band, Leaf, Sequence, Tree, sequence, statements
from skeletons.schedule.core.walk import Whole, rewrite
from skeletons.schedule.transform.fuse import have_same_range, joined
from skeletons.schedule.transform.parallel import parallel_marks

NAME = "gather"


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with such nests joined, as far as threads may still share the outermost loop."""

    def step(part: Tree, whole: Whole) -> Tree | None:
        if not isinstance(part, Sequence):
            return None
        for k, later in combinations(range(len(part.children)), 2):
            first, second = part.children[k], part.children[later]
            near = 1 if later == k + 1 or NAME in model.wanted else 2
            if isinstance(first, Band) and isinstance(second, Band) and _may(model, first, second, near):
                new, between = joined(first, second), part.children[k + 1 : later]
                for order in ([*between, new], [new, *between]):
                    rest = [*part.children[:k], *order, *part.children[later + 1 :]]
                    after = whole(sequence(rest))
                    if model.is_legal(after) and parallel_marks(model, after, new, reorder=True):
                        return after
        return None

    return _inner(model, rewrite(tree, step))


def _may(model: ScopModel, first: Band, second: Band, rank: int) -> bool:
    if Mark.APART in first.marks | second.marks or not have_same_range(model, first, second):
        return False
    return bool(_moved(model, first, rank) & _moved(model, second, rank))


def _moved(model: ScopModel, loop: Band, rank: int) -> set[tuple[str, tuple[int | None, ...]]]:
    """Arrays of so many dimensions at least along which a loop moves, and along which of them."""
    found = set()
    for name in statements(loop):
        statement = model.statements[name]
        iterator = loop.of[name].lstrip("-")
        if iterator not in statement.iterators:
            continue
        position = statement.iterators.index(iterator)
        for access in statement.accesses:
            along = tuple(None if move is None else move[position] for move in access.moves)
            if len(along) >= rank and any(along):
                found.add((access.array, along))
    return found


def _inner(model: ScopModel, tree: Tree) -> Tree:
    """Also the loops inside of joined ones, where their order allows it."""

    def step(part: Tree, whole: Whole) -> Tree | None:
        if not isinstance(part, Band) or not isinstance(part.child, Sequence):
            return None
        children = part.child.children
        for k, (first, second) in enumerate(pairwise(children)):
            if isinstance(first, Band) and isinstance(second, Band) and _may(model, first, second, 2):
                body = sequence([*children[:k], joined(first, second), *children[k + 2 :]])
                after = whole(Band(part.name, part.of, body, part.marks))
                if _are_leaves(first) and _are_leaves(second) and model.is_legal(after):
                    return after
        return None

    return rewrite(tree, step)


def _are_leaves(loop: Band) -> bool:
    inner = loop.child.children if isinstance(loop.child, Sequence) else (loop.child,)
    return all(isinstance(part, Leaf) for part in inner)


PASS = NestPass(
    NAME,
    "fuse neighbouring nests that read the same matrix; every thread keeps its own column sums",
    apply=on_trees(apply),
    can_be_forced=True,
    reorders_sums=True,
)
