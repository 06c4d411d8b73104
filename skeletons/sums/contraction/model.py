"""What a contraction is: its loops in groups, its products, and what one loop's bounds make of another's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from species.source.text.code import names_in


@dataclass(frozen=True)
class BandLoop:
    """A loop with step 1: `lower <= iterator < upper`, both C texts that may name outer iterators."""

    iterator: str
    ctype: str
    lower: str
    upper: str


@dataclass(frozen=True)
class Refused:
    """Why loops are no contraction that we can write."""

    reason: str


@dataclass(frozen=True)
class Operand:
    """One side of a product: its factors' C texts, fit to be multiplied, the first in the type of the sums.

    `unit_stride`: the next value of the group's last iterator reads the next element in memory; `plain`: and
    there is nothing but that element, of the type of the sums.
    """

    factors: tuple[str, ...]
    unit_stride: bool
    plain: bool


@dataclass(frozen=True)
class Product:
    """A product that is added to (or taken from) the output: what rows read, and what columns read."""

    rows: Operand
    columns: Operand
    negative: bool


@dataclass(frozen=True)
class Ragged:
    """One loop's range depends on one other's value.

    `given` decides the range of `ranged`: `low` and `high` are C texts in `given`, None where that end is
    the same for all.  `triangle`: the columns of a row; `rows`, `columns`: the depth of a row or a column.
    `outer` is the loop of the two that stands outside in the original, `inner` the other one; `low_at` and
    `high_at` say for which value of `outer` ("first" or "last"; None: for any) the range of `inner` starts
    first and ends last.
    """

    kind: Literal["triangle", "rows", "columns"]
    given: BandLoop
    ranged: BandLoop
    low: str | None
    high: str | None
    outer: BandLoop
    inner: BandLoop
    low_at: str | None
    high_at: str | None


@dataclass(frozen=True)
class Contraction:
    """Sums of products over `depth` for every row and column; `batch` loops repeat all of it.

    Every group is in the order in which its loops are to be fused, the fastest last.
    """

    statement: str
    output: str
    element: str  # the canonical type of the output's elements, in which all of it is computed
    rows: tuple[BandLoop, ...]
    columns: tuple[BandLoop, ...]
    depth: tuple[BandLoop, ...]
    batch: tuple[BandLoop, ...]
    products: tuple[Product, ...]
    output_unit: bool  # the last loop of the columns walks the output by unit steps
    regrouped: bool  # factors of a product are multiplied in another order, or a sum was multiplied out
    ragged: Ragged | None
    symmetric: bool = False  # row x and column y get the same sum as row y and column x, for all of both

    @property
    def half(self) -> Ragged | None:
        """The columns of every row whose sums are formed: of a symmetric result, those up to the diagonal."""
        if self.ragged is not None or not self.symmetric:
            return self.ragged
        row, column = self.rows[0], self.columns[0]
        return Ragged("triangle", row, column, None, f"{row.iterator} + 1", row, column, None, None)

    @property
    def exact(self) -> bool:
        """Is the result the original's to the last bit, whatever the order of the sums?"""
        return self.element not in ("float", "double")

    @property
    def loops(self) -> tuple[BandLoop, ...]:
        return (*self.batch, *self.rows, *self.columns, *self.depth)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that the texts use, iterators left out."""
        bounds = (text for loop in self.loops for text in (loop.lower, loop.upper))
        iterators = {loop.iterator for loop in self.loops}
        return tuple(n for n in names_of((self.statement, *bounds)) if n not in iterators)


def names_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The identifiers in `texts`, each once."""
    return tuple(dict.fromkeys(name for text in texts for name in names_in(text)))
