"""The field test's result as a table, and what failed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import groupby

from rich.console import Console
from rich.table import Table

from benchmarks.field.measure import Outcome
from benchmarks.field.suites import ORIGINAL, WORDS, Suite, Trial

_Figure = Callable[[list[Outcome]], str]
_COLUMNS: dict[str, _Figure] = {
    "files": lambda all: str(len(all)),
    "lines": lambda all: f"{sum(o.lines for o in all):,}",
    "analysed": lambda all: str(sum(not (o.failure or o.crash) for o in all)),
    "declarations": lambda all: f"{sum(o.declarations for o in all):,}",
    "lost": lambda all: str(sum(o.lost for o in all)),
    "unknown statements": lambda all: str(sum(o.statements for o in all)),
    "crashes": lambda all: str(sum(bool(o.crash) for o in all)),
    "not given back": lambda all: str(sum(not o.came_back for o in all)),
    "no longer compile": lambda all: str(sum(bool(o.broken) for o in all)),
    "loops": lambda all: f"{sum(o.loops for o in all):,}",
    "parallel": lambda all: f"{sum(o.parallel for o in all):,}",
    "seconds": lambda all: f"{sum(o.seconds for o in all):.0f}",
}


def print_table(outcomes: list[Outcome]) -> None:
    """By package, and below the table everything that went wrong."""
    table = Table("package")
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for package, group in groupby(outcomes, key=lambda outcome: outcome.package):
        _add(table, package, list(group))
    table.add_section()
    _add(table, "all", outcomes)
    Console(width=200).print(table)
    for line in _troubles(outcomes):
        print(line)


def _add(table: Table, name: str, outcomes: list[Outcome]) -> None:
    table.add_row(name, *(figure(outcomes) for figure in _COLUMNS.values()))


def _troubles(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        if outcome.crash:
            yield f"crash: {outcome.file}: {outcome.crash.strip()}"
        if outcome.failure:
            yield f"not analysed: {outcome.failure}"
        if not outcome.came_back:
            yield f"not given back: {outcome.file}"
        for style in outcome.broken:
            yield f"does not compile as {style}: {outcome.file}"
        yield from outcome.messages


def print_suites(suites: list[Suite]) -> None:
    """What came of the packages' own tests, as the Markdown of docs/field-test.md, and what did not pass."""
    print("| package | lines | way | files with pragmas, compiled | pragmas | tests | regions | `strip` |")
    print("|---|--:|---|--:|--:|---|--:|---|")
    for suite in suites:
        for trial in suite.trials:
            print(f"| {suite.package} | {suite.lines:,} | {_trial(trial, suite.trials[0])} |")
    for suite in suites:
        for trial in suite.trials:
            for each in trial.verdicts:
                if each.word not in ("pass", "skipped"):
                    said = f"{each.test}: {each.word} after {each.seconds:.0f} s"
                    print(f"{suite.package}, {trial.way}: {said}", file=sys.stderr)


def _trial(trial: Trial, original: Trial) -> str:
    """The cells of a trial; its time is beside that of the original."""
    words = Counter(each.word for each in trial.verdicts)
    counts = ", ".join(f"{words[word]:,} {word}" for word in WORDS if words[word]) or "none"
    tests = f"{counts} ({trial.seconds:.0f} s)" if trial.builds else "does not build"
    if trial is original:
        return f"{ORIGINAL} | | | {tests} | | "
    back = "the same bytes" if trial.came_back else "**other bytes**"
    files = f"{trial.annotated}, {trial.compiled} | {trial.pragmas:,}"
    return f"`{trial.way}` | {files} | {tests} | {trial.regions:,} | {back}"
