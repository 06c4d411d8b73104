"""The shape of tiles for tensor cores: the warps of a block multiply fragments, which their threads share.

A product of fragments is 16 rows by 8 columns in 8 steps, of doubles (PTX ISA, `mma.m16n8k8`): lane l has in
it the sums of rows l / 4 and l / 4 + 8, and columns l % 4 * 2 and the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skeletons.sums.tiled_reduction.shape import ShapeView, Sizes, fitting
from species.core.refusal import Refusal

if TYPE_CHECKING:
    from skeletons.sums.tiled_reduction.views import StagedView

_SIDE = 8  # rows and columns of the smallest fragments
_STEPS = 8
_APART = 4  # doubles more in a line of fast memory: steps side by side are in banks of their own


class FragmentsView(ShapeView):
    """A warp makes 8 * `tm` x 4 * `tn` sums, `tm` x `tn` in each of its threads; `k` is a multiple of 8."""

    has_fragments = True

    @property
    def row_place(self) -> str:
        return f"item / {32 * self._across} * {_SIDE * self.tm} + item % 32 / 4"

    @property
    def column_place(self) -> str:
        return f"item / 32 % {self._across} * {_SIDE * self.tn // 2} + item % 4 * 2"

    @property
    def _across(self) -> int:
        """The warps side by side."""
        return self.n // (_SIDE * self.tn // 2)

    def row(self, first: str, number: str) -> str:
        return f"{first} + {number} * {_SIDE}"

    def column(self, first: str, number: str) -> str:
        return f"{first} + {number} / 2 * {_SIDE} + {number} % 2"

    def factor(self, first: str, number: str) -> str:
        """The column of the value that a thread has of fragment `number`."""
        return f"{first} - item % 4 * 2 + item % 32 / 4 + {number} * {_SIDE}"

    def lines(self, staged: StagedView) -> int:
        return (self.m if staged.is_row else self.n) + _APART


def fragments_of(
    staged: Sequence[StagedView], sizes: Sizes, fast_memory: int, most_threads: int
) -> FragmentsView:
    """The shape for `sizes` (m, n, k, tm, tn), with fewer steps where tiles would not fit; else Refusal."""
    m, n, k, tm, tn = sizes
    if tm % 2 or tn % 2 or k % _STEPS:
        raise Refusal(f"fragments of 16 x 8 in 8 steps do not make threads of {tm} x {tn} in {k} steps")
    if m % (_SIDE * tm) or n % (_SIDE * tn // 2):
        raise Refusal(f"tiles of {m} x {n} cannot be divided into warps of {_SIDE * tm} x {_SIDE * tn // 2}")
    return fitting(FragmentsView(m, n, k, tm, tn, 1, 1), staged, fast_memory, most_threads, _STEPS)
