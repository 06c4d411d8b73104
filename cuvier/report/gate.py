"""`--fail-on`: what makes a report fail, for gates in continuous integration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cuvier.base.errors import UserError
from cuvier.document.model import Json, Report, counted
from cuvier.document.words import place_name

if TYPE_CHECKING:
    from cuvier.report.diff import Comparison

CONDITIONS = ("conditional", "serial", "incomplete", "regression")


def conditions(text: str, with_diff: bool) -> tuple[str, ...]:
    """The names in `regression,incomplete`; UserError for unknown ones."""
    names = tuple(dict.fromkeys(filter(None, (name.strip() for name in text.split(",")))))
    unknown = next((name for name in names if name not in CONDITIONS), None)
    if unknown is not None:
        raise UserError(f"--fail-on knows no '{unknown}'; choose from {', '.join(CONDITIONS)}")
    if "regression" in names and not with_diff:
        raise UserError(
            "--fail-on regression needs something to compare with; add --diff OLD NEW or --baseline FILE"
        )
    return names


def violated(wanted: tuple[str, ...], report: Report, comparison: Comparison | None = None) -> list[str]:
    """A sentence for each condition that holds; with a comparison, only what is new or worse counts."""
    return list(_violated(wanted, report, comparison))


def _violated(wanted: tuple[str, ...], report: Report, comparison: Comparison | None) -> Iterator[str]:
    for name in wanted:
        if name == "incomplete":
            files = comparison.lost if comparison else _incomplete(report)
            places = [str(file) for file in files]
        else:
            places = [place_name(loop) for loop in _loops(name, report, comparison)]
        if places:
            noun = "file" if name == "incomplete" else "loop"
            yield f"--fail-on {name}: {counted(len(places), noun)}, the first is {places[0]}"


def _incomplete(report: Report) -> list[str]:
    return [unit["file"] for unit in report.units if unit["status"] != "ok"]


def _loops(name: str, report: Report, comparison: Comparison | None) -> list[Json]:
    if comparison is not None and name == "regression":
        return [change.loop for change in comparison.regressions]
    considered = report.decisive
    if comparison is not None:
        changes = comparison.changes
        considered = [c.new for c in changes if c.new is not None and (c.worse or c.old is None)]
    better = ("parallel",) if name == "conditional" else ("parallel", "conditional")
    return [loop for loop in considered if loop["verdict"] not in better]
