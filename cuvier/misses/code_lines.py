"""Places in a program's code as places in its sources: the line table, as readelf prints it."""

from __future__ import annotations

import re
import shutil
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import run

_FILE = re.compile(r"^  (\d+)\t.*?([^\t():]+)$")  # in every format, the name comes last
_COLUMN = re.compile(r"Set column to (\d+)")
_NAME = re.compile(r"Set File Name to entry (\d+)")
_LINE = re.compile(r"Line by (-?\d+) to (\d+)")
_ADDRESS = re.compile(r"(?:set Address to|advance Address by \d+ to|Advance PC by .*? to) (?:0x)?([0-9a-f]+)")


@dataclass(frozen=True)
class CodeLine:
    """A line and column, both from 1 on, of a file that the compiler calls so."""

    file: str
    line: int
    column: int


class CodeLines:
    """The line table of a program that is loaded where it was linked to."""

    def __init__(self, text: str) -> None:
        rows = sorted(_rows(text), key=lambda row: row[0])
        self._addresses, self._lines = [row[0] for row in rows], [row[1] for row in rows]

    @staticmethod
    def of(program: Path) -> CodeLines:
        """UserError where there is no readelf."""
        if not shutil.which("readelf"):
            raise UserError("no 'readelf', which reads the lines of programs; apt-get install binutils")
        done = run(["readelf", "--debug-dump=rawline", "--wide", program], program.parent, 120)
        return CodeLines(done.stdout.decode(errors="replace"))

    def at(self, address: int) -> CodeLine | None:
        """What the instruction at the address belongs to."""
        place = bisect_right(self._addresses, address)
        return self._lines[place - 1] if place else None


def _rows(text: str) -> list[tuple[int, CodeLine]]:
    rows = []
    for unit in text.split("Raw dump of debug contents of section")[1:] or [text]:
        for part in re.split(r"^  Offset:", unit, flags=re.M)[1:]:
            rows += _Unit(part).rows()
    return rows


class _Unit:
    """The line program of one source, with the registers of the machine that it is for."""

    def __init__(self, text: str) -> None:
        head, _, self._program = text.partition("Line Number Statements:")
        table = head.partition("File Name Table")[2]
        self._files = {int(m[1]): m[2].strip() for m in map(_FILE.match, table.splitlines()) if m}
        self._address, self._file, self._line, self._column = 0, 1, 1, 0

    def rows(self) -> list[tuple[int, CodeLine]]:
        found = []
        for text in self._program.splitlines():
            self._step(text)
            if "Special opcode" in text or "Copy" in text:
                name = self._files.get(self._file, "")
                found.append((self._address, CodeLine(name, self._line, self._column)))
            if "End of Sequence" in text:
                self._file, self._line, self._column = 1, 1, 0
        return found

    def _step(self, text: str) -> None:
        if column := _COLUMN.search(text):
            self._column = int(column[1])
        elif name := _NAME.search(text):
            self._file = int(name[1])
        else:
            address = _ADDRESS.search(text)
            self._address = int(address[1], 16) if address else self._address
            line = _LINE.search(text)
            self._line = int(line[2]) if line else self._line
