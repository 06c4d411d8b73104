"""The terminal report: a tree per file, the loops that matter, and a summary that tells what is missing."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from cuvier.document.model import Json, counted, summary
from cuvier.document.words import (
    details,
    loop_name,
    percent,
    place_name,
    standing,
    standing_word,
    tuples,
    why_text,
)
from cuvier.report.ranking import Ranked
from cuvier.report.view import TOP, View

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

STYLES = {
    "parallel": "green",
    "conditional": "yellow",
    "serial": "red",
    "unproven": "bright_red",
    "unknown": "magenta",
}
STATES = {"failed": "  not analysed", "partial": "  analysed in part"}
MANY = 20  # decisive loops; from so many on, those that matter are listed without being asked for


def print_report(view: View, console: Console) -> None:
    """Print a tree for every file, the loops that matter, and the summary."""
    for unit in view.report.units:
        _print_unit(unit, console, view)
    if view.top is not None or view.profile or len(view.report.decisive) >= MANY:
        _print_top(view, console)
    console.print(summary(view.report.units), highlight=False, markup=False, soft_wrap=True)


def _print_unit(unit: Json, console: Console, view: View) -> None:
    from rich.text import Text
    from rich.tree import Tree

    state = STATES.get(unit["status"], "" if unit["loops"] else "  no loops")
    tree = Tree(Text.assemble((unit["file"], "bold"), state), guide_style="dim")
    for function, loops in groupby(unit["loops"], key=lambda loop: str(loop["function"])):
        _grow(tree.add(Text(function, style="bold")), unit, list(loops), view)
    console.print(tree, highlight=False)
    console.print()


def _grow(tree: Tree, unit: Json, loops: list[Json], view: View) -> None:
    branches: dict[str, Tree] = {}
    for loop in loops:
        around = branches.get(loop["parent"] or "", tree)
        branches[loop["id"]] = around.add(_label(unit, loop, view))


def _label(unit: Json, loop: Json, view: View) -> Text:
    """A line for the verdict, and one for each thing to say of the loop."""
    from rich.text import Text

    elsewhere = "" if loop["file"] == unit["file"] else f"{Path(loop['file']).name}:"
    head = Text(f"{elsewhere}{loop['line']}  {loop_name(loop)}  ")
    head.append(standing_word(standing(loop)), style=STYLES[standing(loop)])
    head.append(f"  {loop['class']}", style="dim")
    more = tuples(loop) if view.tuples else ()
    return Text("\n").join([head, *map(Text, details(loop, view.verbose)), *map(Text, more)])


def _print_top(view: View, console: Console) -> None:
    from rich.table import Table

    if not view.ranking.order:
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for align in ("right", "right", "left", "left"):
        table.add_column(justify=align, overflow="fold")
    for number, each in enumerate(view.ranking.order[: view.top or TOP], 1):
        table.add_row(*_ranked(number, each))
    console.print(f"Where the time is ({view.ranking.basis}):", highlight=False, markup=False, soft_wrap=True)
    console.print(table)
    if len(view.ranking.order) > (view.top or TOP):
        more = counted(len(view.ranking.order) - (view.top or TOP), "more loop")
        console.print(f"    {more}; --top N shows N of them", highlight=False)
    console.print()


def _ranked(number: int, each: Ranked) -> tuple[str | Text, ...]:
    from rich.text import Text

    loop = each.loop
    where = Text(f"{place_name(loop)} {loop['function']}  {loop_name(loop)}  ")
    where.append(standing_word(standing(loop)), style=STYLES[standing(loop)])
    return f"{number}.", percent(each.share), where, Text(why_text(loop))
