"""Where a program has spent its time, and which part of that belongs to which loop."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from cuvier.document.model import PARALLEL, Json, Key, Report, loop_key

_CLONE = re.compile(r"(?:\.(?:constprop|part|isra|cold|lto_priv|_omp_fn)(?:\.\d+)?|'\d+)+$")


@dataclass(frozen=True)
class Frame:
    """A place in a program, as far as the profile knows it; `line` is 1-based."""

    function: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Sample:
    """So much of the time (in any unit) in the first of `frames`, which the others called in turn."""

    weight: float
    frames: tuple[Frame, ...]


@dataclass(frozen=True)
class Profile:
    """What was measured.

    `samples` add up to all of the time.  `calls` are what calls at a place took, with all that they called;
    a kind of profile whose samples know their callers has none.
    """

    kind: str
    name: str
    samples: tuple[Sample, ...]
    calls: tuple[Sample, ...] = ()

    @property
    def title(self) -> str:
        """Such as `callgrind, callgrind.out.12`."""
        placed = any(sample.frames and sample.frames[0].line is not None for sample in self.samples)
        how = "" if placed else " by functions, whose time is shared out among their loops by estimates"
        return f"{self.kind}{how}, {self.name}"

    @cached_property
    def total(self) -> float:
        """The sum of all samples."""
        return sum(sample.weight for sample in self.samples)

    def shares(self, report: Report, estimated: Mapping[Key, float]) -> dict[Key, float]:
        """The part of the time that is spent in each decisive loop, from 0 to 1.

        That of a parallel loop includes what it calls, as that would run in parallel as well.  Where a
        profile knows functions only, a function's time goes to its loops as the estimates say.
        """
        places = _Places(report)
        found: dict[Key, float] = dict.fromkeys(map(loop_key, report.decisive), 0.0)
        unplaced: dict[str, float] = defaultdict(float)
        for sample in self.samples:
            if sample.frames and sample.frames[0].line is None:
                unplaced[plain_name(sample.frames[0].function)] += sample.weight
            for key in places.of_sample(sample):
                found[key] += sample.weight
        for call in self.calls:
            for loop in places.at(call.frames[0]):
                if loop["verdict"] in PARALLEL:
                    found[loop_key(loop)] += call.weight
        for key, weight in _spread(report.decisive, unplaced, estimated):
            found[key] += weight
        return {key: min(1.0, weight / self.total) if self.total else 0.0 for key, weight in found.items()}


def plain_name(function: str) -> str:
    """The name in the source: `main` for `main._omp_fn.0`, `f` for `f.constprop.0` and `f'2`."""
    return _CLONE.sub("", function)


def _spread(
    loops: Iterable[Json], functions: Mapping[str, float], estimated: Mapping[Key, float]
) -> Iterator[tuple[Key, float]]:
    """The time of functions, to their loops in proportion to the estimates, or evenly without any."""
    own: dict[str, list[Key]] = defaultdict(list)
    for loop in loops:
        own[loop["function"]].append(loop_key(loop))
    for function, weight in functions.items():
        keys = own.get(function, [])
        sizes = [estimated.get(key, 0.0) for key in keys]
        if not any(sizes):
            sizes = [1.0] * len(keys)
        yield from ((key, weight * size / sum(sizes)) for key, size in zip(keys, sizes, strict=True))


class _Places:
    """Finds the decisive loops at a place; paths may begin differently in the profile and in the report."""

    def __init__(self, report: Report) -> None:
        self._loops: dict[str, list[Json]] = defaultdict(list)
        for loop in report.decisive:
            self._loops[loop["file"]].append(loop)
        self._known: dict[str, list[str]] = {}

    def of_sample(self, sample: Sample) -> set[Key]:
        """The loops that the sample counts for: with its callers for parallel ones."""
        found = {loop_key(loop) for frame in sample.frames[:1] for loop in self.at(frame)}
        callers = (loop for frame in sample.frames[1:] for loop in self.at(frame))
        return found | {loop_key(loop) for loop in callers if loop["verdict"] in PARALLEL}

    def at(self, frame: Frame) -> list[Json]:
        """The decisive loops around a place."""
        if frame.file is None or frame.line is None:
            return []
        files = self._files(frame.file)
        return [
            loop
            for file in files
            for loop in self._loops[file]
            if loop["line"] <= frame.line <= loop["end_line"]
            and (len(files) == 1 or loop["function"] == plain_name(frame.function))
        ]

    def _files(self, path: str) -> list[str]:
        """The report's files that `path` may be: those with most parts in common, from the end on."""
        if path not in self._known:
            common = {file: _common(path, file) for file in self._loops}
            most = max(common.values(), default=0)
            self._known[path] = [file for file, parts in common.items() if parts == most > 0]
        return self._known[path]


def _common(first: str, second: str) -> int:
    parts = zip(reversed(PurePath(first).parts), reversed(PurePath(second).parts), strict=False)
    return next((number for number, (a, b) in enumerate(parts) if a != b), _shorter(first, second))


def _shorter(first: str, second: str) -> int:
    return min(len(PurePath(first).parts), len(PurePath(second).parts))
