"""The processor time that the analysis of one nest may take: a safety net, so that no nest takes minutes.

The time of a nest is counted over all stages.  What could go on for long calls `check`, which raises `GaveUp`
once the time is up; `conservatively` is for stages that have to come to an end even then.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

DEFAULT_SECONDS = 2.0


class GaveUp(Exception):
    """The time of the nest is up."""


class Budget:
    """Seconds of this thread for every nest of a file; `spent` is what each took, by any key.

    Garbage collection does not count: how long it takes depends on what else the process holds.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._exhausted: set[Hashable] = set()
        self.spent: dict[Hashable, float] = {}
        self._nest: Hashable = None  # the nest that is being analysed
        self._since = 0.0
        self._collecting = 0.0  # since when

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Within the block, this is the budget that counts."""
        before = _current.set(self)
        gc.callbacks.append(self._collected)
        try:
            yield
        finally:
            gc.callbacks.remove(self._collected)
            _current.reset(before)

    def _collected(self, phase: str, _: object) -> None:
        if phase == "start":
            self._collecting = time.thread_time()
        else:
            self._since += time.thread_time() - self._collecting

    @contextmanager
    def spending(self, nest: Hashable) -> Iterator[None]:
        """The time within the block counts for `nest`."""
        self._nest, self._since = nest, time.thread_time()
        try:
            yield
        finally:
            self.spent[nest] = self._total()
            self._nest = None

    def _total(self) -> float:
        return self.spent.get(self._nest, 0.0) + time.thread_time() - self._since

    def left(self) -> float:
        """Seconds that the nest may still take."""
        return math.inf if self._nest is None else max(0.0, self._seconds - self._total())

    def is_early(self) -> bool:
        """Is half of the nest's time left?"""
        return self.left() > self._seconds / 2

    def charge(self, seconds: float) -> None:
        """Time that another process has spent on the nest."""
        self._since -= seconds

    def check(self) -> None:
        """Raises `GaveUp` where the time of the nest is up, now or before."""
        if self._nest is None:
            return
        if self._nest not in self._exhausted and self._total() > self._seconds:
            self._exhausted.add(self._nest)
        if self._nest in self._exhausted:
            raise GaveUp


_current: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def spending(nest: Hashable) -> Iterator[None]:
    """The time within the block counts for `nest`, of the budget in force."""
    budget = _current.get()
    if budget is None:
        yield
    else:
        with budget.spending(nest):
            yield


def check() -> None:
    """Raises `GaveUp` where the time of the nest that is being analysed is up."""
    budget = _current.get()
    if budget is not None:
        budget.check()


def left() -> float:
    """Seconds that the nest that is being analysed may still take."""
    budget = _current.get()
    return math.inf if budget is None else budget.left()


def in_time() -> bool:
    """Is half of the time left?  Else there is none for what no verdict depends on."""
    budget = _current.get()
    return budget is None or budget.is_early()


def charge(seconds: float) -> None:
    """Time that another process has spent on the nest that is being analysed."""
    budget = _current.get()
    if budget is not None:
        budget.charge(seconds)


def conservatively(query: Callable[[], T], otherwise: T) -> T:
    """The answer of a query, or `otherwise` where the time is up."""
    try:
        return query()
    except GaveUp:
        return otherwise
