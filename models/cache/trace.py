"""Traces: what a program asked its memory for, in order."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.cache.structures import BARRIER, BLOCK, INSTRUCTION, WRITE, Record


@dataclass(frozen=True)
class Access:
    """`size` bytes from `address` on, by a thread of the current block, at a reference's number."""

    address: int
    size: int = 4
    reference: int = 0
    thread: int = 0
    write: bool = False
    instruction: bool = False


class Trace:
    """Records in memory, or in a file; every launch on a GPU starts with a block."""

    def __init__(self, records: ctypes.Array[Record], count: int, mapped: object = None) -> None:
        self.records, self.count, self._mapped = records, count, mapped

    @staticmethod
    def of(accesses: Iterable[Access]) -> Trace:
        """One block; the order counts for each thread, and without threads for all."""
        made = [_record(access) for access in accesses]
        return Trace((Record * len(made))(*made), len(made))

    @staticmethod
    def of_blocks(blocks: Iterable[Sequence[Access | None]]) -> Trace:
        """Thread blocks, in the order of their numbers; None is a barrier."""
        made: list[Record] = []
        for number, block in enumerate(blocks):
            made.append(Record(number, BLOCK, 0, 0))
            made += (_record(each) if each else Record(0, BARRIER, 0, 0) for each in block)
        return Trace((Record * len(made))(*made), len(made))

    @staticmethod
    def of_file(path: Path, first: int, count: int) -> Trace:
        """`count` records of a file, from number `first` on; they are read when they are used."""
        if count == 0:
            return Trace((Record * 0)(), 0)
        with path.open("r+b") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        offset = first * ctypes.sizeof(Record)
        return Trace((Record * count).from_buffer(mapped, offset), count, mapped)


def _record(access: Access) -> Record:
    kind = access.size | (WRITE if access.write else 0) | (INSTRUCTION if access.instruction else 0)
    return Record(access.address, access.reference, kind, access.thread)
