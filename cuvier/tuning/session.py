"""One search: all kernels of a program at once, until nothing helps or the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from cuvier.base.errors import UserError
from cuvier.tuning.bench import Bench
from cuvier.tuning.search import Search, Values
from cuvier.tuning.subjects import Subject
from skeletons.select.tuned import Tuned, TuningKey

Watcher = Callable[[float, str], None]
Measured = dict[TuningKey, float] | str  # seconds, or why there are none


@dataclass
class Session:
    """Searches for all `subjects` at once: their kernels do not care for each other's parameters.

    `watch` is told the seconds that have passed, and what is being done.
    """

    bench: Bench
    subjects: list[Subject]
    arguments: tuple[str, ...]
    timeout: float
    budget: float
    watch: Watcher
    searches: dict[TuningKey, Search] = field(default_factory=dict)
    programs: int = 0  # built and run
    interrupted: bool = False

    def run(self) -> None:
        """Search; an interrupt by the user ends it, and what was found stays."""
        self._since = time.monotonic()
        self.searches = {s.key: Search(s.parameters, self.bench.start(s)) for s in self.subjects}
        try:
            self._expected = self.bench.reference(self.arguments, self.timeout)
            while self._passed() < self.budget and self._round():
                pass
        except KeyboardInterrupt:
            self.interrupted = True

    def found(self) -> dict[TuningKey, Search]:
        """The searches that have a result."""
        return {key: search for key, search in self.searches.items() if search.seconds < inf}

    def best(self) -> Tuned:
        """The best parameters so far."""
        return {key: search.best for key, search in self.found().items()}

    def _passed(self) -> float:
        return time.monotonic() - self._since

    def _round(self) -> bool:
        """Measure one proposal of each search; is there more to do?"""
        proposals = {k: p for k, s in self.searches.items() if (p := s.propose()) is not None}
        if not proposals:
            return False
        first = all(search.first == inf for search in self.searches.values())
        result = self._measure(proposals)
        if isinstance(result, str) and first:
            raise UserError(f"the generated program cannot be measured: {result}; `cuvier verify` says more")
        for key in proposals:
            self.searches[key].tell(self._seconds(key, proposals, result))
        return True

    def _seconds(self, key: TuningKey, proposals: dict[TuningKey, Values], result: Measured) -> float:
        """Of one key: where all proposals together do not run, of its own with the best of the others."""
        if not isinstance(result, str):
            return result[key]
        if len(proposals) == 1 or self._passed() >= self.budget:
            return inf
        alone = self._measure({key: proposals[key]})
        return inf if isinstance(alone, str) else alone[key]

    def _measure(self, proposals: dict[TuningKey, Values]) -> Measured:
        self.programs += 1
        self.watch(self._passed(), f"program {self.programs}")
        tuned = {**self.best(), **proposals}
        return self.bench.measure(tuned, self.arguments, self._expected, self.timeout)
