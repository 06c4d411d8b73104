"""The macros that a translation unit defines, and which definition is in force where."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from species.positions import Position

_DIRECTIVE = re.compile(r"#\s*(define|undef)\s+([^\s(]+)(\(([^)]*)\))?\s*(.*)", re.DOTALL)
COMMAND_LINE = ("<command-line>", "<command line>")


@dataclass(frozen=True)
class MacroDefinition:
    """A `#define`.  `params` is None for an object-like macro; `text` is the directive on one line.

    `user` tells the definitions of user files and of `-D` from those of the system's headers.
    """

    name: str
    params: tuple[str, ...] | None
    body: str
    text: str
    position: Position
    user: bool


@dataclass(frozen=True)
class MacroEvent:
    """A name is defined, or undefined where `definition` is None.

    `main_line` is the main file's line at which it takes effect (that of the `#include` for an included file,
    0 before the first line); `output_line` is the line of the preprocessor's output, 1-based.
    """

    name: str
    definition: MacroDefinition | None
    main_line: int
    output_line: int


@dataclass(frozen=True)
class _History:
    events: tuple[MacroEvent, ...]
    main_lines: tuple[int, ...]
    output_lines: tuple[int, ...]


class MacroTable:
    """All definitions of a translation unit in their order."""

    def __init__(self, events: Iterable[MacroEvent]) -> None:
        grouped: dict[str, list[MacroEvent]] = {}
        for event in events:
            grouped.setdefault(event.name, []).append(event)
        self._histories = {
            name: _History(
                tuple(group),
                tuple(event.main_line for event in group),
                tuple(event.output_line for event in group),
            )
            for name, group in grouped.items()
        }

    def names(self) -> frozenset[str]:
        """All names that are, or have been, macros."""
        return frozenset(self._histories)

    def is_users(self, name: str) -> bool:
        """Do the user's files, or options, define the name as a macro?"""
        history = self._histories.get(name)
        events = history.events if history is not None else ()
        return any(event.definition is not None and event.definition.user for event in events)

    def bodies(self, name: str) -> Iterator[str]:
        """What the name has stood for as a macro."""
        history = self._histories.get(name)
        events = history.events if history is not None else ()
        yield from (event.definition.body for event in events if event.definition is not None)

    def definition(self, name: str, line: int) -> MacroDefinition | None:
        """The definition in force at the end of `line` of the main file."""
        history = self._histories.get(name)
        return None if history is None else _last(history, bisect_right(history.main_lines, line))

    def definition_in_output(self, name: str, output_line: int) -> MacroDefinition | None:
        """The definition in force at a line of the preprocessor's output."""
        history = self._histories.get(name)
        return None if history is None else _last(history, bisect_right(history.output_lines, output_line))


def _last(history: _History, count: int) -> MacroDefinition | None:
    return history.events[count - 1].definition if count else None


def read_directive(text: str, position: Position, user: bool) -> tuple[str, MacroDefinition | None] | None:
    """The name and the definition (None: `#undef`) of a directive that the preprocessor printed."""
    match = _DIRECTIVE.match(text)
    if match is None:
        return None
    keyword, name, _, params, body = match.groups()
    if keyword == "undef":
        return name, None
    names = None if params is None else tuple(p.strip() for p in params.split(",") if p.strip())
    return name, MacroDefinition(name, names, body.strip(), text.rstrip(), position, user)
