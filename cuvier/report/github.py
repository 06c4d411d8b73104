"""Workflow commands of GitHub Actions: `::notice file=app.c,line=3::...` is a note beside a line.

A step shows ten annotations of each level; those that matter most come first, and the rest is counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuvier.base.shown import harmless, shown
from cuvier.document.model import PARALLEL, Json, counted, losses
from cuvier.document.words import details, loop_name, standing, standing_word
from cuvier.report.view import View

SHOWN = 10  # annotations of a level that a step shows
_TITLES = {
    "parallel": "Parallel loop",
    "conditional": "Loop is parallel on condition",
    "serial": "Loop stays serial",
    "unproven": "Loop is not proven parallel",
}


def render(view: View) -> str:
    """Notices for loops that may run in parallel; with `serial`, warnings for those that may not."""
    order = [each.loop for each in view.ranking.order]
    open_to = {id(loop) for loop in view.report.opportunities}
    found = _annotations("notice", [loop for loop in order if id(loop) in open_to], view)
    if view.serial:
        found += _annotations("warning", [loop for loop in order if loop["verdict"] not in PARALLEL], view)
    return found + _losses(view)


def _annotations(level: str, loops: Sequence[Json], view: View) -> str:
    limit = view.top or SHOWN
    shown = loops if len(loops) <= limit else loops[: limit - 1]
    text = "".join(_annotation(level, loop) for loop in shown)
    if len(shown) < len(loops):
        rest = f"{counted(len(loops) - len(shown), 'more loop')}; `cuvier report` lists them all"
        text += f"::{level} title=Cuvier::{_escaped(rest)}\n"
    return text


def _annotation(level: str, loop: Json) -> str:
    title = _TITLES.get(standing(loop), "Loop is not decided")
    lines = [f"{loop_name(loop)}: {standing_word(standing(loop))}, {loop['class']}", *details(loop)]
    if loop["pragma"]:
        lines.append(loop["pragma"])
    return annotation(level, loop["file"], loop["line"], loop["end_line"], title, "\n".join(lines))


def _losses(view: View) -> str:
    found = [each for _, each in losses(view.report.units)][:SHOWN]
    return "".join(
        annotation("warning", each["file"], each["line"], each["line"], "Not analysed", each["message"])
        for each in found
    )


def annotation(level: str, file: str, line: int, end_line: int, title: str, message: str) -> str:
    """One workflow command, with its newline; lines are 1-based, the last one included."""
    place = f"file={_property(file)},line={line},endLine={end_line},title={_property(title)}"
    return f"::{level} {place}::{_escaped(harmless(shown(message)))}\n"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(harmless(shown(text))).replace(":", "%3A").replace(",", "%2C")
