"""Reading the preprocessor's output: which line of which file every line comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from species.core.positions import Position
from species.source.preprocess.placeholders import MISSING
from species.source.preprocess.run import plain_path
from species.source.text.macros import COMMAND_LINE, MacroEvent, read_directive

_MARKER = re.compile(r'#(?:line)? *(\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)')
_ESCAPE = re.compile(r"\\([0-7]{3}|.)")
_ENTER, _LEAVE, _SYSTEM = "1", "2", "3"


@dataclass(frozen=True)
class Visit:
    """One reading of a file; a header that is included twice is visited twice.

    `user`: not a system header.  `physical`: the name is that of a file, not of a `#line` directive.
    """

    file: str
    user: bool
    physical: bool


@dataclass(frozen=True)
class Pragma:
    """A `#pragma` in the output: the text after that word, and its lines in its file and the output."""

    visit: int
    line: int
    text: str
    output_line: int


@dataclass(frozen=True)
class Missing:
    """A header that was not found, and where it is included: the visit and the line there."""

    name: str
    visit: int
    line: int


@dataclass(frozen=True)
class PreprocessedOutput:
    """The output without its directives.

    `lines[k]` is line k + 1 of the output (empty for a directive), `origins[k]` the index of its visit and
    its line in that file.  The main file's visit is `visits[0]`.
    """

    lines: tuple[str, ...]
    origins: tuple[tuple[int, int], ...]
    visits: tuple[Visit, ...]
    events: tuple[MacroEvent, ...]
    pragmas: tuple[Pragma, ...]
    missing: tuple[Missing, ...] = ()


@dataclass
class _Reader:
    main: str
    visits: list[Visit] = field(default_factory=list)
    # one frame per open file: the visits of the file itself and of the names that `#line` gives it
    frames: list[dict[str, int]] = field(default_factory=list)
    origins: list[tuple[int, int]] = field(default_factory=list)
    events: list[MacroEvent] = field(default_factory=list)
    pragmas: list[Pragma] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    visit: int = 0
    line: int = 1
    main_line: int = 0

    def read(self, text: str) -> PreprocessedOutput:
        lines = []
        self._move(self.main, set())
        for raw in text.split("\n"):
            marker = _MARKER.match(raw) if raw.startswith("#") else None
            lines.append("" if raw.startswith("#") else raw)
            self.origins.append((self.visit, self.line))
            if marker is not None:
                self._move(self._name(marker[2]), set(marker[3].split()))
                self.line = int(marker[1])
                continue
            if raw.startswith("#"):
                self._directive(raw)
            self.line += 1
        return PreprocessedOutput(
            tuple(lines),
            tuple(self.origins),
            tuple(self.visits),
            tuple(self.events),
            tuple(self.pragmas),
            tuple(self.missing),
        )

    def _name(self, quoted: str) -> str:
        name = _ESCAPE.sub(lambda m: chr(int(m[1], 8)) if m[1].isdigit() else m[1], quoted)
        return self.main if name in ("<stdin>", plain_path(self.main)) else name

    def _move(self, name: str, flags: set[str]) -> None:
        """Follow a line marker into, out of or within a file."""
        if self.frames and self.visit == 0:
            self.main_line = self.line
        if name.startswith(MISSING) and _ENTER in flags:
            self.missing.append(Missing(name.removeprefix(MISSING), self.visit, self.line))
        if not self.frames or _ENTER in flags:
            self.frames.append({})
        elif _LEAVE in flags and len(self.frames) > 1:
            self.frames.pop()
        frame = self.frames[-1]
        if name not in frame:
            user = _SYSTEM not in flags and not name.startswith("<") and (not frame or self._user(frame))
            frame[name] = len(self.visits)
            self.visits.append(Visit(name, user, physical=not frame.keys() - {name}))
        self.visit = frame[name]

    def _user(self, frame: dict[str, int]) -> bool:
        return any(self.visits[visit].user for visit in frame.values())

    def _directive(self, raw: str) -> None:
        word = raw[1:].lstrip()
        if word.startswith("pragma"):
            text = word.removeprefix("pragma").strip()
            self.pragmas.append(Pragma(self.visit, self.line, text, len(self.origins)))
            return
        visit = self.visits[self.visit]
        read = read_directive(
            raw, Position(visit.file, max(1, self.line), 1), visit.user or visit.file in COMMAND_LINE
        )
        if read is not None:
            main_line = self.line if self.visit == 0 else self.main_line
            self.events.append(MacroEvent(read[0], read[1], main_line, len(self.origins)))


def read_output(text: str, main: str) -> PreprocessedOutput:
    """Take the output of `$CC -E -dD` apart; `main` is the path of the main file."""
    return _Reader(main).read(text)
