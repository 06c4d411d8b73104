"""What is known of variables and places at one point of a function: a symbolic store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from species.core.effort import Effort
from species.core.memo import kept
from species.loops.model import Place, Pointer
from species.loops.origins import Origins
from species.sets.affine import MAX_SIZE, Affine, Value
from species.symbols.symbols import Symbol

Known = Affine | Pointer | None  # None: no integer and no pointer, or nobody knows
Key = Symbol | Place
# A key, its value where control flow meets, and those from either side.
Met = tuple[Key, Known, Known, Known]

_numbers = count()


def is_shared(symbol: Symbol) -> bool:
    """May the variable be changed by somebody who does not name it?"""
    return symbol.outlives_function or symbol.address_taken


MAX_WRITES = 100  # that are looked at for one key


@dataclass(frozen=True, eq=False)
class Write:
    """A write to memory, inside of `loops`: which keys it may have changed, and the write before it."""

    number: int
    loops: frozenset[int]
    changed: Callable[[Key], bool]
    before: Write | None
    depth: int  # how many there are before it


@dataclass
class Environment:
    """Maps variables and memory places to their values.

    A key that is not there still has the value it had after the `last` write that may have changed it;
    private variables have it since the function began.
    """

    values: dict[Key, Known] = field(default_factory=dict)
    last: Write | None = None
    origins: Origins = field(default_factory=Origins)  # of the whole function
    effort: Effort = field(default_factory=Effort)  # likewise

    def copy(self) -> Environment:
        self.effort.take(len(self.values) // 64)
        return Environment(dict(self.values), self.last, self.origins, self.effort)

    def get(self, key: Key) -> Known:
        """The value of an integer or pointer variable or place."""
        if key not in self.values:
            self.values[key] = self._initial(key)
        return self.values[key]

    def _initial(self, key: Key) -> Known:
        private = isinstance(key, Symbol) and not is_shared(key)
        write = None if private else self._last_change(key)
        number, loops = (write.number, write.loops) if write is not None else (0, frozenset())
        if isinstance(key, Place):
            loops = _union(loops, key.loops)
        return unknown(key, ("entry", number, key), loops)

    def _last_change(self, key: Key) -> Write | None:
        """The last write that may have changed what is now looked at for the first time.

        Of many, one that is long past is taken for it: since then nothing did.
        """
        write, seen = self.last, 0
        while write is not None and seen < MAX_WRITES and not write.changed(key):
            write, seen = write.before, seen + 1
        self.effort.take(seen // 4)
        return write

    def forget(self, key: Key, loops: frozenset[int]) -> None:
        """The value is a new one from here on, which `loops` may change."""
        if isinstance(key, Place):
            loops = _union(loops, key.loops)
        self.values[key] = unknown(key, ("fresh", next(_numbers), key), loops)

    def end_of(self, variables: frozenset[Symbol]) -> None:
        """Some variables are no more, nor is what they lead to to be found by them."""
        for key in [k for k in self.values if (k if isinstance(k, Symbol) else k.symbol) in variables]:
            del self.values[key]

    def forget_where(
        self,
        changed: Callable[[Key], bool],
        loops: frozenset[int],
        by_pointer: Callable[[Key], bool] = lambda key: False,
    ) -> None:
        """A write to memory: forget every key that it may have changed.

        What is only changed `by_pointer`, if one happens to lead there, keeps its origin.
        """
        forgotten = [k for k in self.values if changed(k)]
        self.effort.take(len(self.values) // 8 + len(forgotten))
        for key in forgotten:
            old = self.values[key]
            self.forget(key, loops)
            new = self.values[key]
            if by_pointer(key) and isinstance(new, Affine) and isinstance(old, Affine):
                self.origins.note(new, old, loops)
            elif by_pointer(key) and isinstance(new, Pointer) and isinstance(old, Pointer):
                self.origins.note_pointer(new, old, loops)
        self._note(changed, loops, self.last)

    def _note(self, changed: Callable[[Key], bool], loops: frozenset[int], before: Write | None) -> None:
        depth = before.depth + 1 if before is not None else 0
        self.last = Write(next(_numbers) + 1, loops, changed, before, depth)

    def merge(self, other: Environment, loops: frozenset[int]) -> list[Met]:
        """Control flow meets: keeps what both sides agree on, and gives what has a new value then."""
        known, met = other.values, []
        self.effort.take(len(known) // 16)
        for key in {**self.values, **known}:
            if key in known and self.values.get(key) is known[key] is not None:
                continue  # by far the most
            mine, theirs = self.get(key), other.get(key)
            if mine != theirs:
                self.effort.take(2)
                self.forget(key, loops)
                self._meet(self.values[key], mine, theirs, loops)
                met.append((key, self.values[key], mine, theirs))
        if self.last is not other.last:
            before, writes = _parting(self.last, other.last)
            self._note(lambda key: any(write.changed(key) for write in writes), loops, before)
        return met

    def _meet(self, new: Known, mine: Known, theirs: Known, loops: frozenset[int]) -> None:
        if isinstance(new, Affine) and isinstance(mine, Affine) and isinstance(theirs, Affine):
            self.origins.meet(new, mine, theirs, loops)
        elif isinstance(new, Pointer) and isinstance(mine, Pointer) and isinstance(theirs, Pointer):
            self.origins.meet_pointers(new, mine, theirs, loops)


def _parting(one: Write | None, other: Write | None) -> tuple[Write | None, list[Write]]:
    """The last write that two ways have in common, and those that only one of them has."""
    writes = []
    while one is not other:
        if other is None or (one is not None and one.depth >= other.depth):
            assert one is not None
            writes.append(one)
            one = one.before
        else:
            writes.append(other)
            other = other.before
    return one, writes


@kept(1000)
def _union(loops: frozenset[int], others: frozenset[int]) -> frozenset[int]:
    """One set for all the values that have the same."""
    return loops if others <= loops else loops | others


def unknown(key: Key, identity: tuple[object, ...], loops: frozenset[int]) -> Known:
    """A new opaque integer, or a pointer to somewhere, of the key's type."""
    ctype = key.ctype
    text = key.name
    why, size = ("", 1) if isinstance(key, Symbol) else ("memory", 1 + key.size)
    if size > MAX_SIZE:
        identity, size = ("large", next(_numbers)), 1  # not even equal to what is read there again
    value = Value((*identity, text), loops, text, ctype, why, size=size)
    if ctype.is_integer:
        return Affine.of(value)
    if ctype.kind == "pointer" or (ctype.kind == "array" and isinstance(key, Symbol)):
        target = ctype.target if ctype.target else ctype
        symbol = key if isinstance(key, Symbol) else Symbol(text, ctype, "memory", exposed=True)
        return Pointer(Place(symbol, (), value, target), Affine(), target)
    return None
