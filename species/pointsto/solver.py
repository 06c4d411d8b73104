"""Andersen's inclusion-based points-to analysis, with members, over functions that are copied per context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from species.pointsto.instructions import ANY, CELL, NOWHERE, Call, Code, Key, Object, member_of

FOREIGN = 0  # the object that stands for all that code outside of the file can reach
MAX_EFFORT = 2_000_000  # flows along edges, old and new


class TooLarge(Exception):
    """There are too many instructions."""


class TooLong(Exception):
    """It takes too long to follow all pointers."""


def members(things: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while things:
        lowest = things & -things
        yield lowest.bit_length() - 1
        things ^= lowest


class Solver:
    """A graph of what may point where.

    A node is a set of objects, which flow along edges; loads and stores add edges as objects arrive (Andersen
    1994; the propagation of differences is Pearce, Kelly and Hankin's, 2004).  Objects are numbers, and sets
    of them the bits of an integer.  A structure in another one is a part of the object, with a number and
    cells of its own, until all is solved.
    """

    def __init__(
        self,
        one_member: frozenset[str],
        inside: Mapping[tuple[str, str], str],
        *,
        by_member: bool,
        cells_apart: bool,
    ) -> None:
        """Members in `one_member` are plain cells, as pointers lead to them; without `by_member` all are.

        Without `cells_apart`, plain cells of an object may be any of its members.  Structures are parts of
        their own that are `inside` of others: their tags, by the tags of these and their names there.
        """
        self._one_member, self._by_member, self._cells_apart = one_member, by_member, cells_apart
        self._has = inside if by_member and cells_apart else {}
        self._names = {(name, tag) for (_, name), tag in self._has.items()}
        self.pointees: list[int] = []  # once all is solved, of whole objects
        self.raw: list[int] = []  # the same, of parts
        self._parts: dict[tuple[int, Key], int] = {}
        self._around: dict[int, tuple[int, str]] = {}  # of a part: its object, and its path in that
        self._inside: dict[int, list[tuple[Key, str, int]]] = {}  # of an object: its parts
        self._tags: dict[int, str] = {}  # of parts: what structures they are
        self._taken: dict[int, list[tuple[Key, str, int]]] = {}  # what is a part of what arrives at a node
        self._wholes: dict[int, list[int]] = {}
        self._edges: list[set[int]] = []
        self._loads: dict[int, list[tuple[Key, int]]] = {}
        self._stores: dict[int, list[tuple[Key, int]]] = {}
        self._into: dict[int, list[int]] = {}  # of blocks: from the destination's node to the source's
        self._from: dict[int, list[int]] = {}
        self._cells: list[dict[Key, int]] = []  # of every object: its members
        self._copied_to: list[int] = []
        self._numbers: dict[tuple[Object, Any], int] = {}
        self._pending: dict[int, int] = {}  # what arrived, and goes on
        self._effort = 0
        self._moves: list[tuple[int, int]] = []
        self._allocated_in: dict[Any, int] = {}
        self._own: dict[Any, int] = {}
        self._functions: dict[int, str] = {}
        self._variables: dict[int, tuple[int, Any]] = {}
        self._by_pointer: dict[
            str, tuple[Code, int]
        ] = {}  # functions, until code that is not known calls them
        self._calls: dict[int, list[tuple[Call, int]]] = {}  # by pointers
        self.started: set[str] = set()  # the functions that calls by pointers, or code not known, come to
        self.allocated = 0
        self.escaped = 0
        self.inner: list[int] = []  # what a node points to that is not the start of an object
        self._number(Object(None, 0, "what other code reaches", shared=True), None)
        self.outside = self.node()  # what other code has pointers to
        self._edge(self._cell(FOREIGN, ANY), self.outside)
        self.new(self.outside, FOREIGN)

    # Building

    def node(self) -> int:
        self.pointees.append(0)
        self._edges.append(set())
        return len(self.pointees) - 1

    def object(self, thing: Object, context: Any) -> int:
        """The number of an object, in a context."""
        key = (thing, None if thing.shared else context)
        known = self._numbers.get(key)
        return known if known is not None else self._number(*key)

    def _number(self, thing: Object, context: Any) -> int:
        number = self._numbers[thing, context] = len(self._cells)
        self._cells.append({})
        self._copied_to.append(0)
        if thing.foreign:
            self.new(self.outside, number)
        if thing.node is None:
            self._functions[number] = thing.name
        if thing.is_allocated:
            self.allocated |= 1 << number
            self._allocated_in[context] = self._allocated_in.get(context, 0) | 1 << number
        if thing.is_variable:
            self._variables[number] = thing.identity, context
        if thing.automatic or (thing.is_variable and not thing.shared):
            self._own[context] = self._own.get(context, 0) | 1 << number
        return number

    def function(self, number: int) -> str:
        """The name of a function that an object is; empty where it is none."""
        return self._functions.get(number, "")

    def is_allocated(self, number: int) -> bool:
        """Is it memory that the library gave?"""
        return bool(self.allocated >> number & 1)

    def cells(self) -> Iterator[tuple[int, Key, int]]:
        """The cells of all objects, and what they may hold."""
        for thing, known in enumerate(self._cells):
            for name, node in known.items():
                if name != "all":
                    around, path = self._around.get(thing, (thing, ""))
                    yield around, ANY if name == ANY else path + name[1:], self.pointees[node]

    def whole(self, things: int) -> int:
        """The objects that things are, or are parts of."""
        if self._around:
            for thing in members(things):
                if thing in self._around:
                    things = things & ~(1 << thing) | 1 << self._around[thing][0]
        return things

    def _part(self, thing: int, name: Key, tag: str) -> int:
        """A structure in an object; the object itself where its members cannot be told from others."""
        owner = self._tags.get(thing)
        known = (name, tag) in self._names if owner is None else self._has.get((owner, name)) == tag
        if thing == FOREIGN or not known:
            return thing
        if (thing, name) not in self._parts:
            number = self._parts[thing, name] = len(self._cells)
            around, path = self._around.get(thing, (thing, ""))
            self._around[number] = around, f"{path}{name}."
            self._tags[number] = tag
            self._inside.setdefault(thing, []).append((name, tag, number))
            self._cells.append({})
            self._copied_to.append(0)
            self._edge(self._cell(thing, ANY), self._cell(number, ANY))
            self._edge(self._everything(number), self._everything(thing))
            for to in members(self._copied_to[thing]):
                self._copy(1 << number, 1 << self._part(to, name, tag))
        return self._parts[thing, name]

    def variable(self, number: int) -> tuple[int, Any]:
        """The `id` of the symbol that an object is, and the context; 0 and None where it is no variable."""
        return self._variables.get(number, (0, None))

    def own(self, context: Any) -> int:
        """The variables that are made when a function is called, in a context."""
        return self._own.get(context, 0)

    def allocated_in(self, context: Any) -> int:
        """The memory that the library gives when a function is called, in a context."""
        return self._allocated_in.get(context, 0)

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

    # Solving

    def new(self, node: int, thing: int) -> None:
        """The node may point to the object."""
        self._flow(1 << thing, node)

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

    def _find_inner(self) -> None:
        """Which objects a node may point into, behind their starts."""
        self.inner = [0] * len(self.pointees)
        pending = dict.fromkeys(source for source, _ in self._moves)
        moved: dict[int, list[int]] = {}
        for source, to in self._moves:
            moved.setdefault(source, []).append(to)
        while pending:
            node = next(iter(pending))
            del pending[node]
            further = [(to, self.inner[node]) for to in self._edges[node]]
            further += [(to, self.inner[node]) for _, _, to in self._taken.get(node, ())]
            for to, things in [*further, *((to, self.pointees[node]) for to in moved.get(node, ()))]:
                if things & ~self.inner[to]:
                    self.inner[to] |= things
                    pending[to] = None

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

    def _whole_of(self, thing: int) -> int:
        return self._everything(self._around.get(thing, (thing, ""))[0])

    def _flow(self, things: int, to: int) -> None:
        new = things & ~self.pointees[to]
        if new:
            self.pointees[to] |= new
            self._pending[to] = self._pending.get(to, 0) | new

    def _edge(self, source: int, to: int) -> None:
        self._effort += 1
        if to not in self._edges[source] and source != to:
            self._edges[source].add(to)
            self._flow(self.pointees[source], to)

    def _escape(self, things: int) -> None:
        """Other code may read and write all that is in an object that it can reach."""
        for thing in members(self.whole(things) & ~self.escaped):
            self.escaped |= 1 << thing
            self._edge(self._everything(thing), self.outside)
            self.new(self._cell(thing, ANY), FOREIGN)
            if self.function(thing) in self._by_pointer:
                self._open(*self._by_pointer[self.function(thing)])

    # Objects

    def key(self, key: Key) -> Key:
        """A member's name, or CELL where it is no place of its own."""
        if key == ANY:
            return ANY
        member = member_of(key)
        if member:
            return member if self._by_member and member not in self._one_member else ANY
        return key if self._by_member and key not in self._one_member else CELL

    def load(self, things: int, path: tuple[Key, ...]) -> tuple[int, int]:
        """What a member of some objects, or parts, may point to, and what of it not to the start."""
        found, inner, name = 0, 0, self.key(path[-1])
        for thing in members(things):
            known = self._cells[self._along(thing, path)]
            node = known.get("all" if name == ANY else f".{name}", known.get(ANY))
            if node is not None:
                found |= self.raw[node]
                inner |= self.inner[node]
        return found, inner

    def place(self, thing: int, path: tuple[Key, ...]) -> tuple[int, Key]:
        """The object that a member of one, or of a part, lies in, and what `cells` calls it."""
        number = self._along(thing, path)
        around, before = self._around.get(number, (number, ""))
        return around, before + self.key(path[-1])

    def _along(self, thing: int, path: tuple[Key, ...]) -> int:
        """The part of an object that has the last member of a path."""
        for name in path[:-1]:
            thing = self._parts.get((thing, name), thing)
        return thing

    def _cell(self, thing: int, key: Key) -> int:
        """The node of a member; what is stored to ANY part is stored to each."""
        if thing == FOREIGN:
            key = ANY
        known, name = self._cells[thing], ANY if key == ANY else f".{key}"
        if name not in known:
            known[name] = self.node()
            if thing == FOREIGN:
                self.new(known[name], FOREIGN)
            self._joined(thing, known[name], name)
        return known[name]

    def _joined(self, thing: int, node: int, name: Key) -> None:
        """Connects a new member with the whole object, and with what it is copied to."""
        if name != ANY:
            self._edge(self._cell(thing, ANY), node)
        self._edge(node, self._everything(thing))
        if not self._cells_apart:
            self._mix(thing, node, name)
        for to in members(self._copied_to[thing]):
            self._copy_cell(thing, name, to)

    def _mix(self, thing: int, node: int, name: Key) -> None:
        """A plain cell may be any of the members, and any member a plain cell."""
        plain = f".{CELL}"
        known = [other for other in self._cells[thing] if other.startswith(".") and other != name]
        for other in [other for other in known if plain in (other, name)]:
            self._edge(self._cells[thing][other], node)
            self._edge(node, self._cells[thing][other])

    def _everything(self, thing: int) -> int:
        """The node of all that any part of an object points to."""
        if thing == FOREIGN:
            return self._cell(FOREIGN, ANY)
        known = self._cells[thing]
        if "all" not in known:
            known["all"] = self.node()
            for name in [name for name in known if name != "all"]:
                self._edge(known[name], known["all"])
        return known["all"]

    def _copy(self, sources: int, targets: int) -> None:
        for source in members(sources):
            new = targets & ~self._copied_to[source] & ~(1 << source)
            self._copied_to[source] |= new
            for to in members(new):
                self._cell(source, ANY)
                for name in [name for name in self._cells[source] if name != "all"]:
                    self._copy_cell(source, name, to)
                for name, tag, part in [*self._inside.get(source, ())]:
                    self._copy(1 << part, 1 << self._part(to, name, tag))

    def _copy_cell(self, source: int, name: Key, to: int) -> None:
        self._edge(self._cells[source][name], self._cell(to, name if name == ANY else name[1:]))
