"""Orders of a kernel's threads: bijections of their numbers, so that neighbours share what they read.

The points of a kernel's base loops have numbers, row by row.  A thread makes the point that the order gives
it instead of the one with its own number (locality-aware thread scheduling: seed 003, section 5.2.3).

    stride(a,b)   b threads side by side, the next b a further on: columns of rows of a points
    zigzag(a,b)   every second row from its end, b threads at a time
    tile(a,b,c)   tiles of b points side by side and c rows, one after the other
    hilbert(a)    along a Hilbert curve in squares of a times a points; a is a power of two
    cores(n)      blocks that n cores take in turns get points as if each core had its own part of all

Without its first argument, `stride(b)`, `zigzag(b)` and `tile(b,c)` take the innermost loop's length for a.
Points behind the last whole row, tile or square keep their numbers, and so do all where a row is no multiple
of what it is divided into.  `tile(8,8)+cores(16)` gives blocks to cores first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from models.errors import SkeletonError

_ORDER = re.compile(r"([a-z]+)(?:\(([\d,\s]*)\))?")
_COUNTS = {
    "sequential": (0, 0),
    "stride": (1, 2),
    "zigzag": (1, 2),
    "tile": (2, 3),
    "hilbert": (1, 1),
    "cores": (1, 1),
}
_LARGEST = 1 << 30


@dataclass(frozen=True)
class ThreadOrder:
    """One order; `row` is None where the innermost loop's length is taken."""

    name: str
    row: int | None
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        numbers = [*((self.row,) if self.row is not None else ()), *self.sizes]
        return f"{self.name}({','.join(map(str, numbers))})" if numbers else self.name

    def of(self, turn: str, points: str, row: str, block: str) -> str:
        """The number of the point that a thread makes, in C, by the number of its turn."""
        if self.name == "sequential":
            return turn
        first = block if self.name == "cores" else row if self.row is None else str(self.row)
        return f"cuvier_order_{self.name}({turn}, {points}, {', '.join([first, *map(str, self.sizes)])})"


@dataclass(frozen=True)
class ThreadOrders:
    """Some, of which the last is applied first."""

    parts: tuple[ThreadOrder, ...]

    def __str__(self) -> str:
        return "+".join(map(str, self.parts))

    @property
    def names(self) -> frozenset[str]:
        return frozenset(part.name for part in self.parts)

    def of(self, turn: str, points: str, row: str, block: str) -> str:
        """See `ThreadOrder.of`."""
        for part in reversed(self.parts):
            turn = part.of(turn, points, row, block)
        return turn


def parse_orders(text: str) -> ThreadOrders:
    """`tile(512,8,16)`.  SkeletonError says what is wrong with it."""
    return ThreadOrders(tuple(_parsed(part.strip(), text) for part in text.split("+")))


def _parsed(part: str, text: str) -> ThreadOrder:
    found = _ORDER.fullmatch(part)
    if found is None or found[1] not in _COUNTS:
        known = "stride(a,b), zigzag(a,b), tile(a,b,c), hilbert(a), cores(n) and sequential"
        raise SkeletonError(f"order={text}: {part!r} is no order of threads; there are {known}")
    name, numbers = found[1], [int(n) for n in (found[2] or "").split(",") if n.strip()]
    least, most = _COUNTS[name]
    if not least <= len(numbers) <= most:
        count = f"{least} or {most}" if least < most else str(least)
        raise SkeletonError(f"order={text}: {name} takes {count} numbers, and {len(numbers)} are given")
    if not all(0 < number <= _LARGEST for number in numbers):
        raise SkeletonError(f"order={text}: the numbers of {name} are 1 to {_LARGEST}")
    row = numbers.pop(0) if len(numbers) == most and least < most else None
    if name == "hilbert" and numbers[0] & (numbers[0] - 1):
        raise SkeletonError(f"order={text}: the side of the square is a power of two, not {numbers[0]}")
    if row is not None and row % numbers[0]:
        raise SkeletonError(f"order={text}: a row of {row} points is no multiple of {numbers[0]}")
    return ThreadOrder(name, row, tuple(numbers))


def orders_by_kernel(texts: list[str]) -> dict[str, ThreadOrders]:
    """`[KERNEL:]ORDER` each: the orders by the names of kernels; that of all others is under ""."""
    found: dict[str, ThreadOrders] = {}
    for text in texts:
        kernel, _, order = text.rpartition(":")
        found[kernel] = parse_orders(order)
    return found
