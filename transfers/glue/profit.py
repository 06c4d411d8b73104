"""Which statements are cheaper in one thread of the device than on the host, copies included?  An estimate.

What a statement touches on the host is copied: what kernels have written before it reads, what it has written
before kernels touch it.  In a kernel of its own nothing is, but host code that reads what it writes must then
wait for that: so statements are judged together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from pycparser import c_ast

from models.sizes.amounts import UNKNOWN
from species.source.syntax.tree import walk
from species.symbols.symbols import Symbol
from transfers.glue.accesses import Access
from transfers.glue.events import Event, trips
from transfers.plan.functions import LOOPS

_COMPUTING = (c_ast.BinaryOp, c_ast.UnaryOp, c_ast.Assignment)
_CELLS = (c_ast.ArrayRef, c_ast.StructRef)
CALL = 10.0  # operations of a mathematical function
MOST = 60  # statements that are judged together


@dataclass(frozen=True)
class Prices:
    """Seconds on a device: to start a kernel, for a small copy and (per byte) for a larger one, and of one
    thread, that nobody else keeps company, for a cell and for an operation.
    """

    launch: float
    latency: float
    byte: float
    cell: float
    operation: float


@dataclass
class Profit:
    """Estimates for one program, as its `events` tell it; statements go by the id of their nodes."""

    events: Sequence[Event]
    prices: Prices
    _known: dict[tuple[Symbol, frozenset[int]], float] = field(default_factory=dict)

    @cached_property
    def _by_array(self) -> dict[Symbol, list[tuple[int, Event]]]:
        found: dict[Symbol, list[tuple[int, Event]]] = {}
        for at, event in enumerate(self.events):
            for array in {access.array for access in event.accesses}:
                found.setdefault(array, []).append((at, event))
        return found

    def best(self, candidates: Sequence[int]) -> frozenset[int]:
        """The statements that should be kernels: the better of what is left when one by one is taken from
        all, and of what is found when one by one is added.
        """
        if len(candidates) > MOST:
            return frozenset().union(
                *(self.best(candidates[k : k + MOST]) for k in range(0, len(candidates), MOST))
            )
        ends = (self._settled(frozenset(candidates), candidates), self._settled(frozenset(), candidates))
        return min(ends, key=self.total)

    def _settled(self, chosen: frozenset[int], candidates: Sequence[int]) -> frozenset[int]:
        """From one choice to the next by a single statement, as long as that is cheaper."""
        while True:
            others = [chosen ^ {candidate} for candidate in candidates]
            better = min(others, key=self.total, default=chosen)
            if self.total(better) >= self.total(chosen):
                return chosen
            chosen = better

    def total(self, chosen: frozenset[int]) -> float:
        """Seconds for all copies, and for the statements that are kernels."""
        own = sum(self.alone(event) for event in self.events if id(event.node) in chosen)
        return own + sum(self._copies(array, chosen) for array in self._by_array)

    def copies_saved(self, statement: int, chosen: frozenset[int]) -> float:
        """Seconds of copies that are made because a statement is not among those that are kernels."""
        without, with_it = chosen - {statement}, chosen | {statement}
        return sum(self._copies(a, without) - self._copies(a, with_it) for a in self._by_array)

    def seconds(self, statement: int) -> float:
        """What a statement takes as a kernel."""
        return sum(self.alone(event) for event in self.events if id(event.node) == statement)

    def alone(self, event: Event) -> float:
        """What it takes in one thread, each time with a launch."""
        return event.times * (self.prices.launch + self._work(event.node))

    def _work(self, node: Any) -> float:
        match node:
            case None:
                return 0.0
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                count = trips(node)
                inside = self._work(node.cond) + self._work(node.stmt)
                return (UNKNOWN if count is None else count) * inside
            case c_ast.FuncCall():
                own = CALL * self.prices.operation
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                own = self.prices.cell
            case _:
                own = self.prices.operation if isinstance(node, _COMPUTING) else 0.0
        return own + sum(self._work(child) for _, child in node.children())

    # Copies

    def _copies(self, array: Symbol, chosen: frozenset[int]) -> float:
        events = self._by_array[array]
        key = array, chosen & {id(event.node) for _, event in events}
        if key not in self._known:
            self._known[key] = sum(self._of_array(array, events, chosen))
        return self._known[key]

    def _of_array(
        self, array: Symbol, events: list[tuple[int, Event]], chosen: frozenset[int]
    ) -> Iterator[float]:
        device = [(at, e) for at, e in events if e.is_launch or id(e.node) in chosen]
        host = [(at, e) for at, e in events if not (e.is_launch or id(e.node) in chosen)]
        writers = [e for _, e in host if any(a.array is array and a.writes for a in e.accesses)]
        for at, event in host:
            for access in event.accesses:
                if access.array is array:
                    partners = list(_partners(access, at, event, device))
                    count = _count(access, event, partners, writers) if partners else 0.0
                    yield count * (self.prices.latency + access.bytes * self.prices.byte)


def _partners(access: Access, at: int, event: Event, device: list[tuple[int, Event]]) -> Iterator[Event]:
    """The kernels for whose sake an access of the host needs a copy: those that have written what it reads,
    or touch what it has written.
    """
    for other_at, other in device:
        if other.root != event.root:
            continue
        ordered = other_at > at if access.writes else other_at < at
        touched = access.writes or any(a.array is access.array and a.writes for a in other.accesses)
        if touched and (ordered or event.meets(other)):
            yield other


def _count(access: Access, event: Event, partners: list[Event], writers: list[Event]) -> float:
    """How many copies: one for each iteration of loops around both, or that move the cell that is read and
    have none of the host's `writers` in them (who may have written it).
    """
    moving = frozenset() if access.writes or access.names is None else access.names
    return prod(
        loop.trips
        for loop in event.around
        if any(loop in other.around for other in partners)
        or (moving & loop.changed and not any(loop in other.around for other in writers))
    )


def is_countable(node: Any) -> bool:
    """Do all loops in a statement make a known number of iterations?"""
    return all(trips(part) is not None for part in walk(node) if isinstance(part, LOOPS))
