"""How fast is the analyser?  Loops and lines per second, the share of each stage, peak memory.

    python benchmarks/analysis.py [FILE or DIRECTORY ...]      (default: corpus/)

A line counts if it is in a file that was named, not in what it includes.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cuvier.files import collect, read_text
from species.analyse import analyse
from species.source import PreprocessOptions, SourceError, read_translation_unit

CORPUS = Path(__file__).parent.parent / "corpus"


@dataclass(frozen=True)
class Measurement:
    """One file: its size, and the seconds that the stages took."""

    file: str
    lines: int
    loops: int
    reading: float
    analysing: float

    @property
    def seconds(self) -> float:
        return self.reading + self.analysing


def measure(path: Path) -> Measurement | None:
    """Read and analyse one file; None where it cannot be read."""
    started = time.perf_counter()
    try:
        unit = read_translation_unit(str(path), PreprocessOptions())
    except SourceError as error:
        print(error)
        return None
    parsed = time.perf_counter()
    facts = analyse(unit)
    done = time.perf_counter()
    lines = read_text(path).count("\n")
    return Measurement(str(path), lines, len(facts.loops), parsed - started, done - parsed)


def table(measurements: Iterable[Measurement]) -> Table:
    """One row per file, slowest first."""
    result = Table("file", "lines", "loops", "read and parse [ms]", "analyse [ms]")
    for column in result.columns[1:]:
        column.justify = "right"
    for each in sorted(measurements, key=lambda each: -each.seconds):
        times = (f"{each.reading * 1e3:.0f}", f"{each.analysing * 1e3:.0f}")
        result.add_row(each.file, str(each.lines), str(each.loops), *times)
    return result


def totals(measurements: list[Measurement]) -> str:
    """Rates, shares and memory."""
    seconds = sum(each.seconds for each in measurements)
    reading = sum(each.reading for each in measurements) / seconds
    loops = sum(each.loops for each in measurements)
    lines = sum(each.lines for each in measurements)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{len(measurements)} files in {seconds:.2f} s on one core: {loops / seconds:.0f} loops/s, "
        f"{lines / seconds:.0f} lines/s; reading {reading:.0%}, analysing {1 - reading:.0%}; "
        f"peak {memory:.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, default=[CORPUS])
    inputs = collect(parser.parse_args().paths)
    measurements = [found for each in inputs if (found := measure(each.path))]
    Console().print(table(measurements))
    print(totals(measurements))


if __name__ == "__main__":
    main()
