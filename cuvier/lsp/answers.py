"""What the language server says of loops; lines and characters here are 0-based, as in the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from cuvier.document.words import details, loop_name, standing, standing_word, tuple_of, why_text
from species.annotate.markers import marked_line
from species.core.reasons import REASONS, page_of

Json = dict[str, Any]
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
LENS = 100  # characters of a species or a reason above a loop
MARKS = {"parallel": "∥", "conditional": "∥?", "serial": "→", "unproven": "→?", "unknown": "?"}


@dataclass(frozen=True)
class Known:
    """A file's text and its part of a report."""

    text: str
    unit: Json

    @property
    def loops(self) -> list[Json]:
        """The loops that stand in the file itself."""
        return [loop for loop in self.unit["loops"] if loop["file"] == self.unit["file"]]

    def around(self, line: int) -> Json | None:
        """The innermost loop around a line."""
        found = [loop for loop in self.loops if loop["line"] - 1 <= line <= loop["end_line"] - 1]
        return max(found, key=lambda loop: (loop["depth"], loop["line"]), default=None)


def lenses(known: Known) -> list[types.CodeLens]:
    """Above every loop: its verdict, and its species or the first reason."""
    return [
        types.CodeLens(
            _line(loop["line"] - 1),
            types.Command(
                f"{MARKS[standing(loop)]} {standing_word(standing(loop))}: {why_text(loop, LENS)}", ""
            ),
        )
        for loop in known.loops
    ]


def hover(known: Known, line: int) -> types.Hover | None:
    """About the innermost loop around a line."""
    loop = known.around(line)
    if loop is None:
        return None
    contents = types.MarkupContent(types.MarkupKind.Markdown, "\n".join(_about(loop)))
    return types.Hover(contents, _line(loop["line"] - 1))


def _about(loop: Json) -> Iterator[str]:
    word = standing_word(standing(loop))
    yield f"**{loop_name(loop)}** in `{loop['function']}`: **{word}**, {loop['class']}\n"
    yield "```text"
    yield from details(loop, verbose=True)
    yield from map(tuple_of, loop["characterisations"])
    yield "```"
    if loop["pragma"]:
        yield f"```c\n{loop['pragma']}\n```"
    for code in dict.fromkeys(reason["code"] for reason in loop["reasons"]):
        yield f"\n{code}: {REASONS.get(code, '')} (`cuvier reasons {code}`)\n\n{_issue(code)}"


def _issue(code: str) -> str:
    """The first section of the page about a code."""
    _, _, rest = page_of(code).partition("## Issue\n")
    return rest.partition("\n## ")[0].strip()


def diagnostics(known: Known) -> list[types.Diagnostic]:
    """What was not analysed, and the rest of what the front end says of the file."""
    return [
        types.Diagnostic(
            _line(each["line"] - 1),
            each["message"],
            severity=_SEVERITIES[each["severity"]],
            code=each["code"] or None,
            source="cuvier",
        )
        for each in known.unit["diagnostics"]
        if each["file"] == known.unit["file"]
    ]


def actions(known: Known, uri: str, first: int, last: int) -> list[types.CodeAction]:
    """For loops around or on the lines from `first` to `last`: to put an OpenMP pragma before them."""
    lines = known.text.split("\n")
    found = []
    for loop in known.loops:
        line, inside = loop["line"] - 1, loop["end_line"] - 1 >= first and loop["line"] - 1 <= last
        before = lines[line][: loop["column"] - 1]
        if inside and loop["pragma"] and not before.strip():
            end = "\r\n" if lines[line].endswith("\r") else "\n"
            text = before + marked_line(loop["pragma"], split=False) + end
            edit = types.TextEdit(types.Range(types.Position(line, 0), types.Position(line, 0)), text)
            found.append(
                types.CodeAction(
                    f"Insert OpenMP pragma before `{loop_name(loop)}` in line {loop['line']}",
                    kind=types.CodeActionKind.RefactorRewrite,
                    edit=types.WorkspaceEdit(changes={uri: [edit]}),
                )
            )
    return found


def _line(line: int) -> types.Range:
    return types.Range(types.Position(line, 0), types.Position(line + 1, 0))
