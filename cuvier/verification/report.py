"""Prints a verification: a table for people, JSON for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from cuvier.base.shown import harmless_json
from cuvier.verification.result import Cause, Item, VerificationResult

if TYPE_CHECKING:
    from rich.console import Console


_NEVER = (
    "its loop ran on the host, without iterations, or because a condition did not hold,"
    " or rows are in memory of unknown size"
)
_WORDS = {
    Cause.SUMS: "kernels add in another order, which rounds differently; --strict-fp keeps the order",
    Cause.FUNCTIONS: "sin, exp and the like differ from the host's in their last digits; what depends on them"
    " was allowed what it differs by where such errors are put into the original",
    Cause.UNWRITTEN: "the original never writes it, so anything may be there",
    Cause.ITSELF: "two runs of the original differ, so it was not compared",
    Cause.COMPILER: "the original gives the same results when built with -O1, or with -O2 and vectorisation",
}


def result_json(result: VerificationResult) -> str:
    """All fields of the result, `ok`, and the class of each difference: the gravest of its causes."""
    data: dict[str, Any] = {"ok": result.ok, "classes": result.causes, **asdict(result)}
    for each in (*data["items"], data["output"]):
        each.update({"exact": not each["causes"], "class": each["causes"][-1] if each["causes"] else "equal"})
    return harmless_json(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def print_result(result: VerificationResult, console: Console) -> None:
    """The verdict, a row per kernel and variable, and what else was found."""
    from rich.table import Table
    from rich.text import Text

    console.print(Text(f"{result.file}: {result.target} on {result.device}"))
    for note in result.notes:
        console.print(Text(note))
    table = Table("kernel", "line", "variable", "elements", "runs", "result")
    for kernel in result.unlaunched:
        console.print(Text(f"{kernel} was never launched: {_NEVER}"))
    for item in result.items:
        table.add_row(*map(Text, _row(item)), style=None if item.ok else "red")
    table.add_row("", "", "stdout, exit status", "", "", Text(result.output.message))
    console.print(table)
    for finding in result.findings:
        console.print(Text(finding, style="red"))
    for cause in result.causes if result.ok else ():
        console.print(Text(f"{cause}: {_WORDS[cause]}"))
    if not result.output.ok and not result.findings and all(item.ok for item in result.items):
        console.print(Text("lines that are meant to differ, such as times: --ignore-output REGEX"))
    console.print(Text(verdict(result), style="green" if result.ok else "bold red"))


def verdict(result: VerificationResult) -> str:
    """The outcome in one line."""
    count = len(result.kernels) - len(result.unlaunched)
    replaced = f"{count} kernel{'' if count == 1 else 's'} replaced"
    if result.unlaunched:
        replaced += f", {len(result.unlaunched)} never launched"
    if result.ok:
        but = f" but for {' and '.join(result.causes)}" if result.causes else ""
        return f"equal{but}: {replaced}, {len(result.items)} variables compared"
    wrong = [item for item in result.items if not item.ok]
    where = "; ".join(dict.fromkeys(filter(None, map(_place, wrong[:3]))))
    return f"DIFFERENT: {replaced}, {len(wrong)} of {len(result.items)} variables differ" + (
        f" (first: {where})" if where else ""
    )


def _place(item: Item) -> str:
    return f"{item.position}: {item.name} after {item.kernel}" if item.position else f"{item.name} at the end"


def _row(item: Item) -> tuple[str, ...]:
    kernel = item.kernel or "(end)"
    line = str(item.position.line) if item.position else ""
    return kernel, line, item.name, str(item.elements), _runs(item), describe(item)


def _runs(item: Item) -> str:
    all_ = item.compared >= item.executions
    return str(item.executions) if all_ else f"{item.executions}, {item.compared} compared"


def describe(item: Item) -> str:
    """What was found of one variable, in words."""
    if item.ok:
        return _explained(item) if item.causes else item.note or "equal"
    if item.first is None:
        return item.note
    subscripts = "".join(f"[{index}]" for index in item.first.index)
    first = f"{item.name}{subscripts} = {item.first.original} became {item.first.generated}"
    return f"{item.differing} of {item.elements} differ; first {first}" + (
        f"; {item.note}" if item.note else ""
    )


def _explained(item: Item) -> str:
    count = f"{item.differing} of {item.elements} differ: " if item.differing else "equal but for "
    allowed = f"; allowed: {item.tolerance:.2g}" if item.tolerance else ""
    return count + ", ".join(item.causes) + allowed + (f"; {item.note}" if item.note else "")
