"""Index-set splitting: loops that one of their iterations ties together are parallel before and behind it.

In round k of Floyd's and Warshall's algorithm, all rows read row k, which the round writes, too: the rows
before it, itself, and the rows behind it are independent (Griebl, Feautrier and Lengauer 2000, "Index set
splitting").
"""

from __future__ import annotations

from dataclasses import replace

from skeletons.transform.model import ScopModel, around
from skeletons.transform.tree import Band, Part, Tree, bands, copied, sequence, statements
from skeletons.transform.walk import Whole, places

NAME = "split"
SUMMARY = "split loops at the one iteration that ties the others together, which are then parallel"

DONE = "whole"  # mark of loops that have been looked at, or that are parts


def apply(model: ScopModel, tree: Tree) -> Tree:
    """The tree with such loops in three parts, where no loop around them is parallel or none is inside."""
    while True:
        found = next(
            (new for part, whole in places(tree) if (new := _step(model, part, whole)) is not None), None
        )
        if found is None:
            return _unmarked(tree)
        tree = found


def _step(model: ScopModel, part: Tree, whole: Whole) -> Tree | None:
    if not isinstance(part, Band) or DONE in part.marks or not model.repeats(part):
        return None
    tree, looked = whole(part), part.marked(DONE)
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
    marked = loop.marked(DONE)
    return replace(marked, child=_finished(marked.child)) if isinstance(marked.child, Band) else marked


def _unmarked(tree: Tree) -> Tree:
    if isinstance(tree, Band):
        return replace(tree, marks=tree.marks - {DONE}, child=_unmarked(tree.child))
    if isinstance(tree, Part):
        return replace(tree, child=_unmarked(tree.child))
    children = getattr(tree, "children", None)
    return sequence([_unmarked(child) for child in children]) if children else tree
