"""Loops whose threads have copies of arrays (mark `Own`; `Mark.SERVED` for all loops inside)."""

from __future__ import annotations

from dataclasses import replace

from skeletons.schedule.core.marks import Own, of_kind
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import Band, Tree, statements
from species.facts import ScopLoop
from species.facts.scops import statements_in


def source(model: ScopModel, part: Band) -> ScopLoop | None:
    """The outermost loop of the source that a loop of a tree is."""
    for node in model.scop.nodes:
        if isinstance(node, ScopLoop) and {s.name for s in statements_in(node)} == set(statements(part)):
            same = all(value.lstrip("-") == node.iterator for value in part.of.values())
            return node if same else None
    return None


def own_arrays(loop: Band) -> tuple[str, ...]:
    """The arrays of which every thread has a copy, by name."""
    return tuple(sorted(mark.array for mark in of_kind(Own, loop.marks)))


def is_live(model: ScopModel, loop: Band, array: str) -> bool:
    """Is the content of such an array needed behind the loop?"""
    found = source(model, loop)
    return found is not None and array in found.live


def view(model: ScopModel, loop: Band) -> ScopModel:
    """The model as the loop's iterations see it: without the arrays that they have copies of."""
    arrays = own_arrays(loop)
    return model.ignoring(frozenset(arrays)) if arrays and source(model, loop) is not None else model


def without(tree: Tree) -> Tree:
    """A loop and all in it, with no copies."""
    if not isinstance(tree, Band):
        return tree
    return replace(tree, marks=frozenset(mark for mark in tree.marks if not isinstance(mark, Own)))
