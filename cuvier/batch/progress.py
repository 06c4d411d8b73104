"""How far a run over many files is, and how long it will still take.

Small files are done first, so that many results come soon.  What is left is estimated by the bytes of the
files: each counts its own and `OVERHEAD`, for headers and whatever else every file costs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cuvier.batch.job import Job

OVERHEAD = 4_000  # bytes
ENOUGH = 3  # files that must have been done, before anybody can tell


def size_of(job: Job) -> int:
    """The bytes of the job's file; 0 where it cannot be read."""
    try:
        return Path(job.path).stat().st_size
    except OSError:
        return 0


@dataclass
class Progress:
    """Of `total` files; those that the cache has cost no time.  Some may be done twice."""

    total: int
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    latest: str = ""  # the file that was done last
    _ahead: dict[str, int] = field(default_factory=dict)  # by path, the weights of files that are to be done
    _left: int = 0  # the sum of these
    _passed: int = 0  # the weight of those that were done, and
    _worked: int = 0  # how many
    _started: float | None = None

    def expect(self, jobs: Iterable[Job]) -> None:
        """These will be worked on."""
        found = {job.path: size_of(job) + OVERHEAD for job in jobs}
        self._ahead |= found
        self._left += sum(found.values())
        if self._started is None:
            self._started = self.clock()

    def finished(self, job: Job) -> None:
        """One more is done, by work or from the cache."""
        self.done, self.latest = self.done + 1, job.path
        self.total = max(self.total, self.done)
        weight = self._ahead.pop(job.path, 0)
        self._left -= weight
        self._passed += weight
        self._worked += weight > 0

    @property
    def rate(self) -> float:
        """Files a second."""
        started = self._started if self._started is not None else self.clock()
        return self.done / max(self.clock() - started, 1e-3)

    @property
    def seconds_left(self) -> float | None:
        """None: too little has been done to tell."""
        if self._started is None or self._worked < ENOUGH:
            return None
        passed = self.clock() - self._started
        return passed * self._left / self._passed

    @property
    def left(self) -> str:
        """`about 2 min left`; empty where nobody can tell."""
        seconds = self.seconds_left
        return f"about {in_time(seconds)} left" if seconds is not None else ""

    @property
    def line(self) -> str:
        """`120 of 400 files, about 2 min left`."""
        said = f"{self.done} of {self.total} files"
        return f"{said}, {self.left}" if self.left else said


def in_time(seconds: float) -> str:
    """A duration in the unit that suits it: `40 s`, `2 min`, `3 h`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
