"""What was found, as lines for people and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

import typer

from cuvier.base.shown import harmless, harmless_json, shown_line
from cuvier.base.version import __version__
from cuvier.doctor.examine import Found, lacking
from cuvier.doctor.finding import Finding, Mark

_COLOURS = {Mark.OK: "green", Mark.MISSING: "yellow", Mark.PROBLEM: "red"}
_MARK = max(len(mark.value) for mark in Mark)
_NAME = 12  # columns of the longest name


def lines(found: Iterable[Found], coloured: bool) -> Iterator[str]:
    """The titles of the sections, and a line for each finding as soon as it is there.

    Neither a terminal nor a log obeys any of it.
    """
    last = ""
    for title, finding in found:
        if title != last:
            yield title
        last = title
        line = harmless(shown_line(_line(finding)))
        yield _with_colour(line, finding.mark) if coloured else line


def summary(found: Iterable[Found]) -> str:
    """Whether what is needed is there, in one line."""
    names = ", ".join(lacking(found))
    return f"needed, but missing or broken: {names}" if names else "all that is needed is here"


def _line(finding: Finding) -> str:
    way_out = f" -> {finding.way_out}" if finding.way_out else ""
    return f"  {finding.mark.value:<{_MARK}}  {finding.name:<{_NAME}}  {finding.found}{way_out}"


def _with_colour(line: str, mark: Mark) -> str:
    return re.sub(rf"^  {mark.value}", "  " + typer.style(mark.value, fg=_COLOURS[mark]), line)


def as_json(found: Sequence[Found]) -> str:
    """The same for programs: `complete` says whether all that is needed is there."""
    checks = [
        {"section": title, "name": f.name, "mark": f.mark.value, "found": f.found, "way_out": f.way_out}
        for title, f in found
    ]
    document = {"version": __version__, "complete": not lacking(found), "checks": checks}
    return harmless_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"
