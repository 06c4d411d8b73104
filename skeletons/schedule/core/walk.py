"""Visiting the parts of a tree, each with a way to see the whole tree with another part in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from skeletons.schedule.core.tree import Band, Part, Sequence, Tree, sequence

Whole = Callable[[Tree], Tree]


def places(tree: Tree) -> Iterator[tuple[Tree, Whole]]:
    """All parts of a tree, outer ones first, each with the function that puts another in its place."""
    yield from _places(tree, lambda new: new)


def _places(part: Tree, whole: Whole) -> Iterator[tuple[Tree, Whole]]:
    yield part, whole
    for child, inner in children(part):
        yield from _places(child, lambda new, inner=inner: whole(inner(new)))  # type: ignore[misc]


def children(part: Tree) -> Iterator[tuple[Tree, Whole]]:
    """What a part directly holds, each with the function that puts another in its place."""
    if isinstance(part, Band | Part):
        yield part.child, lambda new: replace(part, child=new)
    if isinstance(part, Sequence):
        for k, child in enumerate(part.children):
            yield child, lambda new, k=k: _with(part, k, new)  # type: ignore[misc]


def neighbours(part: Tree, whole: Whole) -> Iterator[tuple[Band, Band, Whole]]:
    """Loops that stand side by side in a part, each pair with the function that puts a tree in its place."""
    rest = part.children if isinstance(part, Sequence) else ()
    for k, (first, second) in enumerate(pairwise(rest)):
        if isinstance(first, Band) and isinstance(second, Band):
            yield first, second, lambda new, k=k: whole(sequence([*rest[:k], new, *rest[k + 2 :]]))  # type: ignore[misc]


def _with(parent: Sequence, position: int, new: Tree) -> Tree:
    return sequence([new if k == position else child for k, child in enumerate(parent.children)])


def rewrite(tree: Tree, step: Callable[[Tree, Whole], Tree | None]) -> Tree:
    """Applies `step` to the parts of a tree, outer ones first, until it has nothing more to say.

    `step(part, whole)` gives the new whole tree, or None.
    """
    while True:
        found = (step(part, whole) for part, whole in places(tree))
        new = next((t for t in found if t is not None), None)
        if new is None:
            return tree
        tree = new
