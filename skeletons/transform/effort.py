"""How long isl may take, in its operations: the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import islpy as isl

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
