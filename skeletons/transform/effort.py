"""How long isl may take, in its operations: the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import islpy as isl

from skeletons.transform.model import ScopModel
from skeletons.transform.tree import Tree

MOST = 50_000_000  # for one static control part: some 25 seconds
STEP = 8_000_000  # for one transformation of it


@contextmanager
def limited_effort(operations: int = MOST) -> Iterator[None]:
    """Within the block, isl raises an error after so many operations; a block inside has its own."""
    context = isl.DEFAULT_CONTEXT
    before = context.get_max_operations()
    context.reset_operations()
    context.set_max_operations(operations)
    try:
        yield
    finally:
        context.reset_operations()
        context.set_max_operations(before)


def made(name: str, step: Callable[[ScopModel, Tree], Tree], model: ScopModel, tree: Tree) -> Tree:
    """The tree that a transformation gives; the one there was if that takes too long, unless it is wanted."""
    try:
        with limited_effort(MOST if name in model.wanted else STEP):
            return step(model, tree)
    except isl.Error:
        return tree
