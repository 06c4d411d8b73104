"""How large the blocks of contractions are: from the caches of the machine, so that each has its part.

What belongs into which cache: Goto and van de Geijn 2008, "Anatomy of high-performance matrix
multiplication".  The shares are those that were fastest with caches of 32 KiB, 1 MiB and 32 MiB.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

from models.machine import DEFAULT, Machine

_ELEMENT = 8  # bytes of a double: of smaller elements more than is counted fits
_VECTORS = 2  # in a row of a register tile
LEAST_COLUMNS = 128  # two vectors of bytes: a task has at least one whole tile
_REGIONS = 50  # times what a parallel region costs, for one to be worth it


def tuning_of(machine: Machine) -> dict[str, int]:
    """The parameters of the templates `contraction.*`."""
    first, second, third = (machine.cache(level) for level in (1, 2, 3))
    depth = _within(128, _multiple(first.bytes // 2 // (_VECTORS * machine.vector_bytes), 32), 512)
    step = depth * _ELEMENT
    rows = _within(24, _multiple(second.bytes * 3 // 16 // step, 24), 384)
    columns = _within(LEAST_COLUMNS, _multiple(second.bytes // 2 // step, 64), 1024)
    packed = _power(third.bytes * 3 // 8 / ((rows + columns) * step))
    return {
        "MR": 0,  # rows of a register tile; 0: from the vector width, when the code is compiled
        "NV": 0,  # vectors in a row of it; 0: likewise
        "KC": depth,  # steps of the depth that are packed at a time: half of the first level
        "MC": rows,  # rows of a task: a part of the second level
        "NC": columns,  # columns of a task: half of the second level
        "TASKS": _within(4, packed, 32),  # so many tasks' rows and columns are packed at a time: third level
        "THIN": 4,  # fewer rows, columns or steps: the plain loops
        "SMALL": 32768,  # fewer products: the plain loops
        "PARALLEL": _worthwhile(machine),  # fewer products: one thread
    }


def _within(low: int, value: int, high: int) -> int:
    return max(low, min(value, high))


def _multiple(value: int, unit: int) -> int:
    return value // unit * unit


def _power(value: float) -> int:
    """The largest power of two that is not larger."""
    return 1 << max(0, int(value).bit_length() - 1)


def _worthwhile(machine: Machine) -> int:
    """So many products, a power of two, take several times as long as a parallel region costs."""
    products = _REGIONS * machine.region * machine.double.one / 2
    return int(2 ** _within(16, round(log2(products)), 24))


TUNING: Mapping[str, int] = tuning_of(DEFAULT)
