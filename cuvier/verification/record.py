"""Reads what the watch library (watch.c) wrote at the end of a program."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

_FORMATS = {
    ("f", 4): "f",
    ("d", 8): "d",
    ("F", 8): "f",
    ("D", 16): "d",
    ("i", 1): "b",
    ("i", 2): "h",
    ("i", 4): "i",
    ("i", 8): "q",
    ("u", 1): "B",
    ("u", 2): "H",
    ("u", 4): "I",
    ("u", 8): "Q",
}
FLOATING = "fdlFDL"


@dataclass(frozen=True)
class Slot:
    """The states of one variable after one kernel (`site` "-": at the end of the program)."""

    site: str
    name: str
    kind: str  # as in watch.h: f d l F D L i u p b
    element: int  # bytes
    executions: int
    rounded: int  # the first execution whose values may differ by rounding; `executions`: none
    first: bytes
    last: bytes  # empty when there was only one execution
    offset: int  # index of the first recorded element
    lengths: tuple[int, ...]  # of the dimensions but the first
    hashes: bytes  # 8 per execution

    @property
    def final(self) -> bytes:
        """The state after the last execution."""
        return self.last if self.executions > 1 else self.first

    def index(self, element: int) -> tuple[int, ...]:
        """The subscripts of the element at a place in the recorded state."""
        flat, inner = element + self.offset, []
        for length in reversed(self.lengths):
            inner.append(flat % max(length, 1))
            flat //= max(length, 1)
        return (flat, *reversed(inner))


@dataclass(frozen=True)
class Record:
    """All that one run recorded."""

    slots: dict[tuple[str, str], Slot]
    findings: tuple[str, ...]
    rounded: bool  # a reordered floating-point reduction was executed


def read_record(path: Path) -> Record | None:
    """The record in a file; None where the program did not live to write it completely."""
    data = path.read_bytes() if path.exists() else b""
    slots: dict[tuple[str, str], Slot] = {}
    findings: list[str] = []
    at = 0
    while at < len(data):
        line, at = _line(data, at)
        word, _, rest = line.partition(" ")
        if word == "end":
            return Record(slots, tuple(findings), rest == "1")
        if word == "guard":
            findings.append(rest)
        else:
            slot, at = _slot(rest, data, at)
            slots[slot.site, slot.name] = slot
    return None


def _line(data: bytes, at: int) -> tuple[str, int]:
    end = data.index(b"\n", at)
    return data[at:end].decode(errors="replace"), end + 1


def _slot(header: str, data: bytes, at: int) -> tuple[Slot, int]:
    kind, *rest = header.split(" ")
    element, executions, rounded, first, last, offset, rank = map(int, rest[:7])
    lengths = tuple(map(int, rest[7 : 7 + rank]))
    site, name = rest[7 + rank], " ".join(rest[8 + rank :])
    bounds = [at, at + first, at + first + last, at + first + last + 8 * executions]
    states = [data[a:b] for a, b in pairwise(bounds)]
    slot = Slot(
        site, name, kind, element, executions, rounded, states[0], states[1], offset, lengths, states[2]
    )
    return slot, bounds[-1]


def values_of(slot: Slot, state: bytes) -> Sequence[float | int | bytes]:
    """The numbers of a state (two per element for complex kinds); byte strings where it holds none."""
    code = _FORMATS.get((slot.kind, slot.element))
    if code is not None:
        whole = len(state) - len(state) % struct.calcsize(code)
        numbers: Sequence[float | int] = array(code, state[:whole])
        return numbers
    pieces = _pieces(state, slot.element // 2 if slot.kind == "L" else slot.element)
    if slot.kind in "lL":
        return [_extended(piece) for piece in pieces]
    return list(pieces)


def _pieces(state: bytes, size: int) -> Iterator[bytes]:
    return (state[at : at + size] for at in range(0, len(state), max(size, 1)))


def _extended(piece: bytes) -> float:
    """An x86 extended (or, of 8 bytes, a double) number, rounded to double."""
    if len(piece) == 8:
        return float(struct.unpack("<d", piece)[0])
    mantissa, top = struct.unpack_from("<QH", piece)
    exponent, sign = top & 0x7FFF, -1.0 if top >> 15 else 1.0
    if exponent == 0x7FFF:
        return sign * math.inf if mantissa << 1 & (2**64 - 1) == 0 else math.nan
    try:
        return sign * math.ldexp(mantissa, exponent - 16383 - 63)
    except OverflowError:
        return sign * math.inf
