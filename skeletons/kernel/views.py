"""What templates see: plain values, every C text ready to be printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skeletons.kernel.array_views import ArrayView
from species.source.text.code import parenthesised


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
    parts: str  # name of the threads' parts in fast memory

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

    def own_term(self, term: str) -> str:
        """What is combined into the variable, as a value of its type: `s &= 2` clears a `_Bool`."""
        return f"{parenthesised(term)} & 1" if (self.host_type, self.operator) == ("_Bool", "&") else term


@dataclass(frozen=True)
class ExtremeView:
    """An argmin or argmax: the extreme, what is set with it, and the number of the iteration it is from."""

    value: ScalarView
    with_it: tuple[ScalarView, ...]
    at: ScalarView  # -1: it is the value from before the loop
    relation: str  # "<" or ">": how a better value relates to the old one
    keeps: str  # of equal ones, "first" or "last"
    number: str  # the number of an iteration, from its counters

    @property
    def scalars(self) -> tuple[ScalarView, ...]:
        """All that moves together."""
        return (self.value, *self.with_it, self.at)

    def beats(self, new: str, new_at: str, old: str, old_at: str) -> str:
        """Does the new extreme take the place of the old one?"""
        earlier = "<" if self.keeps == "first" else ">"
        equal = f"{new} == {old} && {new_at} {earlier} {old_at}"
        return f"{new} {self.relation} {old} || ({equal})"


@dataclass(frozen=True)
class MergeView:
    """Several iterations of `loop` in one thread, `apart` from each other; those of `others` one by one."""

    loop: LoopView
    others: tuple[LoopView, ...]
    count: str  # name of the number of iterations
    apart: str  # name of their distance
    inside: str  # is the first of them, number `loop.base`, one of the loop's?  In blocks: the last
    body: str  # for all of them
    sums: int = 1  # how many each has in variables


@dataclass(frozen=True)
class CoarseView:
    """Several iterations of `loop` in one thread, each of them as it is; those of `others` one by one.

    They are neighbours, or as far apart as a block is wide.
    """

    loop: LoopView
    others: tuple[LoopView, ...]
    neighbours: bool
    iteration: str  # name of the function that makes one
    most: str  # name of the number of iterations that a thread makes at a time, where there are enough
    each: str  # and of how many it does make
    last: str  # name of the number of the last of them
    inside: str  # is it one of the loop's?
    first: str  # name of the iterator's value in the first of them
    first_value: str


@dataclass(frozen=True)
class StripView:
    """A base loop of which `lanes` iterations run side by side."""

    text: str
    lanes: int


@dataclass(frozen=True)
class FoldView:
    """Rows that grow, or shrink, by the same number of iterations each: pairs of them are equally long."""

    outer: LoopView
    inner: LoopView
    length: str  # name of the length of the first row that has iterations
    first: str  # name of the length of the first row of all, below 1 where it has none
    length_value: str  # what that is, on the host
    growth: int  # how much longer each row is than the one before
    skipped: str  # name of the number of rows before the first with iterations
    rows: str  # name of the number of rows with iterations
    width: str  # name of the length of two rows, the first and the last
    pair: str  # names in the kernel
    place: str
    own: str
    is_own: str

    @property
    def pairs(self) -> str:
        """How many pairs there are; the one in the middle may be one row."""
        return f"({self.rows} + 1) / 2"


@dataclass(frozen=True)
class ParameterView:
    """A parameter of the kernel, and the host's variable that is passed for it."""

    name: str
    ctype: str  # for a buffer, of what it points to
    buffer: bool
    value: str
    const: bool = False

    def from_cells(self, arrays: Sequence[ArrayView]) -> str:
        """The value; for the place of the first cell, 0 where there are no cells, and no buffer of them."""
        found = (array.count for array in arrays if array.first == self.value)
        return next((f"{count} > 0 ? {self.value} : 0" for count in found), self.value)
