"""Andersen's inclusion-based points-to analysis, with members, over functions that are copied per context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from species.pointsto.graph import members
from species.pointsto.instructions import ANY, NOWHERE, Call, Code, Key
from species.pointsto.memory import FOREIGN, Layout, Memory

MAX_EFFORT = 2_000_000  # flows along edges, old and new


class TooLarge(Exception):
    """There are too many instructions."""


class TooLong(Exception):
    """It takes too long to follow all pointers."""


class Solver(Memory):
    """A graph of what may point where: loads and stores add edges as objects arrive (Andersen 1994)."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._taken: dict[int, list[tuple[Key, str, int]]] = {}  # what is a part of what arrives at a node
        self._wholes: dict[int, list[int]] = {}
        self._loads: dict[int, list[tuple[Key, int]]] = {}
        self._stores: dict[int, list[tuple[Key, int]]] = {}
        self._into: dict[int, list[int]] = {}  # of blocks: from the destination's node to the source's
        self._from: dict[int, list[int]] = {}
        self._by_pointer: dict[str, tuple[Code, int]] = {}  # functions, until unknown code calls them
        self._calls: dict[int, list[tuple[Call, int]]] = {}  # by pointers
        self.started: set[str] = set()  # the functions that calls by pointers, or code not known, come to

    # Building

    def add(self, code: Code, context: Any) -> int:
        """Adds the instructions of a function in a context; gives the node of its slot 0."""
        base = len(self.pointees)
        for _ in range(code.slots):
            self.node()
        for slot, thing in code.addresses:
            self.new(base + slot, self.object(thing, context))
        for to, source in code.copies:
            self._edge(base + source, base + to)
        for to, source in code.moves:
            self._edge(base + source, base + to)
            self._moves.append((base + source, base + to))
        for to, pointer, key in code.loads:
            self._loads.setdefault(base + pointer, []).append((self.key(key), base + to))
        for pointer, key, source in code.stores:
            self._stores.setdefault(base + pointer, []).append((self.key(key), base + source))
        for to, pointer, name, tag in code.parts:
            self._taken.setdefault(base + pointer, []).append((name, tag, base + to))
        for to, source in code.wholes:
            self._edge(base + source, base + to)
            self._wholes.setdefault(base + source, []).append(base + to)
        for to, source in code.blocks:
            self._into.setdefault(base + to, []).append(base + source)
            self._from.setdefault(base + source, []).append(base + to)
        for slot in code.escapes:
            self._edge(base + slot, self.outside)
        for slot in code.unknown:
            self.new(base + slot, FOREIGN)
        return base

    def bind(self, call: Call, caller: int, code: Code, callee: int) -> None:
        """Hands the arguments of a call over, and its result back."""
        for argument, parameter in zip(call.arguments, code.parameters, strict=False):
            if argument != NOWHERE and parameter != NOWHERE:
                self._edge(caller + argument, callee + parameter)
        for parameter in code.parameters[len(call.arguments) :]:
            self._from_outside(callee + parameter)
        for argument in call.arguments[len(code.parameters) :]:
            self._edge(caller + argument, self.outside)
        if call.result != NOWHERE:
            self._edge(callee + code.result, caller + call.result)

    def enter(self, code: Code, base: int, *, by_pointer: bool) -> None:
        """Code that is not known may call the function, once it has a pointer to it."""
        if by_pointer:
            self._by_pointer[code.name] = code, base
        else:
            self._open(code, base)

    def call_by_pointer(self, call: Call, caller: int) -> None:
        """The call leads to whatever function arrives at its pointer."""
        if call.pointer == NOWHERE:
            self._call(call, caller, FOREIGN)
        else:
            self._calls.setdefault(caller + call.pointer, []).append((call, caller))

    def _call(self, call: Call, caller: int, thing: int) -> None:
        """The call leads to this function, or what is none of the file."""
        known = self._by_pointer.get(self.function(thing))
        if known is not None:
            self.started.add(known[0].name)
            self.bind(call, caller, *known)
            return
        for argument in call.arguments:
            if argument != NOWHERE:
                self._edge(caller + argument, self.outside)
        if call.result != NOWHERE:
            self.new(caller + call.result, FOREIGN)

    def _open(self, code: Code, base: int) -> None:
        self.started.add(code.name)
        for parameter in code.parameters:
            self._from_outside(base + parameter)
        if code.result != NOWHERE:
            self._edge(base + code.result, self.outside)

    def _from_outside(self, node: int) -> None:
        self.new(node, FOREIGN)

    def solve(self) -> None:
        """Lets everything flow; raises TooLong."""
        while self._pending:
            node = next(iter(self._pending))  # the one that waits longest: more has arrived there
            self._arrive(node, self._pending.pop(node))
            if self._effort > MAX_EFFORT:
                raise TooLong
        self._find_inner()
        self.raw = self.pointees
        self.pointees = [*map(self.whole, self.raw)]

    def _arrive(self, node: int, arrived: int) -> None:
        if node == self.outside:
            self._escape(arrived)
        if node in self._loads or node in self._stores:
            self._access(node, [*members(arrived)])
        for name, tag, to in self._taken.get(node, ()):
            for thing in members(arrived):
                self.new(to, self._part(thing, name, tag))
        for to in self._wholes.get(node, ()):
            self._flow(self.whole(arrived), to)
        for call, caller in self._calls.get(node, ()):
            for thing in members(arrived):
                self._call(call, caller, thing)
        for source in self._into.get(node, ()):
            self._copy(self.pointees[source], arrived)
        for to in self._from.get(node, ()):
            self._copy(arrived, self.pointees[to])
        self._effort += len(self._edges[node])
        for to in self._edges[node]:
            self._flow(arrived, to)

    def _access(self, node: int, arrived: list[int]) -> None:
        for key, to in self._loads.get(node, ()):
            for thing in arrived:
                self._edge(self._whole_of(thing) if key == ANY else self._cell(thing, key), to)
        for key, source in self._stores.get(node, ()):
            for thing in arrived:
                around = self._around.get(thing, (thing, ""))[0] if key == ANY else thing
                self._edge(source, self._cell(around, key))

    def _escape(self, things: int) -> None:
        """Other code may read and write all that is in an object that it can reach."""
        for thing in members(self.whole(things) & ~self.escaped):
            self.escaped |= 1 << thing
            self._edge(self._everything(thing), self.outside)
            self.new(self._cell(thing, ANY), FOREIGN)
            if self.function(thing) in self._by_pointer:
                self._open(*self._by_pointer[self.function(thing)])

    def _further(self, node: int) -> Iterator[int]:
        yield from (to for _, _, to in self._taken.get(node, ()))
