"""What came of some seeds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.oracle.check import Wrong

KEPT = 4  # examples of what is missed, per reason


@dataclass
class Outcome:
    """Counts, what was missed, and what is wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    missed: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)  # by reason: size, seed, loop
    wrong: list[tuple[int | str, Wrong]] = field(default_factory=list)  # with the seed or the file

    def add(self, other: Outcome) -> None:
        self.counts.update(other.counts)
        self.wrong += other.wrong
        for reason, examples in other.missed.items():
            self.missed[reason] = sorted({*self.missed.get(reason, ()), *examples})[:KEPT]
