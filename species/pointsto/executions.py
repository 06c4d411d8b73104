"""What calls do to memory: which objects they read, and which they write besides their own variables."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Any

from species.loops.pointees import Targets
from species.pointsto.contexts import Instance
from species.pointsto.instructions import Code
from species.pointsto.solved import Solved
from species.pointsto.solver import members


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
            executed = self._executed(started) if started else None
            read = self._all(executed, lambda code: code.read) if executed is not None else None
            if read is None:
                return None
            sets.append(read)
        found = Targets(tuple(sets), callers[0][0]) if sets else None
        return found.merged if found is not None and call is not node else found

    def accesses_besides(self, node: Any, *, writes: bool) -> Targets | None:
        """The memory that a call may read (or write), but for variables that it makes and for elements that
        it is given (see `Confined`); None where that is not known.
        """

        def slots(code: Code) -> set[int]:
            return self._confined.besides(code, writes=writes)

        call, node = node, self._variables.resolution.original(node)
        sets, callers = [], self._callers(node)
        for caller in callers:
            started = self._started_by(caller, node)
            executed = self._executed(started) if started else None
            accessed = self._all(executed, slots) if executed is not None else None
            if executed is None or accessed is None or caller in executed:
                return None
            sets.append(accessed & ~reduce(or_, map(self._solver.own, executed), 0))
        found = Targets(tuple(sets), callers[0][0]) if sets else None
        return found.merged if found is not None and call is not node else found

    def writes_of(self, caller: Instance, started: list[Instance] | None) -> int | None:
        """The objects that a call writes, but for variables that it makes; None where that is not known.

        Functions that may lead back to the caller may be executed already, with variables that stay.
        """
        executed = self._executed(started) if started is not None else None
        written = self._all(executed, lambda code: code.written) if executed is not None else None
        if executed is None or written is None or caller in executed:
            return written
        return written & ~reduce(or_, map(self._solver.own, executed), 0)

    def _executed(self, started: list[Instance]) -> set[Instance] | None:
        """The instances of functions that calls of some may execute, themselves included."""
        found, pending = {*started}, [*started]
        while pending:
            inner = self._inner(pending.pop())
            if inner is None:
                return None
            pending += inner - found
            found |= inner
        return found

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
        """The instances that a call by a pointer executes: one for all such calls."""
        names = self._functions(pointer)
        started: list[Instance] = [(name, ()) for name in names or ()]
        return started if names and all(each in self._bound for each in started) else None

    def _functions(self, things: int) -> list[str] | None:
        names = [self._solver.function(thing) for thing in members(things)]
        known = [name for name in names if name in self._codes]
        return known if len(known) == len(names) else None

    def _all(self, executed: set[Instance], slots: Callable[[Code], set[int]]) -> int | None:
        """The objects that slots of some instances point to; None where one leads nobody knows where."""
        found = 0
        for each in executed:
            base = self._bound[each]
            for slot in slots(self._codes[each[0]]):
                if not self._solver.pointees[base + slot]:
                    return None
                found |= self._solver.pointees[base + slot]
        return found

    def _leads_back(self, instance: Instance) -> bool:
        """May a call of a function lead to another one of it?"""
        inner = self._inner(instance)
        executed = self._executed([*inner]) if inner is not None else None
        return executed is None or instance in executed
