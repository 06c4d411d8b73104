"""The table of speeds against the original: losses marked, means, the worst."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .rounds import Effort, Entry, Timing
from .variants import WAYS

TITLES = {"annotate": "annotated", "compile": "compiled", "hand": "by hand"}


class Table:
    """Markdown, of what was measured so far."""

    def __init__(self, ways: tuple[str, ...], effort: Effort) -> None:
        self._ways, self._effort = ways, effort
        self.entries = [Entry(way, n) for way in ways for n in effort.threads]

    def heads(self) -> list[str]:
        columns = ["program", "gcc -O3, s"]
        for way in self._ways:
            columns += [f"{TITLES[way]}: regions", *(f"{n} thr." for n in self._effort.threads)]
        return columns

    def row(self, timing: Timing) -> list[str]:
        subject = timing.built.subject
        cells = [f"{subject.group}/{subject.name}", f"{timing.seconds:.3f}"]
        for way in self._ways:
            cells += [self._regions(timing, way)]
            cells += [self._ratio(timing, Entry(way, n)) for n in self._effort.threads]
        return cells

    def _regions(self, timing: Timing, way: str) -> str:
        variant = timing.built.variants.get(way)
        return "no program" if variant is None else "as it was" if variant.unchanged else str(variant.regions)

    def _ratio(self, timing: Timing, entry: Entry) -> str:
        ratio = timing.ratio(entry)
        if ratio is None:
            return "**WRONG**" if entry.way in timing.wrong else "-"
        return f"**{ratio:.2f} !**" if ratio < self._effort.least else f"{ratio:.2f}"

    def markdown(self, timings: list[Timing]) -> str:
        head = self.heads()
        rows = [head, ["---", *["---:"] * (len(head) - 1)], *map(self.row, timings)]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)

    def summary(self, timings: list[Timing]) -> list[str]:
        """A line per column, and one on each program that is not as it should be."""
        lines = [self._column(entry, timings) for entry in self.entries]
        for timing in timings:
            lines += [f"{_name(timing)}: {line}" for line in self.complaints(timing)]
        return lines

    def _column(self, entry: Entry, timings: list[Timing]) -> str:
        found = [(ratio, _name(t)) for t in timings if (ratio := t.ratio(entry)) is not None]
        title = f"{TITLES[entry.way]}, {_threads(entry.threads)}"
        if not found:
            return f"{title}: nothing was measured"
        below = sum(ratio < self._effort.least for ratio, _ in found)
        worst = min(found)
        mean = geometric_mean(ratio for ratio, _ in found)
        return (
            f"{title}: geometric mean {mean:.2f} of {len(found)} programs, worst {worst[0]:.2f} "
            f"({worst[1]}), {below} below {self._effort.least:g}"
        )

    def complaints(self, timing: Timing) -> list[str]:
        """What is wrong with a program, one line each; none where all is well."""
        lines = [f"{way}: {why}" for way, why in timing.built.failures.items()]
        lines += [f"{TITLES[way]}, it does something else: {why}" for way, why in timing.wrong.items()]
        ratios = {entry: timing.ratio(entry) for entry in self.entries if entry.way in WAYS}
        slow = [(e, r) for e, r in ratios.items() if r is not None and r < self._effort.least]
        if slow:
            shares = ", ".join(f"{r:.2f} ({TITLES[e.way]}, {_threads(e.threads)})" for e, r in slow)
            lines.append(f"it has only {shares} of gcc's speed")
        return lines


def _threads(count: int) -> str:
    return f"{count} thread{'s' * (count > 1)}"


def _name(timing: Timing) -> str:
    return f"{timing.built.subject.group}/{timing.built.subject.name}"


def geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(max(value, 1e-6)) for value in values]
    return math.exp(sum(logarithms) / len(logarithms))
