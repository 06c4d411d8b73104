"""Nodes of points-to analysis, each a set of objects, and the edges along which these flow."""

from __future__ import annotations

from collections.abc import Iterator


def members(things: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while things:
        lowest = things & -things
        yield lowest.bit_length() - 1
        things ^= lowest


class Graph:
    """A node is a set of objects, which flow along edges; only what is new goes on (the propagation of
    differences of Pearce, Kelly and Hankin, 2004).  Objects are numbers, and sets of them the bits of an
    integer.
    """

    def __init__(self) -> None:
        self.pointees: list[int] = []
        self.inner: list[int] = []  # what a node points to that is not the start of an object
        self._edges: list[set[int]] = []
        self._pending: dict[int, int] = {}  # what arrived, and goes on
        self._moves: list[tuple[int, int]] = []  # along which a pointer may leave the start
        self._effort = 0

    def node(self) -> int:
        self.pointees.append(0)
        self._edges.append(set())
        return len(self.pointees) - 1

    def new(self, node: int, thing: int) -> None:
        """The node may point to the object."""
        self._flow(1 << thing, node)

    def _flow(self, things: int, to: int) -> None:
        new = things & ~self.pointees[to]
        if new:
            self.pointees[to] |= new
            self._pending[to] = self._pending.get(to, 0) | new

    def _edge(self, source: int, to: int) -> None:
        self._effort += 1
        if to not in self._edges[source] and source != to:
            self._edges[source].add(to)
            self._flow(self.pointees[source], to)

    def _find_inner(self) -> None:
        """Which objects a node may point into, behind their starts."""
        self.inner = [0] * len(self.pointees)
        pending = dict.fromkeys(source for source, _ in self._moves)
        moved: dict[int, list[int]] = {}
        for source, to in self._moves:
            moved.setdefault(source, []).append(to)
        while pending:
            node = next(iter(pending))
            del pending[node]
            further = [(to, self.inner[node]) for to in self._edges[node]]
            further += [(to, self.inner[node]) for to in self._further(node)]
            for to, things in [*further, *((to, self.pointees[node]) for to in moved.get(node, ()))]:
                if things & ~self.inner[to]:
                    self.inner[to] |= things
                    pending[to] = None

    def _further(self, node: int) -> Iterator[int]:
        """The nodes with parts of what is at a node."""
        yield from ()
