"""How long isl may take, in its operations: the same on every machine."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import islpy as isl

from species.sets.domains import is_used_up

T = TypeVar("T")

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


def attempted(step: Callable[[], T], operations: int = MOST) -> T | None:
    """What a computation of isl gives; None if it takes more than so many operations.

    Any other error of isl is a mistake of ours: it gives None, too, with a RuntimeWarning.
    """
    with limited_effort(operations):
        try:
            return step()
        except (isl.Error, TypeError) as error:  # islpy makes None of a number that isl could not finish
            if not is_used_up():
                if isinstance(error, TypeError):
                    raise
                warnings.warn(f"isl: {error}; nothing is transformed there", RuntimeWarning, stacklevel=2)
            return None
