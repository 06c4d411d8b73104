"""Places in code as references of the source, of which several places may be one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cuvier.misses.code_lines import CodeLine, CodeLines
from cuvier.misses.expressions import expression_at, name_of, squeezed
from cuvier.misses.result import Reference

_LOOP = re.compile(r"\b(for|while)\b")
_GROWS = re.compile(r"([A-Za-z_]\w*(?:\[[^][]*\])+)\s*(?:[-+*/%&|^]|<<|>>)=")
_NEAR = 8  # lines of a loop's body


@dataclass(frozen=True)
class Spot:
    """A place in code: the line, 0 where it is in no known file, and the reference there, empty for none."""

    line: int
    text: str


class Sources:
    """The lines of the file that code is from."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._lines = name, text.splitlines()

    def spots(self, code: CodeLines, places: Iterable[int]) -> list[Spot]:
        return [self._spot(code.at(place)) for place in places]

    def _spot(self, found: CodeLine | None) -> Spot:
        if found is None or found.file.rpartition("/")[2] != self._name:
            return Spot(0, "")
        if not 0 < found.line <= len(self._lines):
            return Spot(0, "")
        line = self._lines[found.line - 1]
        text = expression_at(line, found.column)
        return Spot(found.line, text) if text else self._moved(found.line)

    def _moved(self, header: int) -> Spot:
        """What a compiler has moved out of a loop, to its header: the first element that grows in it."""
        body = range(header, min(header + _NEAR, len(self._lines)))
        if _LOOP.search(self._lines[header - 1]):
            for number in body:
                if grows := _GROWS.search(self._lines[number]):
                    return Spot(number + 1, grows[1])
        return Spot(header, "")

    def line(self, number: int) -> str:
        """A line without its spaces; empty for 0."""
        return squeezed(self._lines[number - 1]) if number else ""

    def line_of(self, text: str, first: int, write: bool) -> int:
        """Where the text stands from line `first` on: assigned to, for a write; 0 where it does not."""
        wanted = squeezed(text)
        if not wanted:
            return 0
        for number in range(first, min(len(self._lines), first + 200) + 1):
            line = squeezed(self._lines[number - 1])
            at = line.find(wanted)
            if at >= 0 and (not write or _assigned(line[at + len(wanted) :])):
                return number
        return self.line_of(text, first, write=False) if write else 0


def is_copy(references: Sequence[Reference], sources: Sources) -> bool:
    """Do these references make one assignment of an element to another, at the same place in its array?"""
    if sorted(each.write for each in references) != [False, True]:
        return False
    source, target = sorted(references, key=lambda each: each.write)
    same = source.line == target.line and source.text[len(source.array) :] == target.text[len(target.array) :]
    return same and f"{squeezed(target.text)}={squeezed(source.text)};" in sources.line(source.line)


def _assigned(rest: str) -> bool:
    return re.match(r"([-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--", rest) is not None


def numbered(references: Sequence[Reference]) -> tuple[tuple[Reference, ...], list[int]]:
    """The different references in the order of the source, and for each of those given its number there."""
    different = tuple(sorted(set(references)))
    number = {reference: at for at, reference in enumerate(different)}
    return different, [number[reference] for reference in references]


def reference(spot: Spot, line: int, write: bool) -> Reference:
    """`line` is that of the user's file, 0 where it is not there."""
    return Reference(line, 0 if line else spot.line, spot.text, name_of(spot.text), write)
