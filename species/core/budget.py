"""What the analysis of one nest may cost: a safety net, so that no nest takes minutes.

What is known of a file must not depend on how fast it was found, nor on what was asked before.  So the cost
is counted in steps, which are the same on every machine, and an answer that is remembered costs as much as
finding it (species.core.memo).  Only what no step accounts for is ended by the clock, long after that.

The cost of a nest is counted over all stages.  What could go on for long calls `take`, which raises `GaveUp`
once there is nothing left; `conservatively` is for stages that have to come to an end even then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

DEFAULT_SECONDS = 2.0
STEPS = 1_000_000  # what a machine of 2020 does in a second, about
NET = 5  # times the budget, of processor time
SELDOM = 50  # the clock itself takes as long as much else


class GaveUp(Exception):
    """Nothing is left for the nest."""


class Budget:
    """What every nest of a file may cost, said in seconds; `spent` is the steps of each, by any key."""

    def __init__(self, seconds: float) -> None:
        self._steps, self._seconds = seconds * STEPS, seconds * NET
        self.spent: dict[Hashable, int] = {}
        self._passed: dict[Hashable, float] = {}  # seconds
        self._exhausted: set[Hashable] = set()
        self._nest: Hashable = None  # the nest that is being analysed
        self._since = 0.0
        self._calls = 0
        self.paid: dict[Hashable, Any] = {}  # the answers that the nest has paid for, by their questions

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Within the block, this is the budget that counts."""
        before = _current.set(self)
        try:
            yield
        finally:
            _current.reset(before)

    @contextmanager
    def spending(self, nest: Hashable) -> Iterator[None]:
        """What the block costs counts for `nest`, and not for what is around it."""
        outer, paid = self._nest, self.paid
        if outer is not None:
            self._passed[outer] = self._seconds_passed()
        self._nest, self._since, self.paid = nest, time.thread_time(), {}
        self.spent.setdefault(nest, 0)
        try:
            yield
        finally:
            self._passed[nest] = self._seconds_passed()
            self._nest, self._since, self.paid = outer, time.thread_time(), paid if outer is not None else {}

    def _seconds_passed(self) -> float:
        return self._passed.get(self._nest, 0.0) + time.thread_time() - self._since

    def take(self, steps: int) -> None:
        """Raises `GaveUp` where nothing is left."""
        if self._nest is None:
            return
        self.spent[self._nest] += steps
        self._calls += 1
        late = self._calls % SELDOM == 0 and self._seconds_passed() > self._seconds
        if late or self.spent[self._nest] > self._steps:
            self._exhausted.add(self._nest)
        if self.is_over():
            raise GaveUp

    def affords(self, steps: int) -> bool:
        """Are so many steps left?"""
        return self._nest is None or (not self.is_over() and self.spent[self._nest] + steps <= self._steps)

    def is_early(self) -> bool:
        """Is half of the nest's budget left?"""
        return self.affords(int(self._steps / 2))

    def is_over(self) -> bool:
        """Was there nothing left for the nest, now or before?"""
        return self._nest in self._exhausted


_current: ContextVar[Budget | None] = ContextVar("budget", default=None)


def in_force() -> Budget | None:
    """The budget that counts, if there is one."""
    return _current.get()


@contextmanager
def spending(nest: Hashable) -> Iterator[None]:
    """What the block costs counts for `nest`, of the budget in force."""
    budget = _current.get()
    if budget is None:
        yield
    else:
        with budget.spending(nest):
            yield


def early() -> bool:
    """Is half of the budget left?  Else there is nothing for what no verdict depends on."""
    budget = _current.get()
    return budget is None or budget.is_early()


def conservatively(query: Callable[[], T], otherwise: T) -> T:
    """The answer of a query, or `otherwise` where nothing is left."""
    try:
        return query()
    except GaveUp:
        return otherwise
