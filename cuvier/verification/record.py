"""Reads what the watch library (watch.c) wrote at the end of a program."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
class Number:
    """A place with floating-point numbers within each element of an array of structures."""

    offset: int
    bytes: int  # more than one number, if it is an array
    kind: str


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
    last: bytes  # empty when only one execution was recorded
    offset: int  # index of the first recorded element
    lengths: tuple[int, ...]  # of the dimensions but the first
    samples: bytes  # two words per recorded execution: its number, and the hash of what it left
    numbers: tuple[Number, ...] = ()

    @cached_property
    def hashes(self) -> dict[int, int]:
        """The hash by the number of the execution, for those that were recorded."""
        words = array("Q", self.samples)
        return dict(zip(words[::2], words[1::2], strict=True))

    @cached_property
    def recorded(self) -> tuple[int, ...]:
        """The numbers of the recorded executions."""
        return tuple(self.hashes)

    @property
    def final(self) -> bytes:
        """The state after the last recorded execution."""
        return self.last if len(self.samples) > 16 else self.first

    @property
    def per_element(self) -> int:
        """How many values `values_of` has for each element."""
        return len(self._layout) or (2 if self.kind in "FDL" else 1)

    @cached_property
    def _layout(self) -> tuple[tuple[int, int, str], ...]:
        """Where the numbers of a structure are, its bytes first; empty for what is none."""
        return ((0, 0, "b"), *_apart(self.numbers)) if self.kind == "b" and self.numbers else ()

    def pieces(self, state: bytes) -> Sequence[float | int | bytes]:
        """Structures taken apart: for each its bytes without the numbers, and the numbers."""
        found: list[float | int | bytes] = []
        for at in range(0, len(state) - self.element + 1, self.element):
            piece = bytearray(state[at : at + self.element])
            numbers = []
            for offset, size, kind in self._layout[1:]:
                numbers.append(_number(kind, bytes(piece[offset : offset + size])))
            for offset, size, _ in self._layout[1:]:
                piece[offset : offset + size] = bytes(size)
            found += [bytes(piece), *numbers]
        return found

    def index(self, element: int) -> tuple[int, ...]:
        """The subscripts of the element at a place in the recorded state."""
        flat, inner = element + self.offset, []
        for length in reversed(self.lengths):
            inner.append(flat % max(length, 1))
            flat //= max(length, 1)
        return (flat, *reversed(inner))


def _apart(numbers: Sequence[Number]) -> Iterator[tuple[int, int, str]]:
    """Offset, size and kind of each single number."""
    for each in numbers:
        size = {"f": 4, "d": 8, "F": 4, "D": 8}.get(each.kind, each.bytes)
        for at in range(0, each.bytes - size + 1, size):
            yield each.offset + at, size, each.kind.lower()


def _number(kind: str, piece: bytes) -> float:
    if kind == "l":
        return _extended(piece)
    (value,) = struct.unpack("<f" if kind == "f" else "<d", piece)
    return float(value)


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


def sharing(record: Record, other: Record) -> Record:
    """The record, which keeps no state of its own where it has the same as another one."""
    slots = {key: _sharing(slot, other.slots.get(key)) for key, slot in record.slots.items()}
    return replace(record, slots=slots)


def _sharing(slot: Slot, other: Slot | None) -> Slot:
    if other is None:
        return slot
    first = other.first if slot.first == other.first else slot.first
    return replace(slot, first=first, last=other.last if slot.last == other.last else slot.last)


def _line(data: bytes, at: int) -> tuple[str, int]:
    end = data.index(b"\n", at)
    return data[at:end].decode(errors="replace"), end + 1


def _slot(header: str, data: bytes, at: int) -> tuple[Slot, int]:
    words = iter(header.split(" "))
    kind = next(words)
    element, executions, samples, rounded, first, last, offset, rank = (int(next(words)) for _ in range(8))
    lengths = tuple(int(next(words)) for _ in range(rank))
    numbers = tuple(
        Number(int(next(words)), int(next(words)), chr(int(next(words)))) for _ in range(int(next(words)))
    )
    site, name = next(words), " ".join(words)
    bounds = [at, at + first, at + first + last, at + first + last + 16 * samples]
    before, after, hashes = (data[a:b] for a, b in pairwise(bounds))
    slot = Slot(
        site, name, kind, element, executions, rounded, before, after, offset, lengths, hashes, numbers
    )
    return slot, bounds[-1]


def values_of(slot: Slot, state: bytes) -> Sequence[float | int | bytes]:
    """The values of a state, `per_element` of each: of a structure its bytes and numbers."""
    if slot.kind == "b" and slot.numbers:
        return slot.pieces(state)
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
