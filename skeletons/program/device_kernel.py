"""A kernel as its templates see it, whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

from skeletons.kernel.array_views import BYTES, ArrayView, PartView, TableView, TileView, TurnView
from skeletons.kernel.atomics import AtomicFunction
from skeletons.kernel.thread_orders import ThreadOrders
from skeletons.kernel.views import (
    CoarseView,
    ExtremeView,
    FoldView,
    LoopView,
    MergeView,
    ParameterView,
    ScalarView,
    StripView,
)

if TYPE_CHECKING:
    from skeletons.body.branchless_pack import Packing
    from skeletons.program.host_versions import Versions
    from skeletons.sums.cublas.views import ProductView
    from skeletons.sums.teams.views import TeamView
    from skeletons.sums.tiled_reduction.views import AccumulationView


@dataclass(frozen=True)
class PatternView:
    """A scan or a pack: every iteration combines `term` into `variable`."""

    kind: str
    variable: ScalarView
    term: str
    reads: tuple[str, ...]  # the names in the term
    own: str  # name of an iteration's term
    carry: str  # name of what the iterations before have come to
    total: str  # name of what a stretch of iterations comes to
    packing: Packing | None  # of a pack that needs no branch
    stop: str  # name of the iteration behind the last one that packs something


@dataclass(frozen=True)
class ShareView:
    """What devices share: the iterations of the outermost loop."""

    trips: str  # how many there are, on the host
    first: str  # name of the number of the first one that a device makes
    last: str  # and of the last one


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
    extremes: tuple[ExtremeView, ...] = ()
    pattern: PatternView | None = None
    accumulation: AccumulationView | None = None  # the body with shared values in tiles
    team: TeamView | None = None  # sums that several threads make together
    product: ProductView | None = None  # the sums as one call of a library
    merge: MergeView | None = None  # the body for several iterations at once
    fast_merge: MergeView | None = None  # and `fast_body`
    coarse: CoarseView | None = None  # the base loop of which a thread makes several iterations
    apart: bool = False  # no two arrays, of which the kernel writes to one, have cells in common
    strip: StripView | None = None  # the innermost base loop, in vectors
    fold: FoldView | None = None  # two base loops as a rectangle
    tables: tuple[TableView, ...] = ()
    whole_units: bool = False  # everything moves as whole allocation units
    inspection: str = ""  # what the host executes for every iteration, before a launch
    in_lanes: frozenset[int] = (
        frozenset()
    )  # where loops begin in the file of which iterations run side by side
    crosses: bool = False  # neighbours in memory are neighbours along either loop
    is_uneven: bool = False  # some iterations of the outermost loop may have more work than others
    versions: Versions | None = None  # what a launch chooses from
    shares: ShareView | None = None  # it is the part of one device
    order: ThreadOrders | None = None  # in which its threads make the points of its loops
    few: int = 0  # below so many iterations, the host is done sooner; 0: never

    @property
    def orders(self) -> tuple[str, ...]:
        """The names of the orders that its threads are in."""
        return tuple(sorted(self.order.names)) if self.order is not None else ()

    @property
    def may_refuse(self) -> bool:
        """May a launch fail because nobody knows the size of some memory?"""
        return bool(self.tables) or any(array.is_unit for array in self.arrays)

    @property
    def answers(self) -> bool:
        """Does the launch function say whether it has done the loop's work?"""
        return self.may_refuse or self.few > 0 or self.versions is not None

    @property
    def divides(self) -> bool:
        """May a launch leave some of the iterations to the host?"""
        return self.shares is not None and self.versions is not None

    @property
    def entry(self) -> str:
        """The name of the function that launches it on one device."""
        return f"{self.name}_part" if self.shares else self.name

    @property
    def whole(self) -> DeviceKernel:
        """The kernel as the host file knows it."""
        if self.shares is None:
            return self
        own = (self.shares.first, self.shares.last)
        return replace(self, scalars=tuple(scalar for scalar in self.scalars if scalar.name not in own))

    @property
    def packs(self) -> bool:
        """Does the launch count cells that the kernel writes?"""
        return any(array.is_packed for array in self.arrays)

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
    def turns(self) -> tuple[tuple[ArrayView, TurnView], ...]:
        """The matrices that are transposed."""
        return tuple((array, array.turn) for array in self.arrays if array.turn is not None)

    @property
    def turned(self) -> DeviceKernel:
        """The kernel over the transposed matrices."""
        return replace(self, body=self.fast_body, arrays=tuple(array.turned for array in self.arrays))

    @property
    def fast(self) -> DeviceKernel:
        """The kernel with the body over the parts."""
        return replace(self, body=self.fast_body, merge=self.fast_merge)

    @property
    def parameters(self) -> tuple[ParameterView, ...]:
        """The parameters of the kernel in their order."""
        arrays = [parameter for array in self.arrays for parameter in _of_array(array)]
        arrays += [parameter for table in self.tables for parameter in _of_table(table)]
        scalars = [parameter for scalar in self.scalars for parameter in _of_scalar(scalar)]
        scalars += [parameter for extreme in self.extremes for parameter in _of_extreme(extreme)]
        f = self.fold
        sizes = [f.length, f.skipped, f.rows, f.width] if f else [loop.trips for loop in self.loops]
        trips = [ParameterView(size, "long", False, size) for size in sizes]
        ends = [ParameterView(loop.end, "long", False, loop.end) for loop in self.loops]
        return (*arrays, *scalars, *trips, *(ends if self.of_role("lastprivate") else ()))

    @property
    def passed(self) -> str:
        """What the host passes for the parameters, to a kernel that moves its pointers."""
        return ", ".join(parameter.from_cells(self.arrays) for parameter in self.parameters)

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

    def together(self, axis: int, merge: int) -> int:
        """How many iterations along an axis a thread makes side by side, `merge` being the parameter."""
        return merge if self.merge is not None and self.merge.loop.axis == axis else 1

    def extent(self, axis: int) -> str:
        """How many iterations there are along an axis of the grid, on the host."""
        if self.fold is not None:
            return self.fold.pairs if axis else self.fold.width
        return self.loops[len(self.loops) - 1 - axis].trips

    @property
    def iterations(self) -> int | None:
        """How many iterations there are at most, where that is a number."""
        trips = [loop.trips_value for loop in self.loops]
        return prod(map(int, trips)) if all(value.isdigit() for value in trips) else None

    @property
    def reduced(self) -> tuple[ScalarView, ...]:
        """The scalars of which every thread has a part."""
        return self.of_role("reduction") + tuple(s for extreme in self.extremes for s in extreme.scalars)

    @property
    def part_bytes(self) -> int:
        """What one thread's parts of all reductions take."""
        return sum(BYTES[scalar.host_type] for scalar in self.reduced)

    @property
    def shuffles(self) -> bool:
        """Can the threads of a warp pass the parts on from register to register?"""
        return not self.extremes and all(BYTES[scalar.host_type] >= 4 for scalar in self.reduced)

    def of_role(self, *roles: str) -> tuple[ScalarView, ...]:
        """The scalars of these roles."""
        return tuple(scalar for scalar in self.scalars if scalar.role in roles)


def _of_array(array: ArrayView) -> list[ParameterView]:
    name = array.cells if array.is_cast else array.device
    strides = [stride for stride, _ in array.strides]
    numbers = [array.skip] * bool(array.skip) + [array.first] * array.shifted + strides
    numbers += [bound for bound, _ in array.bounds if array.tile or array.is_turned or array.is_clipped]
    numbers += [array.count] * (array.part is not None)
    buffer = ParameterView(name, array.device_type, True, array.cells, array.const)
    return [buffer, *(ParameterView(n, "long", False, n) for n in numbers)]


def _of_table(table: TableView) -> list[ParameterView]:
    arena = [ParameterView(table.arena, "char", True, table.arena)] if table.arena else []
    rows = ParameterView(table.rows, "unsigned long", True, table.rows, True)
    return [rows, ParameterView(table.first, "long", False, f"{table.view}.first"), *arena]


def _of_extreme(extreme: ExtremeView) -> list[ParameterView]:
    starts = [ParameterView(s.start, s.device_type, False, s.start) for s in extreme.scalars[:-1]]
    return starts + [ParameterView(s.partials, s.device_type, True, s.partials) for s in extreme.scalars]


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
