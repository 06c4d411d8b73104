"""The macros that a translation unit defines, and which definition is in force where."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from species.core.positions import Position

_DIRECTIVE = re.compile(r"#\s*(define|undef)\s+([^\s(]+)(\(([^)]*)\))?\s*(.*)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
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


class MacroTable:
    """All definitions of a translation unit in their order."""

    def __init__(self, events: Iterable[MacroEvent]) -> None:
        self._events: dict[str, list[MacroEvent]] = {}
        for event in events:
            self._events.setdefault(event.name, []).append(event)

    @cached_property
    def names(self) -> frozenset[str]:
        """All names that are, or have been, macros."""
        return frozenset(self._events)

    @cached_property
    def users(self) -> frozenset[str]:
        """The names that the user's files, or options, define as macros."""
        return frozenset(
            event.name
            for events in self._events.values()
            for event in events
            if event.definition is not None and event.definition.user
        )

    def bodies(self, name: str) -> Iterator[str]:
        """What the name has stood for as a macro."""
        events = self._events.get(name, ())
        yield from (event.definition.body for event in events if event.definition is not None)

    def definition(self, name: str, line: int) -> MacroDefinition | None:
        """The definition in force at the end of `line` of the main file."""
        return self._last(name, line, lambda event: event.main_line)

    def definition_in_output(self, name: str, output_line: int) -> MacroDefinition | None:
        """The definition in force at a line of the preprocessor's output."""
        return self._last(name, output_line, lambda event: event.output_line)

    def is_lasting(self, name: str) -> bool:
        """Is it one macro, which nothing takes back?"""
        events = self._events.get(name, ())
        return len(events) == 1 and events[0].definition is not None

    def differs(self, names: Iterable[str], line: int, other: int) -> str | None:
        """The first name that means something else at the one line of the main file than at the other, by
        itself or by what its macro is made of; None: there is none.
        """
        pending, seen = list(names), set[str]()
        while pending:
            name = pending.pop(0)
            if name in seen or name not in self._events:
                continue
            seen.add(name)
            macro = self.definition(name, line)
            if macro != self.definition(name, other):
                return name
            pending += _WORD.findall(macro.body) if macro is not None else ()
        return None

    def _last(self, name: str, line: int, line_of: Callable[[MacroEvent], int]) -> MacroDefinition | None:
        events = self._events.get(name, ())
        count = bisect_right(events, line, key=line_of)
        return events[count - 1].definition if count else None


def read_directive(text: str, position: Position, user: bool) -> tuple[str, MacroDefinition | None] | None:
    """The name and the definition (None: `#undef`) of a directive that the preprocessor printed."""
    parts = _parts(text)
    if parts is None:
        return None
    name, params, body, written = parts
    return name, None if written is None else MacroDefinition(name, params, body, written, position, user)


@lru_cache(maxsize=1 << 14)  # the directives of the system's headers come again with every file
def _parts(text: str) -> tuple[str, tuple[str, ...] | None, str, str | None] | None:
    """The name, the parameters, the body and the directive, which is None for `#undef`."""
    match = _DIRECTIVE.match(text)
    if match is None:
        return None
    keyword, name, _, params, body = match.groups()
    if keyword == "undef":
        return name, None, "", None
    names = None if params is None else tuple(p.strip() for p in params.split(",") if p.strip())
    return name, names, body.strip(), text.rstrip()
