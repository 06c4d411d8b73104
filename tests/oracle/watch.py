"""Watches one execution of a loop: conflicts between its iterations, and the cells that it touches."""

from __future__ import annotations

from typing import Any

from tests.oracle.claims import Box, Cells, Claims
from tests.oracle.memory import DisagreementError, Machine, Object, UndefinedError

_MANY = object()


class Conflicts:
    """Raises where a cell is written by one iteration and touched by another."""

    def __init__(self, excluded: set[Object], combined: Cells) -> None:
        self.excluded, self.combined = excluded, combined
        self.iteration: Any = None
        self._seen: dict[tuple[Object, int], list[Any]] = {}

    def follows(self, node: Any) -> bool:
        return False

    def read(self, target: Object, index: int) -> None:
        self._touch(target, index, False)

    def write(self, target: Object, index: int) -> None:
        self._touch(target, index, True)

    def _touch(self, target: Object, index: int, write: bool) -> None:
        if target in self.excluded or (target, index) in self.combined:
            return
        entry = self._seen.setdefault((target, index), [self.iteration, write])
        if entry[0] != self.iteration:
            if write or entry[1]:
                raise DisagreementError(
                    f"'{target.name}' cell {index}: iterations {entry[0]} and {self.iteration} conflict"
                )
            entry[0] = _MANY
        entry[1] |= write


class Tracker(Conflicts):
    """Follows a nest in its own order: base iterations are the tuples of the base loops' counters."""

    def __init__(self, claims: Claims, m: Machine, f: Any, excluded: set[Object], combined: Cells) -> None:
        super().__init__(excluded, combined)
        self.claims = claims
        self._nodes = list(claims.chain)
        self._counts = [0] * len(self._nodes)
        self.iteration = tuple(self._counts)
        self._judging = claims.parallel
        self._exposed: Cells = set()
        self._read: Cells = set()
        self._written: Cells = set()
        self._own: Cells = set()  # written by the iteration of the outermost loop that is running
        self._fresh: Cells = set()  # read by an iteration that did not write it before
        self._trips = [(node, e(m, f)) for node, e in claims.trips if e]
        self._ranges: dict[Any, set[Any]] = {}
        self._now: dict[Any, list[Any]] = {}
        self.arrays = [(a, _cells(r, m, f), _cells(w, m, f)) for a, r, w in claims.arrays]
        self.domains = [(c, b, b.place(m, f), _cells(b, m, f)) for c, b in claims.domains]

    def follows(self, node: Any) -> bool:
        return node in self._nodes

    def enter(self, node: Any, iterator: Object | None) -> None:
        self._now[node] = []
        if iterator:
            self.excluded.add(iterator)

    def iterate(self, node: Any, trip: int, value: Any) -> None:
        position = self._nodes.index(node)
        self._counts[position] = trip
        self._now[node].append(value)
        self.iteration = tuple(self._counts)
        if position == 0:
            self._own = set()

    def leave(self, node: Any, trips: int) -> None:
        self._counts[self._nodes.index(node)] = 0
        self.iteration = tuple(self._counts)
        self._ranges.setdefault(node, set()).add(tuple(self._now[node]))
        for other, most in self._trips:
            if other is node and trips > max(most, 0):
                raise DisagreementError(f"the trip count is given as at most {most}, it is {trips}")

    def read(self, target: Object, index: int) -> None:
        if self._judging:
            super().read(target, index)
        cell = (target, index)
        self._read.add(cell)
        if cell not in self._written:
            self._exposed.add(cell)
        if cell not in self._own:
            self._fresh.add(cell)

    def write(self, target: Object, index: int) -> None:
        if self._judging:
            super().write(target, index)
        self._written.add((target, index))
        self._own.add((target, index))

    # After the loop

    def finish(self) -> None:
        if self.claims.usable:
            self._check_regions("read", self._exposed, 1)
            self._check_regions("written", self._written, 2)
            self._check_covered()
        self._check_collapse()
        self._check_domains("r", self._fresh)
        self._check_domains("w", self._written)

    def _objects(self) -> set[Object]:
        """The objects that outlive the loop and are larger than a scalar."""
        return {t for a, r, w in self.arrays for cells in (r, w) for t, _ in cells or ()}

    def _check_regions(self, what: str, touched: Cells, which: int) -> None:
        allowed = set().union(*(entry[which] or set() for entry in self.arrays))
        for target, index in touched - allowed:
            if target in self._objects():
                raise DisagreementError(
                    f"'{target.name}' cell {index} is {what} outside of the kernel's regions"
                )

    def _check_covered(self) -> None:
        for array, _, cells in self.arrays:
            for target, index in (cells or set()) - self._written:
                if array.covered and self._ran():
                    raise DisagreementError(f"'{array.name}' cell {index} is said to be written for certain")
                if not 0 <= index < len(target.cells) and array.writes and self._ran():
                    raise DisagreementError(f"the region of '{array.name}' leaves the array")

    def _ran(self) -> bool:
        return all(any(r for r in self._ranges.get(n, ())) for n in self._nodes)

    def _check_collapse(self) -> None:
        for node in self._nodes[1 : self.claims.facts.collapse]:
            if len(self._ranges.get(node, ())) > 1:
                raise DisagreementError("collapse joins loops that are not rectangular")

    def _check_domains(self, access: str, touched: Cells) -> None:
        by_object: dict[Object, Cells] = {}
        for c, _, place, cells in self.domains:
            if c.access == access and place[0] is not None:
                by_object.setdefault(place[0], set()).update(cells)
        for target, index in touched:
            if target in by_object and (target, index) not in by_object[target] and self._alone(target):
                raise DisagreementError(f"'{target.name}' cell {index} ({access}) is outside of the domains")

    def _alone(self, target: Object) -> bool:
        names = {c.name for c, _, place, _ in self.domains if place[0] is target}
        return len(names) == 1


def _cells(box: Box | None, m: Machine, f: Any) -> Cells | None:
    if box is None:
        return None
    try:
        return box.cells(m, f)
    except UndefinedError:
        target, _ = box.place(m, f)
        return {(target, k) for k in range(len(target.cells))} if target else set()
