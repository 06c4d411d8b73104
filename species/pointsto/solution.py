"""What places may lie in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, reduce
from operator import or_
from typing import Any

from species.loops.model import Place
from species.loops.pointees import Targets, known, owner_of, text_of
from species.pointsto.confined import Confined
from species.pointsto.contexts import Contexts, Instance
from species.pointsto.executions import Executions
from species.pointsto.graph import members
from species.pointsto.instructions import CELL, Code, Key
from species.pointsto.memory import FOREIGN
from species.pointsto.unique import Unique
from species.pointsto.variables import Variables
from species.symbols.symbols import Symbol

MAX_KEPT = 2_000  # answers


class Solution(Executions):
    """What everything in a file may point to, by places."""

    def __init__(
        self, codes: dict[str, Code], variables: Variables, contexts: Contexts, confined: Confined
    ) -> None:
        super().__init__(codes, variables, contexts, confined)
        self._keys: dict[Symbol | Place, Targets | None] = {}
        self._held: dict[int, tuple[list[tuple[Symbol, str]], list[int]] | None] = {}  # by the things

    def of_key(self, key: Symbol | Place) -> Targets | None:
        """The memory that a variable or place lies in."""
        if key not in self._keys:
            if len(self._keys) >= MAX_KEPT:
                self._keys.clear()  # places hold much of what was known where they were met
            self._keys[key] = self.of_place(key) if isinstance(key, Place) else self._of_name(key)
        return self._keys[key]

    def _of_name(self, key: Symbol) -> Targets | None:
        found = self._of_object(key.origin or key)
        return self._of_call(found, key) if found is not None and key.origin is not None else found

    def are_starts(self, *places: Place) -> bool:
        """Do the pointers that lead to some places point to starts of objects, whichever these are?"""
        found = [self.of_place(place) for place in places]
        return all(f is not None and not (f.inner or f.merged.sets[0] & 1 << FOREIGN) for f in found)

    def allocations_of(self, place: Place) -> list[Any]:
        """The calls that allocate the memory to whose start a pointer leads, whichever; none: there may be
        others.
        """
        found = self.of_place(place)
        if found is None or not found.is_known or not self.are_starts(place):
            return []
        calls = [self._solver.call(thing) for thing in members(self._solver.whole(found.merged.sets[0]))]
        return calls if None not in calls else []

    def is_of_calls(self, place: Place, function: str, inside: Callable[[Symbol], bool]) -> bool:
        """Does a place lie in variables that are `inside`, or those of functions that `function` calls, or in
        memory to which only these lead?

        (Not of those that may call it: they have their variables all the time.)
        """
        found = self.of_place(place)
        return found is not None and self._are_of_calls(found.merged.sets[0], function, inside)

    def writes_of_calls(self, node: Any, function: str, inside: Callable[[Symbol], bool]) -> bool:
        """Does a call write nothing but such variables?"""
        found = [self.writes_of(*each) for each in self.started(node)]
        return bool(found) and all(
            things is not None and (not things or self._are_of_calls(things, function, inside))
            for things in found
        )

    def _are_of_calls(self, things: int, function: str, inside: Callable[[Symbol], bool]) -> bool:
        whole = self._solver.whole(things)
        return bool(whole) and all(self._is_of_calls(t, function, inside) for t in members(whole))

    def _is_of_calls(self, thing: int, function: str, inside: Callable[[Symbol], bool]) -> bool:
        if self._solver.allocated >> thing & 1:
            return self._are_held_inside(1 << thing, function, inside)
        return self._is_variable_of_calls(thing, function, inside)

    def _is_variable_of_calls(self, thing: int, function: str, inside: Callable[[Symbol], bool]) -> bool:
        number, owner = self._solver.variable(thing)
        symbol = self._by_object.get(number)
        if symbol is None or owner is None:
            return False
        if owner[0] == function:
            return inside(symbol) and not self._graph.leads_back(owner)
        callers = [instance for instance, _ in self._bases.get(function, ())]
        depth = {len(path) for name, path in callers if owner[1][: len(path) + 1][:-1] == path}
        if not any(owner[1][k : k + 1] and owner[1][k][0] == function for k in depth):
            return False
        executed = self._graph.executed([owner])
        return executed is not None and not executed.intersection(callers)

    @cached_property
    def _by_object(self) -> dict[int, Symbol]:
        return {id(symbol): symbol for symbol in self._variables.owners if not symbol.outlives_function}

    def holds_own(self, owner: Place) -> bool:
        """Do different cells like this one, a pointer, always lead to different memory?"""
        things = self.of_place(owner)
        return things is not None and self._unique.holds(things.merged.sets[0], _path(owner))

    def is_held_by_variables(self, symbol: Symbol) -> bool:
        """Do only plain variables of functions ever hold pointers to the memory that a variable points to?"""
        found = self._pointed(symbol.origin or symbol)
        return found is not None and not self._solver.whole(found.merged.sets[0]) & self._in_memory

    def is_held_inside(self, symbol: Symbol, function: str, inside: Callable[[Symbol], bool]) -> bool:
        """Do only plain variables that are `inside`, or of functions that `function` calls, ever point to a
        variable with static storage, which only this file knows?
        """
        known = self._variables.objects.get(symbol)
        if known is None or known.foreign:
            return known is None and symbol.storage == "static"
        things = self._solver.whole(1 << self._solver.object(known, None))
        if things & (self._solver.escaped | 1 << FOREIGN):
            return False
        if any(self._kept.containers.get(thing, 0) & ~things for thing in members(things)):
            return False
        slots = self._variables.slots.items()
        plain = [(each, name) for each, (name, slot) in slots if self._holds_one(name, slot, things)]
        return self._are_of_iterations(plain, function, inside)

    def frees_own(self, node: Any, function: str, inside: Callable[[Symbol], bool]) -> bool:
        """Does a call of `free` end memory to which nothing leads but variables that are `inside`, or those
        of functions that `function` calls?  It was allocated after they came to be, then.
        """
        freed = self.of_argument(node.args.exprs[0])
        things = self._solver.whole(freed.merged.sets[0]) if freed is not None else 0
        return bool(things) and self._are_held_inside(things, function, inside)

    def _are_held_inside(self, things: int, function: str, inside: Callable[[Symbol], bool]) -> bool:
        """Are things allocations to which only such variables lead, by way of others like them perhaps?"""
        found = self._holders(things)
        if found is None or not self._are_of_iterations(found[0], function, inside):
            return False
        return all(self._is_variable_of_calls(thing, function, inside) for thing in found[1])

    def _are_of_iterations(
        self, variables: Iterable[tuple[Symbol, str]], function: str, inside: Callable[[Symbol], bool]
    ) -> bool:
        """Are plain variables, each with its function, `inside`, or of functions that `function` calls?"""
        callers = [instance for instance, _ in self._bases.get(function, ())]
        if not callers or any(map(self._graph.leads_back, callers)):
            return False
        return all(
            inside(symbol) if owner == function else not self._may_start(owner, callers)
            for symbol, owner in variables
        )

    def _holders(self, things: int) -> tuple[list[tuple[Symbol, str]], list[int]] | None:
        """The plain variables that may lead to allocations, each with its function, and the structures that
        are variables; None where others may have pointers to them.
        """
        if things not in self._held:
            self._held[things] = self._found_holders(things)
        return self._held[things]

    def _found_holders(self, things: int) -> tuple[list[tuple[Symbol, str]], list[int]] | None:
        structures, pending = set[int](), [*members(things)]
        while pending:
            thing = pending.pop()
            if not self._solver.allocated >> thing & 1 or (self._solver.escaped | 1 << FOREIGN) >> thing & 1:
                return None
            new = self._kept.containers.get(thing, 0) & ~things
            variables = {each for each in members(new) if self._solver.variable(each)[1] is not None}
            pending += [each for each in members(new) if each not in variables]
            structures |= variables
            things |= new
        slots = self._variables.slots.items()
        plain = [(symbol, name) for symbol, (name, slot) in slots if self._holds_one(name, slot, things)]
        return plain, sorted(structures)

    def _holds_one(self, name: str, slot: int, things: int) -> bool:
        return any(self._solver.pointees[base + slot] & things for _, base in self._bases.get(name, ()))

    def _may_start(self, name: str, instances: list[Instance]) -> bool:
        """May a function be executed that has led to one of some instances?"""
        started = [instance for instance, _ in self._bases.get(name, ())]
        executed = self._graph.executed(started) if started else set[Instance]()
        return executed is None or not executed.isdisjoint(instances)

    @cached_property
    def _in_memory(self) -> int:
        """What memory holds pointers to, or code that is not known."""
        held = (things for _, _, things in self._solver.cells())
        return reduce(or_, held, self._solver.escaped | 1 << FOREIGN)

    @cached_property
    def _unique(self) -> Unique:
        return Unique(self._solver, self._codes, self._bound, self._calls)

    def of_place(self, place: Place) -> Targets | None:
        """The memory that a place lies in."""
        if place.symbol.storage != "memory":
            return self._of_variable(place)
        if place.symbol.table is not None:
            table = self.of_place(place.symbol.table)
            path = place.symbol.held_in or _path(place.symbol.table)
            return self._loaded(table, path) if table is not None else None
        node = text_of(place)
        if node is not None:
            return self.of_node(node)
        owner = owner_of(place)
        base = self.of_place(owner) if owner is not None and not owner.loose else None
        if base is None or owner is None:
            return None
        return self._loaded(base, _path(owner))

    def _of_variable(self, place: Place) -> Targets | None:
        symbol = place.symbol.origin or place.symbol
        if (
            symbol.is_rows
            or symbol.ctype.kind == "unknown"
            or symbol.peculiar
            or symbol.ctype.kind == "function"
        ):
            return None
        is_own = not symbol.is_scalar or place.base is None
        found = self._of_object(symbol) if is_own else self._pointed(symbol)
        inlined = place.symbol.origin is not None
        return self._of_call(found, place.symbol) if found is not None and inlined else found

    def _of_call(self, found: Targets, symbol: Symbol) -> Targets | None:
        """What is known of a callee's variable, in the call that the symbol stands for."""
        instances = [instance for instance, _ in self._bases.get(found.function, ())]
        function = self._sites.get(symbol.calls[0], "") if symbol.calls else ""
        started = [self._called_from(caller, symbol.calls) for caller, _ in self._bases.get(function, ())]
        if not started or not all(each in instances for each in started):
            return found.merged
        sets = tuple(found.sets[instances.index(each)] for each in started if each is not None)
        return known(Targets(sets, function, found.inner))

    def _called_from(self, instance: Instance, calls: tuple[int, ...]) -> Instance | None:
        """The instance that some calls, each in the function that the one before calls, lead to."""
        found: Instance | None = instance
        for site in calls:
            found = self._calls[found].get(site) if found is not None else None
        return found

    def _of_object(self, symbol: Symbol) -> Targets | None:
        thing = self._variables.objects.get(symbol)
        if thing is None:
            return None
        if thing.shared:
            return Targets((1 << self._solver.object(thing, None),))
        name = self._variables.owners[symbol]
        sets = [1 << self._solver.object(thing, at) for at, _ in self._bases.get(name, ())]
        return known(Targets(tuple(sets), name))

    def _pointed(self, symbol: Symbol) -> Targets | None:
        known = self._variables.slots.get(symbol)
        if known is not None:
            return self._of_slot(known)
        own = self._of_object(symbol)
        return self._loaded(own, (CELL,)) if own is not None else None

    def _loaded(self, base: Targets, path: tuple[Key, ...]) -> Targets | None:
        found = [self._solver.load(objects, path) for objects in base.sets]
        sets, inner = (each for each, _ in found), reduce(or_, (each for _, each in found), 0)
        return known(Targets(tuple(sets), base.function, inner)) if base.is_known else None


def _path(place: Place) -> tuple[Key, ...]:
    """What a pointer at a place is to its object: a member, or one of a member, or an element."""
    return tuple(step for step in place.path if isinstance(step, str)) or (CELL,)
