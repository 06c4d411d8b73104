"""Pointers that no two cells share: each was stored once, right where its memory was allocated.

    for (i = 0; i < n; i++) rows[i] = malloc(m * sizeof(double));

No two elements of `rows` ever lead to the same memory, whatever else the program does with them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from species.pointsto.contexts import Instance
from species.pointsto.graph import members
from species.pointsto.instructions import ANY, Code, Key
from species.pointsto.memory import FOREIGN
from species.pointsto.solver import Solver

_Cell = tuple[int, Key]


class Unique:
    """Which cells of a file hold pointers of their own."""

    def __init__(
        self,
        solver: Solver,
        codes: Mapping[str, Code],
        bound: Mapping[Instance, int],
        calls: Mapping[Instance, Mapping[int, Instance]],
    ) -> None:
        self._solver, self._codes, self._bound, self._calls = solver, codes, bound, calls
        self._known: dict[tuple[int, tuple[Key, ...]], bool] = {}
        self._cells: dict[int, list[_Cell]] = defaultdict(list)  # by what they may hold
        for thing, key, held in solver.cells():
            for each in members(held):
                self._cells[each].append((thing, key))
        self._stores: dict[int, list[tuple[Instance, int]]] = defaultdict(
            list
        )  # who stores it, and which slot
        for instance, base in bound.items():
            for _, _, source in codes[instance[0]].stores:
                for each in members(solver.pointees[base + source]):
                    self._stores[each].append((instance, source))

    def holds(self, things: int, path: tuple[Key, ...]) -> bool:
        """Do any two cells of these objects, members at the end of `path`, hold pointers to different memory,
        at all times?
        """
        if (things, path) not in self._known:
            self._known[things, path] = self._holds(things, path)
        return self._known[things, path]

    def _holds(self, things: int, path: tuple[Key, ...]) -> bool:
        wanted = {self._solver.place(thing, path) for thing in members(things)}
        held = self._solver.whole(self._solver.load(things, path)[0])
        things = self._solver.whole(things)
        if not things or not held or path[-1] == ANY or self._is_copied(things):
            return False
        safe = not (things | held) & (self._solver.escaped | 1 << FOREIGN)
        return safe and all(self._is_stored_once(each, wanted) for each in members(held))

    def _is_stored_once(self, thing: int, wanted: set[_Cell]) -> bool:
        if not self._solver.is_allocated(thing) or not wanted.issuperset(self._cells[thing]):
            return False
        stores = self._stores[thing]
        return len(stores) == 1 and self._is_fresh(thing, *stores[0])

    def _is_fresh(self, thing: int, instance: Instance, slot: int) -> bool:
        """Is the value that is stored there a new one each time?"""
        code = self._codes[instance[0]]
        if slot in code.fresh:
            return True
        call = next((c for c in code.calls if c.result == slot), None)
        if call is None:
            return False
        base = self._bound[instance]
        given = any(self._solver.pointees[base + argument] >> thing & 1 for argument in call.arguments)
        return not given and not self._is_read(thing, self._calls[instance][call.site])

    def _is_read(self, thing: int, started: Instance) -> bool:
        """May a call find the pointer in memory?"""
        found, pending = {started}, [started]
        while pending:
            instance = pending.pop()
            code, base = self._codes[instance[0]], self._bound[instance]
            if code.indirect or any(self._solver.pointees[base + to] >> thing & 1 for to, _, _ in code.loads):
                return True
            inner = {*self._calls[instance].values()} - found
            found |= inner
            pending += inner
        return False

    def _is_copied(self, things: int) -> bool:
        """Is a part of these objects copied into another part?"""
        for instance, base in self._bound.items():
            for to, source in self._codes[instance[0]].blocks:
                if (
                    self._solver.pointees[base + to] & things
                    and self._solver.pointees[base + source] & things
                ):
                    return True
        return False
