"""What templates see: plain values, every C text ready to be printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from skeletons.atomics import AtomicFunction

# Bytes of the built-in types, on host and device alike (LP64).
BYTES = {
    **dict.fromkeys(("_Bool", "char", "signed char", "unsigned char"), 1),
    **dict.fromkeys(("short", "unsigned short"), 2),
    **dict.fromkeys(("int", "unsigned int", "float"), 4),
    **dict.fromkeys(("long", "unsigned long", "long long", "unsigned long long", "double"), 8),
}


@dataclass(frozen=True)
class LoopView:
    """A base loop that is spread over threads along `axis` (0 = x, the innermost)."""

    iterator: str
    ctype: str
    host_ctype: str
    start: str  # value of the iterator in iteration number `counter`
    condition: str
    counter: str  # name of the iteration number, a long
    trips: str  # name of the largest number of iterations
    trips_value: str  # what it is, on the host
    end: str  # name of the number of the last iteration, where values come back
    lower: str
    step: int
    axis: int
    base: str  # with tiles: name of the number of the work-group's first iteration
    local: str  # with tiles: name of the place in the work-group


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
    out: str  # name of the place of the first cell that goes back
    shifted: bool  # the buffer does not begin with cell 0
    argument: str  # what the host file passes
    bounds: tuple[
        tuple[str, str], ...
    ]  # of a tile: (name, value) of the lowest and highest index read, per dimension
    tile: TileView | None
    part: PartView | None

    @property
    def is_cast(self) -> bool:
        """Is the kernel's array made from the buffer (a pointer to rows, moved, or to one of two buffers)?"""
        return self.shifted or bool(self.inner) or self.part is not None

    @property
    def bytes(self) -> int:
        """The size of an element; 0 for structures."""
        return BYTES.get(self.host_type, 0)

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
class ParameterView:
    """A parameter of the kernel, and the host's variable that is passed for it."""

    name: str
    ctype: str  # for a buffer, of what it points to
    buffer: bool
    value: str
    const: bool = False


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
    fast_body: str = ""  # over the parts that the work-groups keep
    atomics: tuple[AtomicFunction, ...] = ()

    @property
    def combined(self) -> tuple[tuple[ArrayView, PartView], ...]:
        """The arrays that values are combined into."""
        return tuple((array, array.part) for array in self.arrays if array.part is not None)

    @property
    def reorders_floats(self) -> bool:
        """Are floating-point values added or multiplied in another order than the original's?"""
        found = [(array.host_type, part.operator) for array, part in self.combined]
        found += [(scalar.host_type, scalar.operator or "") for scalar in self.of_role("reduction")]
        return any(host_type in ("float", "double") and operator in "+*" for host_type, operator in found)

    @property
    def fast(self) -> DeviceKernel:
        """The kernel with the body over the parts."""
        return replace(self, body=self.fast_body)

    @property
    def parameters(self) -> tuple[ParameterView, ...]:
        """The parameters of the kernel in their order."""
        arrays = [parameter for array in self.arrays for parameter in _of_array(array)]
        scalars = [parameter for scalar in self.scalars for parameter in _of_scalar(scalar)]
        trips = [ParameterView(loop.trips, "long", False, loop.trips) for loop in self.loops]
        ends = [ParameterView(loop.end, "long", False, loop.end) for loop in self.loops]
        return (*arrays, *scalars, *trips, *(ends if self.of_role("lastprivate") else ()))

    @property
    def tiled(self) -> tuple[tuple[ArrayView, TileView], ...]:
        """The arrays that a work-group keeps a tile of."""
        return tuple((array, array.tile) for array in self.arrays if array.tile is not None)

    def tile_bytes(self, sizes: Sequence[int]) -> int:
        """What the tiles take together, in a work-group with `sizes` iterations per base loop."""
        return sum(tile.cells(sizes) * BYTES[array.host_type] for array, tile in self.tiled)

    def tiles_pay(self, sizes: Sequence[int]) -> bool:
        """Are fewer cells loaded into tiles than the iterations read from them?"""
        return sum(t.cells(sizes) for _, t in self.tiled) < prod(sizes) * sum(t.reads for _, t in self.tiled)

    def of_role(self, *roles: str) -> tuple[ScalarView, ...]:
        """The scalars of these roles."""
        return tuple(scalar for scalar in self.scalars if scalar.role in roles)


def _of_array(array: ArrayView) -> list[ParameterView]:
    name = array.cells if array.is_cast else array.device
    numbers = [array.first] * array.shifted + [stride for stride, _ in array.strides]
    numbers += [bound for bound, _ in array.bounds] + [array.count] * (array.part is not None)
    buffer = ParameterView(name, array.device_type, True, array.cells, array.const)
    return [buffer, *(ParameterView(number, "long", False, number) for number in numbers)]


def _of_scalar(scalar: ScalarView) -> list[ParameterView]:
    own = scalar.device_type
    match scalar.role:
        case "in":
            return [ParameterView(scalar.device, own, False, scalar.device)]
        case "firstprivate":
            return [ParameterView(scalar.start, own, False, scalar.start)]
        case "lastprivate":
            return [ParameterView(scalar.last, own, True, scalar.last)]
        case "reduction":
            partials = ParameterView(scalar.partials, own, True, scalar.partials)
            start = ParameterView(scalar.start, own, False, scalar.start)
            return [start, partials] if scalar.neutral == scalar.start else [partials]
    return []
