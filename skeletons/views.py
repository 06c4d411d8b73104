"""What templates see: plain values, every C text ready to be printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LoopView:
    """A base loop that is spread over threads along `axis` (0 = x, the innermost)."""

    iterator: str
    ctype: str
    start: str  # value of the iterator in iteration number `counter`
    condition: str
    counter: str  # name of the iteration number, a long
    trips: str  # name of the largest number of iterations
    trips_value: str  # what it is, on the host
    lower: str
    step: int
    axis: int


@dataclass(frozen=True)
class TileView:
    """The part of an array that a work-group keeps in fast memory: per dimension, halo and local index."""

    name: str
    low: tuple[int, ...]  # smallest offset, per dimension
    high: tuple[int, ...]

    @property
    def halo(self) -> tuple[int, ...]:
        """Cells that a tile has beyond its iterations, per dimension."""
        return tuple(high - low for low, high in zip(self.low, self.high, strict=True))


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
    out_first: str
    out_last: str
    inner: tuple[str, ...]  # constant extents of the dimensions after the first
    strides: tuple[tuple[str, str], ...]  # (name, value) of extents that are not constant
    copy_in: bool
    copy_out: bool
    const: bool
    shifted: bool  # the buffer does not begin with cell 0
    argument: str  # what the host file passes
    low: tuple[str, ...]  # read region, per dimension, for tiles
    high: tuple[str, ...]
    tile: TileView | None

    @property
    def rows(self) -> str:
        """`[N][M]`: the type of a row, empty for one dimension."""
        return "".join(f"[{extent}]" for extent in self.inner)


@dataclass(frozen=True)
class ScalarView:
    """A scalar on host and device; `start`, `last` and `partials` are names of kernel parameters."""

    name: str
    device: str
    host_type: str
    device_type: str
    role: str
    operator: str | None
    start: str
    last: str
    partials: str

    @property
    def neutral(self) -> str:
        """What a thread's part of a reduction starts from; the old value where repeating it does no harm."""
        return {"+": "0", "*": "1", "^": "0"}.get(self.operator or "", self.start)

    def combine(self, left: str, right: str) -> str:
        """Both parts of a reduction together."""
        if self.operator in ("min", "max"):
            comparison = "<" if self.operator == "min" else ">"
            return f"{right} {comparison} {left} ? {right} : {left}"
        return f"{left} {self.operator} {right}"


@dataclass(frozen=True)
class DeviceKernel:
    """A kernel as it is written for a device."""

    name: str
    file: str
    line: int
    function: str
    species: str
    loops: tuple[LoopView, ...]  # outermost first
    arrays: tuple[ArrayView, ...]
    scalars: tuple[ScalarView, ...]
    body: str
    has_continue: bool
    local: tuple[str, ...]  # names of the indices within a tile, outermost first

    def of_role(self, *roles: str) -> tuple[ScalarView, ...]:
        """The scalars of these roles."""
        return tuple(scalar for scalar in self.scalars if scalar.role in roles)
