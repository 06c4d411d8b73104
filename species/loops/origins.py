"""What variables held before writes that only change them if a pointer leads to them.

    for (i = 0; i < n; i++) p[i * n] = 0;       // `n` is global, `p` may point to it

Such a write gives a new value to `n`, as far as is known.  A loop is judged as if it did not: its reference
to `n` is compared with that to `p[i * n]` as all references are, so that it is parallel on the condition that
they are different memory; and where they are, `n` has the value that it had before the loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from species.sets.affine import Affine, Atom, Division, Value, divided, operation
from species.sets.products import product

if TYPE_CHECKING:
    from species.loops.model import Place, Pointer

_NOTHING = (None, frozenset[int]())


class Origins:
    """The values of one function that took the place of others inside of loops, and those others."""

    def __init__(self) -> None:
        # For the loops of those numbers.  There are as many values as writes times cells that they may reach:
        # so they share what can be shared, and what has been looked for has a place of its own.
        self._before: dict[Value, tuple[Affine, frozenset[int]]] = {}
        self._found: dict[tuple[Value, int], Affine] = {}
        self._pointers: dict[Value, tuple[Pointer, frozenset[int]]] = {}

    def note(self, new: Affine, old: Affine, loops: frozenset[int]) -> None:
        """A write has made one value of the other, perhaps."""
        self._before[_atom(new)] = (old, loops)

    def note_pointer(self, new: Pointer, old: Pointer, loops: frozenset[int]) -> None:
        """As `note`."""
        if new.place.base is not None:
            self._pointers[new.place.base] = (old, loops)

    def meet(self, new: Affine, one: Affine, other: Affine, loops: Iterable[int]) -> None:
        """The new value is one of the others: in loops in which both were the same, it is that."""
        value = _atom(new)
        for n in loops:
            before = self.before(one, n)
            if before == self.before(other, n):
                self._found[value, n] = before

    def meet_pointers(self, new: Pointer, one: Pointer, other: Pointer, loops: Iterable[int]) -> None:
        """As `meet`."""
        places = (one.place, other.place)
        same = frozenset(n for n in loops if len({self.place_before(p, n) for p in places}) == 1)
        if new.place.base is not None and one.offset == other.offset:
            self._pointers[new.place.base] = (one, same)

    def place_before(self, place: Place, loop: int) -> Place:
        """The place in terms of the pointers that led there when the loop began."""
        found, loops = self._pointers.get(place.base, _NOTHING) if place.base is not None else _NOTHING
        if (
            found is None
            or loop not in loops
            or found.place.path
            or found.place.loose
            or found.offset != Affine()
        ):
            return place
        start = found.place
        return self.place_before(replace(place, symbol=start.symbol, base=start.base), loop)

    def before(self, expression: Affine, loop: int) -> Affine:
        """The expression with what its values were when the loop began."""
        if len(expression.terms) == 1 and not expression.constant:
            ((atom, coefficient),) = expression.terms
            if coefficient == 1 and isinstance(atom, Value):
                return self._value(atom, loop) or expression
        changed = {atom: found for atom, _ in expression.terms if (found := self._atom_before(atom, loop))}
        if not changed:
            return expression
        result = Affine(constant=expression.constant)
        for atom, coefficient in expression.terms:
            result += changed[atom].scaled(coefficient) if atom in changed else Affine.of(atom, coefficient)
        return result

    def _atom_before(self, atom: Atom, loop: int) -> Affine | None:
        """What it was; None: the same."""
        if isinstance(atom, Value):
            return self._value(atom, loop)
        if isinstance(atom, Division):
            inner = self.before(atom.numerator, loop)
            return None if inner is atom.numerator else divided(inner, atom.divisor, atom.remainder)
        return None

    def _value(self, value: Value, loop: int) -> Affine | None:
        """As `_atom_before`."""
        noted = self._found.get((value, loop))
        if noted is None:
            old, loops = self._before.get(value, _NOTHING)
            noted = old if loop in loops else None
        if noted is not None:
            self._found[value, loop] = found = self.before(noted, loop)  # next time, it is there at once
            return found
        if not value.parts or value.key[0] != "op":
            return None
        parts = tuple(self.before(part, loop) for part in value.parts)
        if parts == value.parts:
            return None
        if value.key[1:3] == ("*", None):
            return _product(parts)
        return operation(str(value.key[1]), value.ctype, *parts)


def _product(parts: tuple[Affine, ...]) -> Affine | None:
    result: Affine | None = Affine(constant=1)
    for part in parts:
        result = product(result, part) if result is not None else None
    return result


def _atom(value: Affine) -> Value:
    """Of a value that has just been made."""
    ((atom, _),) = value.terms
    assert isinstance(atom, Value)
    return atom
