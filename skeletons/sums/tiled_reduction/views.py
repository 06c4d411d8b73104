"""What the templates of an accumulation see: tiles, walks over rows, columns and depth, and the update."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from models.machine import Machine
from skeletons.sums.tiled_reduction.fragments import FragmentsView, fragments_of
from skeletons.sums.tiled_reduction.shape import PanelsView, ShapeView, Sizes, blocks_for, panels_of, shape_of
from species.core.refusal import Refusal
from species.source.syntax.expressions import FLOATS

if TYPE_CHECKING:
    from skeletons.kernel.views import ScalarView


@dataclass(frozen=True)
class BaseView:
    """A base loop, counted from the first value that its iterator has in any iteration."""

    iterator: str
    ctype: str
    counter: str
    trips: str
    start: str  # value of the iterator in iteration number `counter`
    conditions: tuple[str, ...]  # of an iteration, in parentheses
    kept: tuple[str, str]  # names of its numbers in a thread's loads, across the depth and along it


@dataclass(frozen=True)
class DepthView:
    """A loop that is summed over."""

    iterator: str
    ctype: str
    counter: str  # name of the iteration number, a long
    trips: str  # name of the number of iterations
    trips_value: str  # not below 0 where there are several loops
    start: str  # value of the iterator in iteration number `counter`


@dataclass(frozen=True)
class StagedView:
    """A value that a side shares: its tile in fast memory, what a thread loads, and what it works with."""

    tile: str
    next: str
    loaded: str  # what is loaded to `next`: the value, or an element that it is made of
    loaded_type: str
    made: str  # the value, of what is in `next`
    own: str
    text: str
    ctype: str
    bytes: int
    is_row: bool
    along_depth: bool
    depth: tuple[str, ...]  # the iterators of the depth that it is made from
    clip: str  # what must hold for the elements to be on the device; empty: they are


@dataclass(frozen=True)
class ProductView:
    """A row's value times a column's, added to the sum or taken away."""

    row: StagedView
    column: StagedView
    negative: bool


@dataclass(frozen=True)
class WalkView:
    """Base loops that are walked as one."""

    loops: tuple[BaseView, ...]  # the fastest last
    base: str  # name of the first place of the block
    place: str  # name of the place of a thread's first element in the block
    number: str  # name of a place, where several loops are walked as one
    here: str  # name of the number of places in the block
    own_conditions: tuple[str, ...]  # those that depend on these loops and on batch loops only

    @property
    def conditions(self) -> tuple[str, ...]:
        """What must hold for the loops to make these iterations."""
        return tuple(condition for loop in self.loops for condition in loop.conditions)

    @property
    def total(self) -> str:
        """How many places there are."""
        return " * ".join(loop.trips for loop in self.loops)


@dataclass(frozen=True)
class AccumulationView:
    """One sum over `depth` for every row and column, in every batch."""

    rows: WalkView
    columns: WalkView
    batch: WalkView
    depth: tuple[DepthView, ...]
    staged: tuple[StagedView, ...]
    products: tuple[ProductView, ...]  # all that the update adds; empty: it adds other things
    target: str
    element: str
    is_uniform: bool  # the update says the same of vectors
    update: str  # of the sum in row `r` and column `c` of the thread
    before: str
    after: str
    before_scalars: tuple[ScalarView, ...]  # to be declared for `before`
    after_scalars: tuple[ScalarView, ...]
    is_scalar: bool
    is_reached: bool
    is_ragged: bool
    is_symmetric: bool
    is_bare: bool
    names: Mapping[str, str]  # of local variables, by role

    @property
    def has_point(self) -> bool:
        """Are the sums floating-point numbers?"""
        return self.element in FLOATS

    def shape(self, parameters: Any, fast_memory: int, most_threads: int) -> ShapeView:
        """The shape of the tiles for a skeleton's parameters; Refusal where they do not fit."""
        return shape_of(self.staged, sizes_of(parameters), fast_memory, most_threads)

    def fragments(self, parameters: Any, fast_memory: int, most_threads: int) -> FragmentsView:
        """The same for tensor cores; Refusal also where they do not make just these sums."""
        if not self.products:
            raise Refusal("it adds other things than products of a row's and a column's value")
        return fragments_of(self.staged, sizes_of(parameters), fast_memory, most_threads)

    def panels(self, parameters: Any, machine: Machine) -> PanelsView:
        """The shape of blocks for work-items alone in their group; Refusal where tiles do not divide them."""
        fitting = blocks_for(machine)
        m, n, k = (int(parameters[f"block_{side}"]) or fitting[side] for side in "mnk")
        tm, tn = (int(parameters[name]) for name in ("thread_m", "thread_n"))
        size = max(value.bytes for value in self.staged)
        return panels_of((m, n, k, tm, tn), size, machine.vector_bytes, uniform=self.is_uniform)

    def loads(self, is_row: bool) -> tuple[tuple[StagedView, ...], ...]:
        """The values of a side, those that are loaded in the same order together."""
        own = [staged for staged in self.staged if staged.is_row == is_row]
        found = (tuple(s for s in own if s.along_depth == along) for along in (True, False))
        return tuple(group for group in found if group)


def sizes_of(parameters: Any) -> Sizes:
    """Rows, columns and steps of a block, rows and columns of a work-item."""
    m, n, k, tm, tn = (
        int(parameters[name]) for name in ("block_m", "block_n", "block_k", "thread_m", "thread_n")
    )
    return m, n, k, tm, tn
