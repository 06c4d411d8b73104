"""What a function does with pointers, in the four instructions of points-to analysis, and calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Key = str  # a member's name; CELL, ANY
CELL = "*"  # what is no member: elements, and what a plain pointer leads to
ANY = "?"  # any part of the object
_BYTES = "#"


def bytes_of(key: Key) -> Key:
    """The bytes of a member that is an array of numbers: any part of the object where pointers lead there."""
    return ANY if key in (CELL, ANY) else _BYTES + key


def member_of(key: Key) -> str:
    """The member of which a key says the bytes; empty: it says something else."""
    return key[1:] if key.startswith(_BYTES) else ""


@dataclass(frozen=True)
class Object:
    """A variable, the memory that a call allocates, a literal, or a function.

    There is one per context, unless it is `shared`.
    """

    node: Any = field(compare=False)
    identity: int
    name: str = field(compare=False)
    shared: bool = False
    is_variable: bool = False
    is_allocated: bool = False
    automatic: bool = False  # a literal that a function makes for itself, as it does its variables
    foreign: bool = False  # other files, or the library, may use it as they like


@dataclass(frozen=True)
class Call:
    """A call of a function of the file, or by a pointer.  Structures are handed over as the objects that they
    are in.
    """

    name: str
    site: int
    arguments: tuple[int, ...]
    result: int
    pointer: int = 0  # a slot


@dataclass
class Code:
    """The instructions of a function, over slots: variables and intermediate values, numbered from 0 on.

    `NOWHERE` stands for what is no pointer, and leads nowhere.
    """

    name: str
    slots: int = 1
    addresses: list[tuple[int, Object]] = field(default_factory=list)  # d = &o
    copies: list[tuple[int, int]] = field(default_factory=list)  # d = s
    moves: list[tuple[int, int]] = field(default_factory=list)  # d = s + n
    loads: list[tuple[int, int, Key]] = field(default_factory=list)  # d = b->k
    stores: list[tuple[int, Key, int]] = field(default_factory=list)  # b->k = s
    parts: list[tuple[int, int, Key, str]] = field(default_factory=list)  # d = &b->k, a structure: its tag
    within: dict[int, int] = field(default_factory=dict)  # of parts: what leads to their objects, d -> b
    wholes: list[tuple[int, int]] = field(default_factory=list)  # d = s, or the objects that have it inside
    blocks: list[tuple[int, int]] = field(default_factory=list)  # *d = *s, whole objects
    escapes: list[int] = field(default_factory=list)  # code that is not known gets s
    unknown: list[int] = field(default_factory=list)  # d = a pointer from code that is not known
    calls: list[Call] = field(default_factory=list)
    indirect: dict[int, Call] = field(default_factory=dict)  # by a pointer, by the ids of their nodes
    parameters: list[int] = field(default_factory=list)
    result: int = 0
    fresh: set[int] = field(default_factory=set)  # d = malloc()
    freed: set[int] = field(default_factory=set)  # free(s), realloc(s)
    read: set[int] = field(default_factory=set)  # what leads to memory that the function reads,
    written: set[int] = field(default_factory=set)  # and writes
    opaque: bool = False  # it does something of which nothing is known
    lvalues: dict[int, int] = field(default_factory=dict)  # id of a node -> what leads to its memory
    arguments: dict[int, int] = field(default_factory=dict)  # id of a node -> what it points to

    @property
    def size(self) -> int:
        """How many instructions there are."""
        parts = (self.addresses, self.copies, self.loads, self.stores, self.blocks, self.parts, self.calls)
        return sum(len(part) for part in parts)

    def slot(self) -> int:
        """A new slot."""
        self.slots += 1
        return self.slots - 1


NOWHERE = 0  # the slot that stays empty
