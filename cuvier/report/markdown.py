"""Markdown for the comment on a change: short, tables folded where they are long, never beyond the limit."""

from __future__ import annotations

import re
from itertools import groupby

from cuvier.base.shown import harmless, shown
from cuvier.document.model import Json, losses, summary
from cuvier.document.words import loop_name, percent, standing, standing_word, why_text
from cuvier.report.ranking import Ranked
from cuvier.report.view import TOP, View

LIMIT = 65_536  # characters that GitHub takes
OPEN = 20  # rows of a table that stand there unfolded
_TAIL = 400  # characters kept for what says that something was left out
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$])")
MARKS = {"parallel": "✅", "conditional": "🟡", "serial": "⛔", "unproven": "🔶", "unknown": "❔"}


def render(view: View) -> str:
    """The summary, the loops that matter, what was not analysed, and all loops, as far as they fit."""
    units = view.report.units
    head = f"### Cuvier: {cell(summary(units))}\n" + _top(view) + _lost(units)
    rows = [row for unit in units if unit["loops"] for row in _unit(unit)]
    return fitted(head, rows, "lines", fold=f"All {len(view.report.loops)} loops")


def fitted(head: str, rows: list[str], what: str, fold: str = "") -> str:
    """`head`, and as many of the rows as fit; they are folded under the title `fold` where they are many."""
    title = fold or f"All {len(rows)} {what}"
    before, after = (
        ("\n", "\n")
        if len(rows) <= OPEN
        else (f"\n<details><summary>{title}</summary>\n\n", "\n</details>\n")
    )
    text, room = head[: LIMIT - _TAIL] + (before if rows else ""), LIMIT - _TAIL - len(after)
    for number, row in enumerate(rows):
        if len(text) + len(row) > room:
            rest = f"{len(rows) - number} more {what} did not fit into a comment"
            return f"{text}\n{rest}; the other formats have them all.\n{after}"
        text += row
    return text + (after if rows else "")


def _top(view: View) -> str:
    order = view.ranking.order[: view.top or TOP]
    if not order:
        return ""
    rows = "".join(_ranked(number, each) for number, each in enumerate(order, 1))
    note = f"\nWhere the time is ({view.ranking.basis}):\n\n"
    return f"{note}| # | time | loop | verdict | species or reason |\n|--:|--:|---|---|---|\n{rows}"


def _ranked(number: int, each: Ranked) -> str:
    loop = each.loop
    place = f"{code(loop['file'] + ':' + str(loop['line']))} {code(loop['function'])} {code(loop_name(loop))}"
    return f"| {number} | {percent(each.share)} | {place} | {_verdict(loop)} | {_why(loop)} |\n"


def _lost(units: list[Json]) -> str:
    lost = list(losses(units))
    rows = [f"- {code(each['file'] + ':' + str(each['line']))} {cell(each['message'])}\n" for _, each in lost]
    more = f"- and {len(rows) - TOP} more\n" if len(rows) > TOP else ""
    return f"\n**Not analysed:**\n\n{''.join(rows[:TOP])}{more}" if rows else ""


def _unit(unit: Json) -> list[str]:
    """The title of a file with the head of its table, then a row for each loop."""
    head = f"\n**{cell(unit['file'])}**\n\n| line | loop | verdict | species or reason |\n|--:|---|---|---|\n"
    rows = []
    for function, loops in groupby(unit["loops"], key=lambda loop: str(loop["function"])):
        for loop in loops:
            indent = "&nbsp;&nbsp;" * loop["depth"]
            name = f"{code(function)} {indent}{code(loop_name(loop))}"
            rows.append(f"| {loop['line']} | {name} | {_verdict(loop)} | {_why(loop)} |\n")
    return [head + rows[0], *rows[1:]]


def _verdict(loop: Json) -> str:
    return f"{MARKS[standing(loop)]} {standing_word(standing(loop))}"


def _why(loop: Json) -> str:
    return code(loop["species"]) if loop["species"] else cell(why_text(loop))


def cell(text: str) -> str:
    """Plain text in a table's cell."""
    return _SPECIAL.sub(r"\\\1", shown(" ".join(text.split()))).replace("@", "@\u200b")  # calls nobody


def code(text: str) -> str:
    """A code span in a table's cell."""
    plain = harmless(shown(" ".join(text.split()))).replace("|", "\\|")
    ticks = "`" * (1 + max(map(len, re.findall("`+", plain)), default=0))
    pad = " " if plain[:1] == "`" or plain[-1:] == "`" else ""
    return f"{ticks}{pad}{plain}{pad}{ticks}"
