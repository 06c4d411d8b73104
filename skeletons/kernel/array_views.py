"""What templates see of arrays: plain values, every C text ready to be printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from species.facts.loops import ROW

# Bytes of the built-in types, on host and device alike (LP64).
BYTES = {
    **dict.fromkeys(("_Bool", "char", "signed char", "unsigned char"), 1),
    **dict.fromkeys(("short", "unsigned short"), 2),
    **dict.fromkeys(("int", "unsigned int", "float"), 4),
    **dict.fromkeys(("long", "unsigned long", "long long", "unsigned long long", "double"), 8),
}


@dataclass(frozen=True)
class TileView:
    """The part of an array that a work-group keeps in fast memory: per dimension, halo and local index."""

    name: str
    low: tuple[int, ...]  # smallest offset, per dimension
    high: tuple[int, ...]
    reads: int  # different cells that an iteration reads

    @property
    def halo(self) -> tuple[int, ...]:
        """Cells that a tile has beyond its iterations, per dimension."""
        return tuple(high - low for low, high in zip(self.low, self.high, strict=True))

    def cells(self, sizes: Sequence[int]) -> int:
        """The cells of the tile of a work-group with `sizes` iterations, per dimension."""
        return prod(size + halo for size, halo in zip(sizes, self.halo, strict=True))


@dataclass(frozen=True)
class PartView:
    """What an array that values are combined into by `operator` has beside: a work-group's own part of it."""

    name: str
    operator: str
    action: str  # the function that combines a cell of the part into the array

    @property
    def neutral(self) -> str:
        """What the cells of a part start from; empty: from the array's, where repeating does no harm."""
        return {"+": "0", "*": "1", "^": "0"}.get(self.operator, "")


@dataclass(frozen=True)
class TurnView:
    """A matrix whose transpose a kernel reads: the names of the transpose and of its measures."""

    name: str
    rows: str  # of the matrix
    columns: str
    low_row: str  # of the first cell that is read
    low_column: str
    at: str  # name of the place of that cell in the buffer


@dataclass(frozen=True)
class CellsView:
    """Cells of an array that move: from `first` to `last`, in every row where there are `rows`.

    `rows`: the first and the last one, both included; the row has the name `row` then.
    """

    name: str
    first: str
    last: str
    rows: tuple[str, ...]
    is_all: bool  # that the kernel touches
    row: str = ROW


@dataclass(frozen=True)
class ArrayView:
    """An array on host and device."""

    name: str  # in the original file
    host: str  # parameter of the launch function
    device: str  # in the kernel
    cells: str  # name of the device buffer
    first: str  # name of the place in the array of the buffer's first cell
    count: str  # name of the number of cells in the buffer
    host_type: str
    device_type: str
    first_value: str
    last_value: str
    inner: tuple[str, ...]  # constant extents of the dimensions after the first
    strides: tuple[tuple[str, str], ...]  # (name, value) of extents that are not constant
    brought: tuple[CellsView, ...]  # what the kernel needs
    returned: CellsView | None  # what it writes
    const: bool
    shifted: bool  # the buffer does not begin with cell 0
    argument: str  # what the host file passes
    bounds: tuple[
        tuple[str, str], ...
    ]  # of a tile: (name, value) of the lowest and highest index read, per dimension
    tile: TileView | None
    part: PartView | None
    turn: TurnView | None = None
    is_turned: bool = False  # stands for its transpose
    is_clipped: bool = False  # the kernel looks at the bounds of what it reads
    is_known: bool = False  # host code speaks of it by the address that the kernel gets
    size: str = ""  # name of the size of an element, where only the host file knows it
    is_unit: bool = False  # all of the allocation unit that it is in, whose extent is found at run time
    is_packed: bool = False  # of its cells, as many are written, and no others touched, as the launch counts
    seen: str = ""  # name of what an inspector finds
    skip: str = ""  # name of the bytes before the first cell, where devices get whole buffers only

    @property
    def is_brought_whole(self) -> bool:
        """Does the kernel need all that it touches?"""
        return any(cells.is_all for cells in self.brought)

    @property
    def copy_out(self) -> bool:
        return self.returned is not None

    @property
    def is_cast(self) -> bool:
        """Is the kernel's array made from the buffer (a pointer to rows, moved, or to one of two buffers)?"""
        return self.shifted or bool(self.inner) or self.part is not None

    @property
    def turned(self) -> ArrayView:
        """The transpose in place of the matrix, if there is one."""
        if self.turn is None:
            return self
        name = self.turn.name
        plain = replace(self, device=name, cells=name, inner=(), strides=(), shifted=False, skip="")
        return replace(plain, is_turned=True)

    @property
    def width(self) -> str:
        """The length of a row of a matrix, on the host."""
        return self.strides[0][0] if self.strides else self.inner[0]

    @property
    def bytes(self) -> int:
        """The size of an element; 0 for structures."""
        return BYTES.get(self.host_type, 0)

    @property
    def rows(self) -> str:
        """`[N][M]`: the type of a row, empty for one dimension."""
        return "".join(f"[{extent}]" for extent in self.inner)


@dataclass(frozen=True)
class TableView:
    """A table whose rows have places on the device; the kernel gets these."""

    name: str  # in the original file
    host: str  # parameter of the launch function
    host_type: str  # of an element of a row
    device_type: str
    view: str  # name on the host
    first: str  # name of the first row that has a place
    rows: str  # name of the places, on host and device
    arena: str  # name of the buffer with all rows, where devices get whole buffers only
    first_value: str
    last_value: str
    is_declared: bool  # with its length
    brought: tuple[CellsView, ...]  # of rows, what the kernel needs
    returned: CellsView | None  # what it writes
