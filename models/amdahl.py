"""Loops that take so little of a program's time that threads win nothing there (Amdahl's law).

They may cost: their data is with the other cores when the next loop needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from pycparser import c_ast

from models.callgraph import Callers, callers_first
from models.estimate import Estimate
from models.machine import Machine, core_seconds
from species.facts.loops import LoopFacts, UnitFacts

SPUN = 5e-3  # seconds for which threads that wait for work keep a core busy
SPIN = 0.1  # times as long takes, meanwhile, what one thread does
SHARE = 0.01  # of a run's time that loops may save, all together, which are too short to bother with
LONGEST = 10.0  # seconds of a run: guesses of sizes that come to more are too large

Nodes = Mapping[str, Mapping[str, c_ast.Node]]  # by function, the loops by their ids


@dataclass(frozen=True)
class Times:
    """The seconds that the loops of a file take in a run, when threads share all that they can.

    `takes` says of which loops they can.  Loops inside of these, or called there, count with them; those that
    take LONGEST have a size that was guessed too large, and say nothing of others.
    """

    facts: UnitFacts
    estimates: Mapping[str, Estimate]
    nodes: Nodes
    callers: Callers
    machine: Machine
    takes: Callable[[LoopFacts], bool]

    @cached_property
    def saved(self) -> dict[str, float]:
        """By the ids of the loops that threads share, what they save there."""
        part = 1 - 1 / self.machine.cores
        return {each: time * part for each, time in self._whole.items() if each in self._shared}

    @cached_property
    def left(self) -> dict[str, float]:
        """By the ids of all loops that count, what these still take."""
        cores = self.machine.cores
        return {each: time / (cores if each in self._shared else 1) for each, time in self._whole.items()}

    @property
    def serial(self) -> dict[str, float]:
        """Of the loops that threads do not share, what these take without the loops inside."""
        return {each: time for each, time in self._whole.items() if each not in self._shared}

    @cached_property
    def waiting(self) -> float:
        """The seconds that it costs serial loops that the other threads wait for work meanwhile."""
        entered = (self.estimates[each] for each in self.saved)
        entries = sum(each.executions * each.calls for each in entered)
        return SPIN * min(sum(self.serial.values()), entries * SPUN)

    def around(self, loop: LoopFacts) -> Iterator[str]:
        """The loop, and those that it is in, inside out."""
        found: LoopFacts | None = loop
        while found is not None:
            yield found.id
            found = self._by_id.get(found.parent or "")

    @cached_property
    def _by_id(self) -> dict[str, LoopFacts]:
        return {loop.id: loop for loop in self.facts.loops}

    @cached_property
    def _shared(self) -> set[str]:
        return {loop.id for loop in self.facts.loops if loop.id in self.estimates and self.takes(loop)}

    @cached_property
    def _whole(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for loop in self._counted():
            estimate, shared = self.estimates[loop.id], loop.id in self._shared
            amounts = (estimate.operations, estimate.bytes) if shared else (estimate.own, 0.0)
            seconds = core_seconds(*amounts, self.machine) * estimate.calls
            if seconds <= LONGEST:
                found[loop.id] = seconds
        return found

    def _counted(self) -> Iterator[LoopFacts]:
        """The loops but for those in one that threads can share, or called there."""
        named = (item for loops in self.nodes.values() for item in loops.items())
        nodes = {id(node) for each, node in named if each in self._shared}
        covered: set[str] = set()
        for name in callers_first(self.callers.functions):
            if self.callers.in_threads(name, nodes, covered) is not None:
                covered.add(name)
        for loop in self.facts.loops:
            inside = [*self.around(loop)][1:]
            if loop.id in self.estimates and loop.function not in covered and self._shared.isdisjoint(inside):
                yield loop


def negligible(times: Times, guessed: Callable[[LoopFacts], bool]) -> set[str]:
    """The ids of the loops that are too short, with those inside of them.

    Of the time that is left when threads share all that they can, they would save less than SHARE, the
    smallest ones together; or all of them save less than it costs that threads wait.  Loops of sizes that are
    merely `guessed` say nothing of others.
    """
    unknown = {loop.id for loop in times.facts.loops if loop.id in times.estimates and guessed(loop)}
    known = {each: time for each, time in times.saved.items() if each not in unknown}
    left = sum(time for each, time in times.left.items() if each not in unknown)
    if not unknown and sum(known.values()) < times.waiting:
        found = {*known}
    else:
        found = _smallest(known, left) | (_smallest(times.saved, sum(times.left.values())) & unknown)
    return {loop.id for loop in times.facts.loops if found.intersection(times.around(loop))}


def _smallest(saved: Mapping[str, float], left: float) -> set[str]:
    """Those that save next to nothing of what is left, all together."""
    ordered = sorted(saved, key=lambda each: saved[each])
    together = accumulate(saved[each] for each in ordered)
    return {each for each, sum_ in zip(ordered, together, strict=True) if sum_ <= SHARE * left}
