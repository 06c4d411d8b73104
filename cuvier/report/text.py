"""The terminal report: one table per file, and a summary that says what was not analysed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cuvier.report.words import distances_text, own_iterator, tuple_text
from species.facts import LoopFacts, Reason, UnitFacts, Verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

STYLES = {
    Verdict.PARALLEL: "green",
    Verdict.CONDITIONAL: "yellow",
    Verdict.SERIAL: "red",
    Verdict.UNKNOWN: "magenta",
}
LENGTH = 120  # of a reason or a condition
NARROW = 110  # columns; below, the class stands under the verdict


def print_report(
    units: Sequence[UnitFacts], texts: Sequence[str], console: Console, tuples: bool = False
) -> None:
    """Print a section per unit and the summary; `texts` are the units' files, in the same order.

    With `tuples`, the characterisations of loops and, where the facts have them, of statements are shown.
    """
    for unit, text in zip(units, texts, strict=True):
        console.print(f"[bold]{_escape(unit.file)}[/bold]" + _state(unit), highlight=False)
        if unit.loops:
            console.print(_table(unit, text, tuples, narrow=console.width < NARROW))
        else:
            console.print()
    console.print(summary(units), highlight=False, markup=False, soft_wrap=True)


def summary(units: Sequence[UnitFacts]) -> str:
    """How many loops have which verdict, and which files were lost or lost something."""
    loops = [loop for unit in units for loop in unit.loops]
    analysed = sum(unit.status != "failed" for unit in units)
    counts = Counter(loop.verdict for loop in loops)
    verdicts = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    line = f"{_count(len(loops), 'loop')} in {_count(analysed, 'file')}" + (
        f": {verdicts}" if verdicts else ""
    )
    return line + "." + _losses(units)


def _losses(units: Sequence[UnitFacts]) -> str:
    failed = [unit.file for unit in units if unit.status == "failed"]
    partial = [unit.file for unit in units if unit.status == "partial"]
    text = f" Not analysed: {', '.join(failed)}." if failed else ""
    if partial:
        text += f" Analysed in part, loops of the rest are not counted: {', '.join(partial)}."
    return text


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _state(unit: UnitFacts) -> str:
    if unit.status == "failed":
        return "  not analysed"
    if unit.status == "partial":
        return "  analysed in part"
    return "" if unit.loops else "  no loops"


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _table(unit: UnitFacts, text: str, tuples: bool, narrow: bool) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("line", justify="right", no_wrap=True)
    table.add_column("function", overflow="fold")
    table.add_column("loop", no_wrap=True)
    for column in ("verdict, class",) if narrow else ("verdict", "class"):
        table.add_column(column, no_wrap=True)
    table.add_column("species or reason", overflow="fold", ratio=1)
    for loop in unit.loops:
        table.add_row(*_row(unit, loop, text, tuples, narrow))
    return table


def _row(unit: UnitFacts, loop: LoopFacts, text: str, tuples: bool, narrow: bool) -> Iterator[Text]:
    from rich.text import Text

    elsewhere = "" if loop.position.file == unit.file else f"{Path(loop.position.file).name}:"
    yield Text(f"{elsewhere}{loop.position.line}")
    yield Text(loop.function)
    yield Text("  " * loop.depth + f"{loop.kind} {own_iterator(loop, text) or ''}".rstrip())
    verdict, loop_class = Text(loop.verdict.value, style=STYLES[loop.verdict]), Text(loop.loop_class.value)
    yield from (Text("\n").join([verdict, loop_class]),) if narrow else (verdict, loop_class)
    yield Text("\n".join([*_details(loop), *(_tuples(loop) if tuples else ())]))


def _details(loop: LoopFacts) -> list[str]:
    lines = [str(loop.species) + ("" if loop.exact else "  (over-approximated)")] if loop.species else []
    if loop.verdict.is_parallel:
        for operator in dict.fromkeys(each.operator for each in loop.reductions):
            variables = [each.variable for each in loop.reductions if each.operator == operator]
            lines.append(f"reduction({operator}: {', '.join(variables)})")
        lines += [f"linear({each.variable}: {each.step or 'unnamed'})" for each in loop.linear]
        lines += [f"if {_shortened(condition)}" for condition in loop.conditions]
    else:
        lines += [_reason(each) for each in loop.reasons]
    return lines + _kind(loop)


def _reason(reason: Reason) -> str:
    """Its code, its line unless the sentence names it, and the sentence."""
    line = f"line {reason.position.line}"
    prefix = "" if f"{line} " in f"{reason.message} " else f"{line}: "
    return f"{reason.code} {prefix}{_shortened(reason.message)}"


def _kind(loop: LoopFacts) -> list[str]:
    """What kind of serial nest it is; that nests are perfect or not is only told by `explain`."""
    tags = [tag for tag in loop.tags if tag not in ("perfect", "imperfect")]
    distances = [f"distances {distances_text(loop)}"] if loop.distances else []
    return [", ".join(tags), *distances] if tags else distances


def _tuples(loop: LoopFacts) -> Iterator[str]:
    yield from map(tuple_text, loop.characterisations)
    for statement in loop.statements:
        yield f"line {statement.position.line}:"
        yield from (f"  {tuple_text(each)}" for each in statement.characterisations)


def _shortened(text: str) -> str:
    return text if len(text) <= LENGTH else text[: LENGTH - 1].rsplit(" ", 1)[0] + "…"
