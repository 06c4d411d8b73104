"""The instructions of a file, solved: what the slots of its functions point to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any

from species.loops.pointees import Targets, known
from species.pointsto.confined import Confined
from species.pointsto.contexts import Contexts, Instance
from species.pointsto.instructions import Code
from species.pointsto.memory import FOREIGN
from species.pointsto.solver import Solver
from species.pointsto.variables import Variables


class Solved:
    """What everything in a file may point to, by the nodes of its text."""

    def __init__(
        self, codes: dict[str, Code], variables: Variables, contexts: Contexts, confined: Confined
    ) -> None:
        self._codes, self._variables, self._confined = codes, variables, confined
        self._solver = Solver(variables.layout())
        bases = {each: self._solver.add(codes[each[0]], each) for each in contexts.instances}
        for instance, calls in contexts.instances.items():
            code = codes[instance[0]]
            if instance[0] in contexts.roots and not instance[1]:
                self._solver.enter(code, bases[instance], by_pointer=instance[0] in variables.taken)
            for call in code.indirect.values():
                self._solver.call_by_pointer(call, bases[instance])
            for call in code.calls:
                if call.site in calls:
                    callee = calls[call.site]
                    self._solver.bind(call, bases[instance], codes[callee[0]], bases[callee])
        self._solver.solve()
        self._bound, self._calls = bases, contexts.instances
        self._bases: dict[str, list[tuple[Instance, int]]] = {}  # of what is executed
        for instance in self._reached(contexts.roots):
            self._bases.setdefault(instance[0], []).append((instance, bases[instance]))
        self._sites = {call.site: code.name for code in codes.values() for call in code.calls}
        self._indirect = {
            n: (code.name, call.pointer) for code in codes.values() for n, call in code.indirect.items()
        }
        self._nodes = {
            node: (code.name, slot) for code in codes.values() for node, slot in code.lvalues.items()
        }
        self._arguments = {
            n: (code.name, slot) for code in codes.values() for n, slot in code.arguments.items()
        }
        self._looked_up: dict[tuple[str, int], Targets | None] = {}  # of slots that somebody has asked for

    def _reached(self, roots: Iterable[str]) -> list[Instance]:
        """The instances that something calls, in their order."""
        pending: list[Instance] = [(name, ()) for name in roots if name in self._solver.started]
        found = {*pending}
        while pending:
            further = {*self._calls[pending.pop()].values()} - found
            found |= further
            pending += further
        return [instance for instance in self._calls if instance in found]

    def may_meet(self, a: Targets, b: Targets) -> bool:
        """May the two be one object?  `a` and `b` are of one execution of a function, or merged."""
        if a.function and a.function == b.function:
            return any(self._overlap(one, other) for one, other in zip(a.sets, b.sets, strict=True))
        return self._overlap(a.merged.sets[0], b.merged.sets[0])

    def share_allocation(self, a: Targets, b: Targets) -> bool:
        """May the two be the memory of one allocation?  `a` and `b` as of `may_meet`."""
        within = a.function and a.function == b.function
        pairs = zip(a.sets, b.sets, strict=True) if within else [(a.merged.sets[0], b.merged.sets[0])]
        whole = self._solver.whole
        return any(whole(one) & whole(other) & self._solver.allocated for one, other in pairs)

    def _overlap(self, a: int, b: int) -> bool:
        foreign, escaped = 1 << FOREIGN, self._solver.escaped
        a, b = self._solver.whole(a), self._solver.whole(b)
        return bool(a & b or (a & foreign and b & escaped) or (b & foreign and a & escaped))

    def of_node(self, node: Any) -> Targets | None:
        """The memory that an lvalue lies in."""
        return self._of_text(self._nodes, node)

    def of_argument(self, node: Any) -> Targets | None:
        """The memory that the argument of a call points to."""
        return self._of_text(self._arguments, node)

    def _of_text(self, slots: Mapping[int, tuple[str, int]], node: Any) -> Targets | None:
        """What is inlined is code of another execution."""
        original = self._variables.resolution.original(node)
        found = self._of_slot(slots.get(id(original)))
        return found.merged if found is not None and original is not node else found

    def _of_slot(self, place: tuple[str, int] | None) -> Targets | None:
        if place is None:
            return None
        if place not in self._looked_up:
            self._looked_up[place] = self._targets(*place)
        return self._looked_up[place]

    def _targets(self, name: str, slot: int) -> Targets | None:
        nodes = [base + slot for _, base in self._bases.get(name, ())]
        inner = reduce(or_, (self._solver.inner[node] for node in nodes), 0)
        return known(Targets(tuple(self._solver.raw[node] for node in nodes), name, inner))
