"""How a work-group's tiles are made: sizes, who loads what, and which sums are whose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from models.machine import Machine
from species.core.refusal import Refusal

if TYPE_CHECKING:
    from skeletons.sums.tiled_reduction.views import AccumulationView, StagedView

Shape = TypeVar("Shape", bound="ShapeView")
Sizes = tuple[int, int, int, int, int]  # m, n, k, tm, tn
_LINE = 16  # bytes that a work-item reads at once


@dataclass(frozen=True)
class LoadView:
    """A tile's loads: every work-item makes `passes` of them, each to this line and step of the tile."""

    passes: int
    line: str
    step: str
    guard: str  # what must hold; empty: nothing


@dataclass(frozen=True)
class ShapeView:
    """`m` x `n` sums and `k` steps for a work-group, `tm` x `tn` sums for each of its `threads`."""

    m: int
    n: int
    k: int
    tm: int
    tn: int
    wide_m: int  # neighbouring rows of one work-item
    wide_n: int

    has_fragments = False  # tensor cores multiply

    @property
    def threads(self) -> int:
        """The work-items of a group."""
        return self.m // self.tm * (self.n // self.tn)

    @property
    def row_place(self) -> str:
        """The place of a work-item's first row."""
        return _scaled(f"item / {self.n // self.tn}", self.wide_m)

    @property
    def column_place(self) -> str:
        """The place of a work-item's first column."""
        return _scaled(f"item % {self.n // self.tn}", self.wide_n)

    def row(self, first: str, number: str) -> str:
        """The place of a work-item's row number `number`."""
        return _spread(first, number, self.wide_m, self.m // self.tm, self.tm)

    def column(self, first: str, number: str) -> str:
        """The place of a work-item's column number `number`."""
        return _spread(first, number, self.wide_n, self.n // self.tn, self.tn)

    def lines(self, staged: StagedView) -> int:
        """The rows or columns of a tile, and some more that keep the banks of fast memory apart."""
        return (self.m if staged.is_row else self.n) + _LINE // min(staged.bytes, _LINE)

    def loads_whole(self, accumulation: AccumulationView) -> bool:
        """Can one test say that nothing that a block loads is beyond the last row or column?

        Where a condition holds in an iteration of a loop, it does in all before it.
        """
        walks = (accumulation.rows, accumulation.columns)
        is_simple = all(len(walk.loops) == 1 for walk in walks) and not accumulation.is_ragged
        return is_simple and not any(self.load(value, "").guard for value in accumulation.staged)

    def load(self, staged: StagedView, number: str) -> LoadView:
        """Who loads what, neighbours in memory by neighbouring work-items; `number` is that of the pass."""
        lines = self.m if staged.is_row else self.n
        fast, slow = (self.k, lines) if staged.along_depth else (lines, self.k)
        passes, inner, outer, guard = _shared(fast, slow, self.threads, number)
        line, step = (outer, inner) if staged.along_depth else (inner, outer)
        return LoadView(passes, line, step, guard)


@dataclass(frozen=True)
class PanelsView:
    """`m` x `n` sums and `k` steps for a work-item; `tm` x `tn` at a time in registers, in vectors."""

    m: int
    n: int
    k: int
    tm: int
    tn: int
    lanes: int  # 1: no vectors

    threads = 1  # the work-items of a group

    def panels(self, staged: StagedView) -> int:
        """How many panels the block's values are packed in."""
        return self.m // self.tm if staged.is_row else self.n // self.tn

    def width(self, staged: StagedView) -> int:
        """The rows or columns of a panel."""
        return self.tm if staged.is_row else self.tn


def blocks_for(machine: Machine) -> dict[str, int]:
    """The rows (m), columns (n) and steps (k) that a work-item packs, by the caches of a core.

    As doubles, panels of rows and columns together take 7/32 of the second level, and a panel of 16 columns
    half of the first; above 1 MiB and 32 KiB, more is of no use.
    """
    part = max(8, min(32, machine.cache(2).bytes // (1 << 15) // 8 * 8))
    return {"m": 3 * part, "n": 4 * part, "k": max(32, min(128, machine.cache(1).bytes // 256))}


def panels_of(sizes: Sizes, size: int, vector_bytes: int, *, uniform: bool) -> PanelsView:
    """The panels for `sizes` (m, n, k, tm, tn) and values of `size` bytes; tm and tn of 0: by the registers.

    Machines with vectors of 64 bytes have 32 registers for them, others are taken to have 16.  Without
    `uniform`, values are computed one by one.
    """
    m, n, k, tm, tn = sizes
    lanes = max(2, min(16, min(vector_bytes, 64) // size)) if uniform else 1
    tm = tm or ((12 if vector_bytes >= 64 else 6) if uniform else 4)
    tn = tn or (2 * lanes if uniform else 2)
    if m % tm or n % tn:
        raise Refusal(f"blocks of {m} x {n} cannot be divided into tiles of {tm} x {tn}")
    return PanelsView(m, n, k, tm, tn, lanes if tn % lanes == 0 else 1)


def shape_of(staged: Sequence[StagedView], sizes: Sizes, fast_memory: int, most_threads: int) -> ShapeView:
    """The shape for `sizes` (m, n, k, tm, tn), with fewer steps where the tiles would not fit.

    Refusal where they never do.
    """
    m, n, k, tm, tn = sizes
    if m % tm or n % tn:
        raise Refusal(f"tiles of {m} x {n} cannot be divided into parts of {tm} x {tn}")
    wide = [
        _LINE // min(_LINE, max((s.bytes for s in staged if s.is_row == side), default=_LINE))
        for side in (True, False)
    ]
    found = ShapeView(m, n, k, tm, tn, _divisor(tm, wide[0]), _divisor(tn, wide[1]))
    return fitting(found, staged, fast_memory, most_threads)


def fitting(
    found: Shape, staged: Sequence[StagedView], fast_memory: int, most_threads: int, fewest: int = 1
) -> Shape:
    """The shape with as many steps (`fewest` or more) as fit into fast memory; Refusal where none do."""
    if found.threads > most_threads:
        raise Refusal(f"a work-group of {found.threads} is too large")
    while _bytes(found, staged) > fast_memory and found.k >= 2 * fewest:
        found = replace(found, k=found.k // 2)
    if _bytes(found, staged) > fast_memory:
        raise Refusal(f"its tiles take more than the {fast_memory} bytes of fast memory of a work-group")
    return found


def _bytes(shape: ShapeView, staged: Sequence[StagedView]) -> int:
    """Two tiles of every value."""
    return sum(2 * shape.k * shape.lines(value) * value.bytes for value in staged)


def _divisor(number: int, most: int) -> int:
    return max(d for d in range(1, most + 1) if number % d == 0)


def _scaled(text: str, factor: int) -> str:
    return text if factor == 1 else f"{text} * {factor}"


def _spread(first: str, number: str, wide: int, threads: int, count: int) -> str:
    """`wide` places side by side, then as many beyond those of all other threads."""
    if wide == count:
        return f"{first} + {number}"
    if wide == 1:
        return f"{first} + {number} * {threads}"
    return f"{first} + {number} / {wide} * {threads * wide} + {number} % {wide}"


def _shared(fast: int, slow: int, threads: int, number: str) -> tuple[int, str, str, str]:
    """Passes, place along the fast and along the slow side, and a guard."""
    if threads % fast == 0 and slow % (threads // fast) == 0:
        inner = "item" if fast == threads else f"item % {fast}"
        rows = threads // fast
        outer = number if fast == threads else f"item / {fast} + {_scaled(number, rows)}"
        return slow // rows, inner, outer, ""
    if fast % threads == 0:
        parts = fast // threads
        return slow * parts, f"item + {number} % {parts} * {threads}", f"{number} / {parts}", ""
    place = f"(item + {number} * {threads})"
    passes = -(-fast * slow // threads)
    guard = f"{place} < {fast * slow}" if fast * slow % threads else ""
    return passes, f"{place} % {fast}", f"{place} / {fast}", guard
