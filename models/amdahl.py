"""Loops that take so little of a program's time that threads win nothing there (Amdahl's law).

They may cost: their data is with the other cores when the next loop needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate

from pycparser import c_ast

from models.callgraph import Callers, callers_first
from models.estimate import Estimate
from models.machine import Machine, core_seconds
from species.facts.loops import LoopFacts, UnitFacts

SHARE = 0.01  # of a run's time that loops may save, all together, which are too short to bother with
LONGEST = 10.0  # seconds of a run: guesses of sizes that come to more are too large

Nodes = Mapping[str, Mapping[str, c_ast.Node]]  # by function, the loops by their ids


def negligible(
    facts: UnitFacts,
    estimates: Mapping[str, Estimate],
    nodes: Nodes,
    callers: Callers,
    machine: Machine,
    takes: Callable[[LoopFacts], bool],
    guessed: Callable[[LoopFacts], bool],
) -> set[str]:
    """The ids of the loops that are too short, with those inside of them; `takes`: threads can share it.

    Of the time that is left when threads share all that they can, they would save less than SHARE, the
    smallest ones together.  Loops of sizes that are merely `guessed` say nothing of others.
    """
    parts = _Parts(facts, estimates, nodes, takes)
    saved, left = dict[str, float](), {True: 0.0, False: 0.0}
    unknown = {loop.id for loop in facts.loops if loop.id in estimates and guessed(loop)}
    for loop in parts.counted(callers):
        estimate = estimates.get(loop.id)
        if estimate is None:
            continue
        shared = parts.can_share(loop)
        amounts = (estimate.operations, estimate.bytes) if shared else (estimate.own, 0.0)
        whole = core_seconds(*amounts, machine) * estimate.calls
        if whole > LONGEST:
            continue  # a size was guessed too large, and says nothing of the others
        left[loop.id in unknown] += whole / (machine.cores if shared else 1)
        if shared:
            saved[loop.id] = whole * (1 - 1 / machine.cores)
    known = {each: time for each, time in saved.items() if each not in unknown}
    found = _smallest(known, left[False]) | (_smallest(saved, sum(left.values())) & unknown)
    return {loop.id for loop in facts.loops if found.intersection(parts.around(loop))}


def _smallest(saved: Mapping[str, float], left: float) -> set[str]:
    """Those that save next to nothing of what is left, all together."""
    ordered = sorted(saved, key=lambda each: saved[each])
    together = accumulate(saved[each] for each in ordered)
    return {each for each, sum_ in zip(ordered, together, strict=True) if sum_ <= SHARE * left}


class _Parts:
    """The loops of a file, as threads would share them."""

    def __init__(
        self,
        facts: UnitFacts,
        estimates: Mapping[str, Estimate],
        nodes: Nodes,
        takes: Callable[[LoopFacts], bool],
    ) -> None:
        self._facts, self._nodes = facts, nodes
        self._by_id = {loop.id: loop for loop in facts.loops}
        self._shared = {loop.id for loop in facts.loops if loop.id in estimates and takes(loop)}

    def can_share(self, loop: LoopFacts) -> bool:
        """Can threads share its iterations?"""
        return loop.id in self._shared

    def around(self, loop: LoopFacts) -> Iterator[str]:
        """The loop, and those that it is in, inside out."""
        found: LoopFacts | None = loop
        while found is not None:
            yield found.id
            found = self._by_id.get(found.parent or "")

    def counted(self, callers: Callers) -> list[LoopFacts]:
        """The loops but for those in one that threads can share, or called there: these count with it."""
        nodes = {id(node) for loops in self._nodes.values() for n, node in loops.items() if n in self._shared}
        covered: set[str] = set()
        for name in callers_first(callers.functions):
            if callers.in_threads(name, nodes, covered) is not None:
                covered.add(name)
        own = (loop for loop in self._facts.loops if loop.function not in covered)
        return [loop for loop in own if self._shared.isdisjoint([*self.around(loop)][1:])]
