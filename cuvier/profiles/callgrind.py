"""Callgrind's output: the cost of every line, of the first event that was counted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuvier.profiles.profile import Frame, Profile, Sample

_EVENTS = re.compile(r"^events:", re.MULTILINE)
_FUNCTION = re.compile(r"^fn=", re.MULTILINE)
_NAME = re.compile(r"(?:\((\d+)\))?\s*(.*)")
_COST = re.compile(r"[-+*0-9]")


def read_callgrind(name: str, text: str) -> Profile | None:
    """The costs in `text`; None where it is no output of callgrind."""
    if not (_EVENTS.search(text) and _FUNCTION.search(text)):
        return None
    reader = _Reader()
    found = [each for line in text.split("\n") for each in reader.read(line)]
    own = tuple(sample for sample, is_call in found if not is_call)
    return Profile("callgrind", name, own, tuple(sample for sample, is_call in found if is_call))


class _Reader:
    """Reads line by line; names have numbers after their first use, positions may be relative."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._columns: tuple[str, ...] = ("line",)
        self._at: list[int] = [0]
        self._file = self._function = ""
        self._calls = self._jumps = False

    def read(self, line: str) -> Iterator[tuple[Sample, bool]]:
        """The cost that the line tells, if any, and whether it is that of calls."""
        key, separator, value = line.partition("=")
        if line.startswith("positions:"):
            self._columns = tuple(line.split()[1:])
            self._at = [0] * len(self._columns)
        elif _COST.match(line):
            yield from self._cost(line.split())
        elif not separator:
            return
        elif key in ("fl", "fi", "fe"):
            self._file = self._name("file", value)
        elif key == "fn":
            self._function = self._name("function", value)
        elif key in ("cfn", "cfi", "cfl"):
            self._name("function" if key == "cfn" else "file", value)
        else:
            self._calls = key == "calls"
            self._jumps = key in ("jump", "jcnd")

    def _cost(self, words: list[str]) -> Iterator[tuple[Sample, bool]]:
        columns = len(self._columns)
        self._at = [_moved(old, word) for old, word in zip(self._at, words[:columns], strict=False)]
        is_call, is_jump = self._calls, self._jumps
        self._calls = self._jumps = False
        if len(words) > columns and not is_jump:
            place = Frame(self._function, self._file, self._at[self._columns.index("line")])
            yield Sample(float(words[columns]), (place,)), is_call

    def _name(self, kind: str, text: str) -> str:
        """`(3) name` gives number 3 a name; `(3)` is that one."""
        found = _NAME.fullmatch(text.strip())
        assert found is not None
        number, name = found.groups()
        if number is None:
            return str(name)
        if name:
            self._names[kind, number] = name
        return self._names.get((kind, number), "")


def _moved(old: int, word: str) -> int:
    if word == "*":
        return old
    if word[0] in "+-":
        return old + int(word, 0)
    return int(word, 0)
