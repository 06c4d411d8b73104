"""Memory that calls allocate, and that nobody else ever points to: it is theirs like their variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from species.pointsto.contexts import Instance
from species.pointsto.graph import members
from species.pointsto.instructions import Code
from species.pointsto.memory import FOREIGN
from species.pointsto.solver import Solver


class Kept:
    """Answers for the instances of a file's functions, each with the node of its slot 0."""

    def __init__(self, solver: Solver, codes: Mapping[str, Code], bound: Mapping[Instance, int]) -> None:
        self._solver, self._codes, self._bound = solver, codes, bound
        self._known: dict[frozenset[Instance], int] = {}

    def by(self, executed: Iterable[Instance]) -> int:
        """What some instances allocate, and keep to themselves."""
        instances = frozenset(executed)
        if instances not in self._known:
            self._known[instances] = self._kept(instances)
        return self._known[instances]

    def _kept(self, instances: frozenset[Instance]) -> int:
        own = kept = 0
        for instance in instances:
            own |= self._solver.own(instance)
            kept |= self._solver.allocated_in(instance)
        kept &= ~(self._solver.escaped | 1 << FOREIGN)
        kept &= ~sum(1 << thing for thing in members(kept) if not self._slots.get(thing, set()) <= instances)
        while held := [t for t in members(kept) if self.containers.get(t, 0) & ~(own | kept)]:
            kept &= ~sum(1 << thing for thing in held)
        return kept

    @cached_property
    def _slots(self) -> dict[int, set[Instance]]:
        """By objects: the instances with slots that may lead to them."""
        found: dict[int, set[Instance]] = {}
        for instance, base in self._bound.items():
            for slot in range(self._codes[instance[0]].slots):
                for thing in members(self._solver.pointees[base + slot]):
                    found.setdefault(thing, set()).add(instance)
        return found

    @cached_property
    def containers(self) -> dict[int, int]:
        """By objects: those that may hold pointers to them, as bits."""
        found: dict[int, int] = {}
        for thing, _, held in self._solver.cells():
            for each in members(held):
                found[each] = found.get(each, 0) | 1 << thing
        return found
