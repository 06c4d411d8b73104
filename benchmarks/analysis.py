"""How fast is the analyser?  Time per nest, loops and lines per second, every stage, peak memory.

    python benchmarks/analysis.py [FILE or DIRECTORY ...]      (default: corpus/)

Times are processor seconds, those of the preprocessor included, so that a busy machine does not
distort them.  Lines are those of the files that are named, not of what they include.  A nest is an
outermost loop with everything inside; its time is that of all stages but the front end, with an equal part
of what its file's nests have in common.
"""

from __future__ import annotations

import argparse
import gc
import math
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from cuvier.base.files import read_text
from cuvier.batch.selection import Selection
from species import analyse
from species.analysis import analyse as analysis
from species.analysis.characterise import NestCharacteriser
from species.core.budget import Budget
from species.dependence.judge import Judge
from species.facts.loops import LoopFacts
from species.kernels.build import KernelBuilder
from species.loops.model import Loop
from species.source import PreprocessOptions, SourceError, read_translation_unit, unit

CORPUS = Path(__file__).parent.parent / "corpus"
SLOWEST = 10  # so many nests are named
STAGES: tuple[tuple[str, Any, str], ...] = (  # a stage, and a function that is part of it
    ("preprocess", unit, "preprocess"),
    ("parse", unit, "parse"),
    ("loops", analysis, "build_model"),
    ("data flow", analysis, "FlowAnalysis"),
    ("dependence", Judge, "judge"),
    ("dependence", analysis, "disjointness"),
    ("characterise", NestCharacteriser, "characterised"),
    ("kernels", KernelBuilder, "build"),
)


def processor_seconds() -> float:
    """Of this process and of the children that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Stopwatch:
    """Seconds per stage; a stage inside another counts for itself alone."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._running: list[str] = ["other"]
        self._since = processor_seconds()

    def switch(self, push: str | None) -> None:
        """Start stage `push` inside the running one, or end the running one."""
        now = processor_seconds()
        self.seconds[self._running[-1]] += now - self._since
        self._since = now
        if push:
            self._running.append(push)
        else:
            self._running.pop()

    def watch(self, stage: str, owner: Any, name: str) -> None:
        """From now on, the time in `owner.name` belongs to `stage`."""
        function: Callable[..., Any] = getattr(owner, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            self.switch(stage)
            try:
                return function(*arguments, **named)
            finally:
                self.switch(None)

        setattr(owner, name, watched)


@dataclass(frozen=True)
class Nest:
    """One nest, and the seconds that it took."""

    place: str
    seconds: float


class NestClock:
    """Takes the times of nests from the analyser's own budgets."""

    def __init__(self) -> None:
        self._budgets: list[Budget] = []
        self._places: dict[int, str] = {}
        described: Callable[..., list[LoopFacts]] = analysis.FunctionAnalysis._nest

        def watched(function: Any, nest: list[Loop]) -> list[LoopFacts]:
            found = described(function, nest)
            self._places[id(nest[0].node)] = f"{found[0].position.file}:{found[0].position.line}"
            return found

        setattr(analysis.FunctionAnalysis, "_nest", watched)  # noqa: B010
        setattr(analysis, "Budget", self._budget)  # noqa: B010

    def _budget(self, seconds: float) -> Budget:
        self._budgets.append(Budget(seconds))
        return self._budgets[-1]

    def nests(self, seconds: float) -> tuple[Nest, ...]:
        """The nests of the file that was analysed last, in so many seconds."""
        spent = {self._places[key]: t for key, t in self._budgets.pop().spent.items() if key in self._places}
        self._places.clear()
        rest = seconds - sum(spent.values())
        return tuple(Nest(place, each + rest / len(spent)) for place, each in spent.items())


@dataclass(frozen=True)
class Measurement:
    """One file: its size, and the seconds that it took."""

    file: str
    nests: tuple[Nest, ...]
    lines: int
    loops: int
    reading: float
    analysing: float


def measure(path: Path, clock: NestClock) -> Measurement | None:
    """Read and analyse one file; None where it cannot be read."""
    gc.collect()  # no nest pays for what the files before it have left behind
    started = processor_seconds()
    try:
        read = read_translation_unit(str(path), PreprocessOptions())
        read.position(read.ast.ext[-1].coord)  # this builds the line map, which is part of reading
    except SourceError as error:
        print(error, file=sys.stderr)
        return None
    parsed = processor_seconds()
    facts = analyse(read)
    done = processor_seconds()
    lines = read_text(path).count("\n")
    nests = clock.nests(done - parsed)
    return Measurement(str(path), nests, lines, len(facts.loops), parsed - started, done - parsed)


def file_table(measurements: list[Measurement]) -> Table:
    """One row per file, slowest first."""
    table = Table("file", "lines", "loops", "read and parse [ms]", "analyse [ms]")
    for each in sorted(measurements, key=lambda each: -(each.reading + each.analysing)):
        times = (f"{each.reading * 1e3:.0f}", f"{each.analysing * 1e3:.0f}")
        table.add_row(each.file, str(each.lines), str(each.loops), *times)
    return table


def nest_table(nests: list[Nest]) -> Table:
    """Median, 99th percentile and maximum, and the slowest nests."""
    ordered = sorted(nests, key=lambda nest: nest.seconds)
    table = Table("nests", "time [ms]", title=f"{len(ordered)} nests", title_justify="left")
    for name, share in (("median", 0.5), ("90th percentile", 0.9), ("99th percentile", 0.99)):
        nest = ordered[max(0, math.ceil(share * len(ordered)) - 1)]
        table.add_row(name, f"{nest.seconds * 1e3:.1f}")
    for nest in reversed(ordered[-SLOWEST:]):
        table.add_row(nest.place, f"{nest.seconds * 1e3:.1f}")
    return table


def warm_up() -> None:
    """Loads what is loaded once."""
    text = "double a[9];\nvoid f(void) {\n    for (int i = 0; i < 9; i++) a[i] = i;\n}\n"
    analyse(read_translation_unit("warm.c", PreprocessOptions(), text=text))


def stage_table(seconds: Counter[str]) -> Table:
    """One row per stage, slowest first."""
    table = Table("stage", "seconds", "share")
    for stage, spent in seconds.most_common():
        table.add_row(stage, f"{spent:.2f}", f"{spent / seconds.total():.0%}")
    return table


def totals(measurements: list[Measurement]) -> str:
    """Rates and memory."""
    seconds = sum(each.reading + each.analysing for each in measurements)
    loops = sum(each.loops for each in measurements)
    lines = sum(each.lines for each in measurements)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{len(measurements)} files in {seconds:.2f} s: {loops / seconds:.0f} loops/s, "
        f"{lines / seconds:.0f} lines/s; peak memory {memory:.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, default=[CORPUS])
    inputs = Selection().collect(parser.parse_args().paths)
    gc.set_threshold(200_000, 20, 50)  # as the command line does
    warm_up()
    clock = NestClock()
    stopwatch = Stopwatch()
    for stage in STAGES:
        stopwatch.watch(*stage)
    measurements = [found for each in inputs if (found := measure(each.path, clock))]
    stopwatch.switch(None)
    console = Console()
    console.print(file_table(measurements))
    nests = [nest for each in measurements for nest in each.nests]
    if nests:
        console.print(nest_table(nests))
    console.print(stage_table(stopwatch.seconds))
    print(totals(measurements))


if __name__ == "__main__":
    main()
