"""What a race tells: a table for people, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import geometric_mean
from typing import Any

from rich.console import Console
from rich.table import Table

from cuvier.bench.race import Entry, Result


def print_results(results: Sequence[Result], console: Console) -> None:
    """A table for each program; for several ones, the geometric mean of the ratios."""
    for result in results:
        console.print(_table(result))
        console.print(verdict(result), highlight=False)
        for noise in result.disturbed:
            console.print(f"Do not trust these times: {noise}.", highlight=False)
        console.print()
    ratios = [result.ratio for result in results if result.ratio is not None]
    if len(results) > 1 and ratios:
        mean = f"{geometric_mean(ratios):.2f} in the geometric mean, {min(ratios):.2f} at worst"
        console.print(f"Cuvier's speed against the best of the others: {mean} ({len(ratios)} programs)")


def _table(result: Result) -> Table:
    table = Table(title=result.file, title_justify="left", box=None, pad_edge=False)
    for head in ("", "seconds", "spread", "speed"):
        table.add_column(head, justify="right" if head else "left")
    table.add_column("output")
    for entry in result.entries:
        table.add_row(entry.title, *_cells(result, entry))
    return table


def _cells(result: Result, entry: Entry) -> tuple[str, ...]:
    if entry.seconds is None:
        return ("-", "-", "-", entry.why)
    speed = result.speed(entry)
    shown = "-" if speed is None else f"{speed:.2f}"
    output = f"different: {entry.wrong}" if entry.wrong else "the same"
    return (f"{entry.seconds:.3f}", f"{100 * entry.spread:.0f} %", shown, output)


def verdict(result: Result) -> str:
    """Is it worth it?  One sentence."""
    ours, best, ratio = result.ours, result.best, result.ratio
    if ours.why:
        return f"Cuvier's program did not take part: {ours.why}."
    if ours.wrong:
        return f"Cuvier's program prints something else: {ours.wrong}; `cuvier verify` says why."
    if best is None or ratio is None:
        return "There is nothing to compare Cuvier's program with."
    return f"Cuvier's program is {ratio:.2f} times as fast as the best of the others, {best.title}."


def as_json(results: Sequence[Result]) -> str:
    """The same as an object; seconds are medians, `runs` those of all rounds in order."""
    return json.dumps({"programs": [_program(result) for result in results]}, indent=2) + "\n"


def _program(result: Result) -> dict[str, Any]:
    best = result.best
    return {
        "file": result.file,
        "target": result.target,
        "contenders": [_contender(result, entry) for entry in result.entries],
        "best": best.key if best else None,
        "ratio": result.ratio,
        "disturbed": list(result.disturbed),
    }


def _contender(result: Result, entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.key,
        "title": entry.title,
        "seconds": entry.seconds,
        "spread": entry.spread if entry.runs else None,
        "speed": result.speed(entry),
        "runs": list(entry.runs),
        "why": entry.why,
        "different": entry.wrong,
    }
