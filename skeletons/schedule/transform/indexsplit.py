"""Index-set splitting: loops that one of their iterations ties together are parallel before and behind it.

In round k of Floyd's and Warshall's algorithm, all rows read row k, which the round writes, too: the rows
before it, itself, and the rows behind it are independent (Griebl, Feautrier and Lengauer 2000, "Index set
splitting").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel, around
from skeletons.schedule.core.passes import NestPass, on_trees
from skeletons.schedule.core.tree import (
    Band,
    Leaf,
    Part,
    Tree,
    any_marked,
    bands,
    copied,
    nested,
    perfect,
    sequence,
    statements,
)
from skeletons.schedule.core.walk import Whole, places

NAME = "split"


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with such loops in three parts, where no loop around them is parallel or none is inside."""
    while True:
        found = next(
            (new for part, whole in places(tree) if (new := _step(model, part, whole)) is not None), None
        )
        if found is None:
            return _unmarked(tree)
        tree = found


def for_threads(model: ScopModel, tree: Tree) -> Tree:
    """The tree with perfect nests in parts, one or two inner loops before, at and behind the value of the
    outermost one, where all loops of the parts that are neither at it are parallel then.
    """
    for part, whole in places(tree):
        loops, inner = perfect(part)
        if 2 <= len(loops) <= 3 and isinstance(inner, Leaf) and not any_marked(loops, Mark.WHOLE):
            new = _in_parts(model, loops, inner, part, whole)
            if new is not None:
                return for_threads(model, new)
    return _unmarked(tree)


def _in_parts(
    model: ScopModel, loops: tuple[Band, ...], inner: Leaf, part: Tree, whole: Whole
) -> Tree | None:
    if all(model.is_parallel(whole(part), loop) for loop in loops[1:]):
        return None
    pivot, *others = (loop.marked(Mark.WHOLE) for loop in loops)
    for count in range(1, len(others) + 1):
        for chosen in combinations(others, count):
            parts = list(_parts(model, pivot, others, chosen, inner))
            after = whole(replace(pivot, child=sequence([part for part, _ in parts])))
            free = (band for part, is_free in parts if is_free for band in bands(part))
            if len(parts) > 1 and model.is_legal(after) and all(model.is_parallel(after, b) for b in free):
                return after
    return None


def _parts(
    model: ScopModel, pivot: Band, others: list[Band], chosen: tuple[Band, ...], inner: Leaf
) -> Iterator[tuple[Tree, bool]]:
    """The parts in the order of the source, and whether they are at no value of the outermost loop."""
    name = inner.statement
    for relations in product("<=>", repeat=len(chosen)):
        pairs = zip(chosen, relations, strict=True)
        condition = " and ".join(f"({loop.of[name]}) {r} ({pivot.of[name]})" for loop, r in pairs)
        where = model.domains.restricted(name, condition)
        if not where.is_empty():
            yield Part(copied(nested(tuple(others), inner)), {name: str(where)}), "=" not in relations


def _step(model: ScopModel, part: Tree, whole: Whole) -> Tree | None:
    if not isinstance(part, Band) or Mark.WHOLE in part.marks or not model.repeats(part):
        return None
    tree, looked = whole(part), part.marked(Mark.WHOLE)
    outer = around(tree, part) or ()
    innermost = not any(band is not part for band in bands(part))
    if model.is_parallel(tree, part) or not (innermost or not any(model.is_parallel(tree, o) for o in outer)):
        return whole(looked)
    for other in outer:
        if all(name in other.of for name in statements(part)):
            new = _split(model, looked, other)
            after = whole(new)
            if model.is_legal(after) and _is_parallel(model, after, new):
                return after
    return whole(looked)


def _split(model: ScopModel, loop: Band, other: Band) -> Tree:
    """The loop before, at and behind the value of a loop around it."""
    parts: list[Tree] = []
    for relation in ("<", "=", ">"):
        where = {n: f"({loop.of[n]}) {relation} ({other.of[n]})" for n in statements(loop)}
        sets = {n: str(model.domains.restricted(n, condition)) for n, condition in where.items()}
        parts.append(Part(copied(_finished(loop) if relation == "=" else loop), sets))
    return sequence(parts)


def _is_parallel(model: ScopModel, tree: Tree, parts: Tree) -> bool:
    """Are the parts before and behind parallel?"""
    outer = [part.child for part in getattr(parts, "children", ())][::2]
    return all(isinstance(loop, Band) and model.is_parallel(tree, loop) for loop in outer)


def _finished(loop: Band) -> Band:
    """The loop, and none in it to be split."""
    marked = loop.marked(Mark.WHOLE)
    return replace(marked, child=_finished(marked.child)) if isinstance(marked.child, Band) else marked


def _unmarked(tree: Tree) -> Tree:
    if isinstance(tree, Band):
        return replace(tree, marks=tree.marks - {Mark.WHOLE}, child=_unmarked(tree.child))
    if isinstance(tree, Part):
        return replace(tree, child=_unmarked(tree.child))
    children = getattr(tree, "children", None)
    return sequence([_unmarked(child) for child in children]) if children else tree


PASS = NestPass(
    NAME,
    "split a loop at the one iteration that the others depend on; the rest is parallel",
    apply=on_trees(apply),
    can_be_forced=True,
)
