"""The memory of points-to analysis: objects, their cells, and structures inside of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from species.pointsto.graph import Graph, members
from species.pointsto.instructions import ANY, CELL, Key, Object, member_of

FOREIGN = 0  # the object that stands for all that code outside of the file can reach


@dataclass(frozen=True)
class Layout:
    """Which cells objects have.

    Members in `one_member` are plain cells, as pointers lead to them; without `by_member` all are.  Without
    `cells_apart`, plain cells of an object may be any of its members.  Structures are parts of their own that
    are `inside` of others: their tags, by the tags of these and their names there.
    """

    one_member: frozenset[str]
    inside: Mapping[tuple[str, str], str]
    by_member: bool
    cells_apart: bool


class Memory(Graph):
    """Objects with a node for each of their cells.

    A structure in another one is a part of the object, with a number and cells of its own.
    """

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout
        self._has = layout.inside if layout.by_member and layout.cells_apart else {}
        self._names = {(name, tag) for (_, name), tag in self._has.items()}
        self.raw: list[int] = []  # what nodes point to, parts told apart; `pointees` are whole in the end
        self._parts: dict[tuple[int, Key], int] = {}
        self._around: dict[int, tuple[int, str]] = {}  # of a part: its object, and its path in that
        self._inside: dict[int, list[tuple[Key, str, int]]] = {}  # of an object: its parts
        self._tags: dict[int, str] = {}  # of parts: what structures they are
        self._cells: list[dict[Key, int]] = []  # of every object: its members
        self._copied_to: list[int] = []
        self._numbers: dict[tuple[Object, Any], int] = {}
        self._allocated_in: dict[Any, int] = {}
        self._own: dict[Any, int] = {}
        self._functions: dict[int, str] = {}
        self._allocations: dict[int, Any] = {}  # the calls, by their objects
        self._variables: dict[int, tuple[int, Any]] = {}
        self.allocated = 0
        self.escaped = 0
        self._number(Object(None, 0, "what other code reaches", shared=True), None)
        self.outside = self.node()  # what other code has pointers to
        self._edge(self._cell(FOREIGN, ANY), self.outside)
        self.new(self.outside, FOREIGN)

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
            self._allocations[number] = thing.node
            self._allocated_in[context] = self._allocated_in.get(context, 0) | 1 << number
        if thing.is_variable:
            self._variables[number] = thing.identity, context
        if thing.automatic or (thing.is_variable and not thing.shared):
            self._own[context] = self._own.get(context, 0) | 1 << number
        return number

    def function(self, number: int) -> str:
        """The name of a function that an object is; empty where it is none."""
        return self._functions.get(number, "")

    def call(self, number: int) -> Any:
        """The call that allocated an object; None where none did."""
        return self._allocations.get(number)

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

    def variable(self, number: int) -> tuple[int, Any]:
        """The `id` of the symbol that an object is, and the context; 0 and None where it is no variable."""
        return self._variables.get(number, (0, None))

    def own(self, context: Any) -> int:
        """The variables that are made when a function is called, in a context."""
        return self._own.get(context, 0)

    def allocated_in(self, context: Any) -> int:
        """The memory that the library gives when a function is called, in a context."""
        return self._allocated_in.get(context, 0)

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

    def key(self, key: Key) -> Key:
        """A member's name, or CELL where it is no place of its own."""
        if key == ANY:
            return ANY
        member = member_of(key)
        is_own = self._layout.by_member and (member or key) not in self._layout.one_member
        if member:
            return member if is_own else ANY
        return key if is_own else CELL

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
        if not self._layout.cells_apart:
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

    def _whole_of(self, thing: int) -> int:
        return self._everything(self._around.get(thing, (thing, ""))[0])

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
