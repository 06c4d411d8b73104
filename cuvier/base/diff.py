"""Unified diffs that `patch -p1` and `git apply` take, whatever the line ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import typer

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def diff(path: Path, before: str, after: str) -> str:
    """The change from `before` to `after`; empty where there is none."""
    if before == after:
        return ""
    name = path.as_posix().lstrip("/")
    lines = unified_diff(_LINE.findall(before), _LINE.findall(after), f"a/{name}", f"b/{name}")
    return "".join(_terminated(lines))


def _terminated(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def coloured(text: str) -> str:
    """The diff `text` with terminal colours."""
    return "".join(
        typer.style(line, fg=_COLOURS[line[0]]) if line[0] in _COLOURS else line
        for line in _LINE.findall(text)
    )
