"""Prints a verification: a table for people, JSON for programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from cuvier.shown import harmless_json
from cuvier.verification.result import Item, VerificationResult

if TYPE_CHECKING:
    from rich.console import Console


_NEVER = (
    "its loop ran on the host, without iterations, or because a condition did not hold,"
    " or rows are in memory that nobody knows the size of"
)


def result_json(result: VerificationResult) -> str:
    """All fields of the result, and `ok`."""
    return harmless_json(json.dumps({"ok": result.ok, **asdict(result)}, indent=2, ensure_ascii=False) + "\n")


def print_result(result: VerificationResult, console: Console) -> None:
    """The verdict, a row per kernel and variable, and what else was found."""
    from rich.table import Table
    from rich.text import Text

    console.print(Text(f"{result.file}: {result.target} on {result.device}"))
    for note in result.notes:
        console.print(Text(note))
    table = Table("kernel", "line", "variable", "elements", "runs", "compared", "result")
    for kernel in result.unlaunched:
        console.print(Text(f"{kernel} was never launched: {_NEVER}"))
    for item in result.items:
        table.add_row(*map(Text, _row(item)), style=None if item.ok else "red")
    table.add_row(
        "", "", "stdout, exit status", "", "", _how(result.output.exact), Text(result.output.message)
    )
    console.print(table)
    for finding in result.findings:
        console.print(Text(finding, style="red"))
    console.print(Text(verdict(result), style="green" if result.ok else "bold red"))


def verdict(result: VerificationResult) -> str:
    """The outcome in one line."""
    count = len(result.kernels) - len(result.unlaunched)
    replaced = f"{count} kernel{'' if count == 1 else 's'} replaced"
    if result.unlaunched:
        replaced += f", {len(result.unlaunched)} never launched"
    if result.ok:
        return f"equal: {replaced}, {len(result.items)} variables compared"
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
    how = _how(item.exact) if item.elements else "no"
    return kernel, line, item.name, str(item.elements), str(item.executions), how, describe(item)


def _how(exact: bool) -> str:
    return "exactly" if exact else "with tolerance"


def describe(item: Item) -> str:
    """What was found of one variable, in words."""
    if item.ok:
        return item.note or "equal"
    if item.first is None:
        return item.note
    subscripts = "".join(f"[{index}]" for index in item.first.index)
    first = f"{item.name}{subscripts} = {item.first.original} became {item.first.generated}"
    return f"{item.differing} of {item.elements} differ; first {first}" + (
        f"; {item.note}" if item.note else ""
    )
