"""How much work it is to walk a function, counted in steps, which are the same on every machine.

What is known of a file must not depend on how fast it was found.  The budget of a nest, which is said in
seconds, is converted by the steps that a machine of 2020 takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

PER_SECOND = 100_000
# Of the budget of a nest: what may be spent before loops are no longer walked to see what an iteration
# changes, on the nest, and on the function that it stands in.
TRIALS, NEST, FUNCTION = 1, 4, 8


class TooLong(Exception):
    """There are no steps left."""


class Effort:
    """The steps that have been `taken` in a function, whose nests have a budget of so many seconds."""

    def __init__(self, seconds: float = math.inf) -> None:
        self._budget = seconds * PER_SECOND
        self._end = self._budget * FUNCTION
        self._trials = math.inf  # when there are none left for these
        self.taken = 0

    def take(self, steps: int) -> None:
        """Raises `TooLong` where that is more than there is."""
        self.taken += steps
        if self.taken > self._end:
            raise TooLong

    @property
    def is_over(self) -> bool:
        """Is there nothing left?"""
        return self.taken > self._end

    @property
    def tries(self) -> bool:
        """Is there something left for trials?"""
        return self.taken < self._trials

    @contextmanager
    def nest(self) -> Iterator[None]:
        """Within the block a nest is walked."""
        self._trials = self.taken + self._budget * TRIALS
        with self._until(self.taken + self._budget * NEST):
            yield

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Within the block, there is only what is left for trials."""
        with self._until(self._trials):
            yield

    @contextmanager
    def _until(self, end: float) -> Iterator[None]:
        outer, self._end = self._end, min(self._end, end)
        try:
            yield
        finally:
            self._end = outer
