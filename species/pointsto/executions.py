"""What calls do to memory: which objects they read, and which they write besides their own variables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial, reduce
from operator import or_
from typing import Any

from species.loops.pointees import Targets
from species.pointsto.call_graph import CallGraph
from species.pointsto.contexts import Instance
from species.pointsto.escape import Kept
from species.pointsto.graph import members
from species.pointsto.instructions import Code
from species.pointsto.solved import Solved


class Executions(Solved):
    """The calls of a file (interprocedural side effects: Banning 1979; Cooper and Kennedy 1988)."""

    def writes_nothing(self, node: Any) -> bool:
        """Does a call change nothing but variables that the functions have which it executes?"""
        started = self.started(node)
        return bool(started) and all(self.writes_of(*each) == 0 for each in started)

    def started(self, node: Any) -> list[tuple[Instance, list[Instance] | None]]:
        """The instances that a call stands in, each with those that it starts; None where others may be."""
        node = self._variables.resolution.original(node)
        return [(instance, self._started_by(instance, node)) for instance in self._callers(node)]

    def _callers(self, node: Any) -> list[Instance]:
        """The instances of the function that a call stands in."""
        function = self._sites.get(id(node)) or self._indirect.get(id(node), ("",))[0]
        return [instance for instance, _ in self._bases.get(function, ())]

    def _started_by(self, caller: Instance, node: Any) -> list[Instance] | None:
        """The instances that a call in one may start."""
        callee = self._calls[caller].get(id(node))
        if callee is not None:
            return [callee]
        call = self._codes[caller[0]].indirect.get(id(node))
        return (
            None if call is None else self._started(self._solver.pointees[self._bound[caller] + call.pointer])
        )

    def called(self, node: Any) -> list[str] | None:
        """The functions of the file that a call by a pointer may lead to; None where others may be."""
        found = self._of_text(self._indirect, node)
        return self._functions(found.merged.sets[0]) if found is not None else None

    def of_reads(self, node: Any) -> Targets | None:
        """The memory that a call may read; None where that is not known."""
        call, node = node, self._variables.resolution.original(node)
        sets, callers = [], self._callers(node)
        for caller in callers:
            started = self._started_by(caller, node)
            read = self._of_all(started, "read") if started is not None else None
            if read is None:
                return None
            sets.append(read)
        found = Targets(tuple(sets), callers[0][0]) if sets else None
        return found.merged if found is not None and call is not node else found

    def accesses_besides(self, node: Any, *, writes: bool) -> Targets | None:
        """The memory that a call may read (or write), but for variables that it makes and for elements that
        it is given (see `Confined`); None where that is not known.
        """
        call, node = node, self._variables.resolution.original(node)
        sets, callers = [], self._callers(node)
        for caller in callers:
            started = self._started_by(caller, node)
            accessed = (
                self._of_all(started, "written besides" if writes else "read besides")
                if started is not None
                else None
            )
            if started is None or accessed is None or self._is_among(caller, started):
                return None
            sets.append(accessed & ~self._own(started))
        found = Targets(tuple(sets), callers[0][0]) if sets else None
        return found.merged if found is not None and call is not node else found

    def writes_of(self, caller: Instance, started: list[Instance] | None) -> int | None:
        """The objects that a call writes, but for variables that it makes; None where that is not known.

        Functions that may lead back to the caller may be executed already, with variables that stay.
        """
        written = self._of_all(started, "written") if started is not None else None
        if started is None or written is None or self._is_among(caller, started):
            return written
        return written & ~self._own(started)

    def _own(self, started: Iterable[Instance]) -> int:
        """The variables that calls make, and the memory that they allocate and keep to themselves."""
        own = self._of_all(started, "own") or 0
        executed = self._graph.executed(started) if self._of_all(started, "allocated") else None
        return own | (self._kept.by(executed) if executed is not None else 0)

    def frees_no_other(self, node: Any) -> bool:
        """Does a call free nothing but what it has allocated, and kept to itself?"""
        found = self.started(node)
        return bool(found) and all(each is not None and self._frees_own(each) for _, each in found)

    def _frees_own(self, started: Iterable[Instance]) -> bool:
        executed, freed = self._graph.executed(started), self._of_all(started, "freed")
        return executed is not None and freed is not None and not freed & ~self._kept.by(executed)

    @cached_property
    def _kept(self) -> Kept:
        return Kept(self._solver, self._codes, self._bound)

    def _is_among(self, caller: Instance, started: Iterable[Instance]) -> bool:
        """May a call that a function makes lead back to it?"""
        return any(self._graph.is_cycle(caller, each) for each in started)

    @cached_property
    def _graph(self) -> CallGraph[Instance]:
        return CallGraph(self._calls, self._inner)

    def _inner(self, instance: Instance) -> set[Instance] | None:
        """The instances that the calls in one may start; None where others may be."""
        code, found = self._codes[instance[0]], {*self._calls[instance].values()}
        for call in code.indirect.values():
            by_pointer = self._started(self._solver.pointees[self._bound[instance] + call.pointer])
            if by_pointer is None:
                return None
            found.update(by_pointer)
        return None if code.opaque else found

    def _started(self, pointer: int) -> list[Instance] | None:
        """The instances that a call by a pointer executes: one for all such calls, none by a null pointer."""
        names = self._functions(pointer)
        if names is None:
            return None
        started: list[Instance] = [(name, ()) for name in names]
        return started if all(each in self._bound for each in started) else None

    def _functions(self, things: int) -> list[str] | None:
        names = [self._solver.function(thing) for thing in members(things)]
        known = [name for name in names if name in self._codes]
        return known if len(known) == len(names) else None

    def _of_all(self, started: Iterable[Instance], what: str) -> int | None:
        """The objects that calls of instances access, or make; None where one is not known."""
        found = [self._joined(what)[each] for each in started]
        return None if None in found else reduce(or_, (each for each in found if each is not None), 0)

    def _joined(self, what: str) -> dict[Instance, int | None]:
        if what not in self._known:
            made = {"own": self._solver.own, "allocated": self._solver.allocated_in}
            self._known[what] = self._graph.joined(made.get(what, partial(self._accessed, what)))
        return self._known[what]

    @cached_property
    def _known(self) -> dict[str, dict[Instance, int | None]]:
        return {}

    def _accessed(self, what: str, instance: Instance) -> int | None:
        """The objects that slots of an instance point to; None where one leads nobody knows where.

        Where it leads somewhere in another instance, it is a null pointer in this one.
        """
        code, base, found = self._codes[instance[0]], self._bound[instance], 0
        for slot in self._slots(code, what):
            if not self._solver.pointees[base + slot] and self._of_slot((instance[0], slot)) is None:
                return None
            found |= self._solver.pointees[base + slot]
        return found

    def _slots(self, code: Code, what: str) -> set[int]:
        if what.endswith("besides"):
            return self._confined.besides(code, writes=what.startswith("written"))
        return {"written": code.written, "read": code.read, "freed": code.freed}[what]
