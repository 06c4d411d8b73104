"""What stands in a recorded trace."""

from __future__ import annotations

import ctypes
from pathlib import Path

from models.cache import Trace
from models.cache.structures import BARRIER, WRITE, Record

_PART = 1 << 16


def count_of(path: Path) -> int:
    """The records of a file."""
    return path.stat().st_size // ctypes.sizeof(Record)


def places_of(trace: Trace) -> dict[int, bool]:
    """The places of code in a trace, by number, and which of them write."""
    words = memoryview(trace.records).cast("B").cast("H")  # address, place, kind, thread
    found: dict[int, bool] = {}
    for first in range(0, trace.count * 8, _PART * 8):
        part = words[first : first + _PART * 8]
        whole = part.cast("B").cast("I")
        for place, kind in set(zip(whole[2::4], part[6::8], strict=True)):
            if place < BARRIER:
                found[place] = bool(kind & WRITE)
    return found
