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

from species.loops.affine import Affine, Division, Value, divided, operation
from species.loops.products import product

if TYPE_CHECKING:
    from species.loops.nest import Place, Pointer


class Origins:
    """The values of one function that took the place of others inside of loops, and those others."""

    def __init__(self) -> None:
        self._before: dict[Value, dict[int, Affine]] = {}  # by the numbers of the loops around
        self._pointers: dict[Value, dict[int, Pointer]] = {}

    def note(self, new: Affine, old: Affine, loops: Iterable[int]) -> None:
        """A write has made one value of the other, perhaps."""
        self._before[_atom(new)] = dict.fromkeys(loops, old)

    def note_pointer(self, new: Pointer, old: Pointer, loops: Iterable[int]) -> None:
        """As `note`."""
        if new.place.base is not None:
            self._pointers[new.place.base] = dict.fromkeys(loops, old)

    def meet(self, new: Affine, one: Affine, other: Affine, loops: Iterable[int]) -> None:
        """The new value is one of the others: in loops in which both were the same, it is that."""
        pairs = {n: (self.before(one, n), self.before(other, n)) for n in loops}
        self._before[_atom(new)] = {n: first for n, (first, second) in pairs.items() if first == second}

    def meet_pointers(self, new: Pointer, one: Pointer, other: Pointer, loops: Iterable[int]) -> None:
        """As `meet`."""
        places = (one.place, other.place)
        same = {n for n in loops if len({self.place_before(p, n) for p in places}) == 1}
        if new.place.base is not None and one.offset == other.offset:
            self._pointers[new.place.base] = dict.fromkeys(same, one)

    def place_before(self, place: Place, loop: int) -> Place:
        """The place in terms of the pointers that led there when the loop began."""
        found = self._pointers.get(place.base, {}).get(loop) if place.base is not None else None
        if found is None or found.place.path or found.place.loose or found.offset != Affine():
            return place
        start = found.place
        return self.place_before(replace(place, symbol=start.symbol, base=start.base), loop)

    def before(self, expression: Affine, loop: int) -> Affine:
        """The expression with what its values were when the loop began."""
        if not expression.terms:
            return expression
        if len(expression.terms) == 1 and not expression.constant:
            ((atom, coefficient),) = expression.terms
            if coefficient == 1 and isinstance(atom, Value):
                return self._value(atom, loop)
        result = Affine(constant=expression.constant)
        for atom, coefficient in expression.terms:
            if isinstance(atom, Value):
                result += self._value(atom, loop).scaled(coefficient)
            elif isinstance(atom, Division):
                inner = self.before(atom.numerator, loop)
                result += divided(inner, atom.divisor, atom.remainder).scaled(coefficient)
            else:
                result += Affine.of(atom, coefficient)
        return result

    def _value(self, value: Value, loop: int) -> Affine:
        noted = self._before.get(value)
        if noted is not None and loop in noted:
            noted[loop] = found = self.before(noted[loop], loop)  # next time, it is there at once
            return found
        if not value.parts:
            return Affine.of(value)
        parts = tuple(self.before(part, loop) for part in value.parts)
        if parts == value.parts or value.key[0] != "op":
            return Affine.of(value)
        if value.key[1:3] == ("*", None):
            return _product(parts, value)
        return operation(str(value.key[1]), value.ctype, *parts)


def _product(parts: tuple[Affine, ...], value: Value) -> Affine:
    result: Affine | None = Affine(constant=1)
    for part in parts:
        result = product(result, part) if result is not None else None
    return Affine.of(value) if result is None else result


def _atom(value: Affine) -> Value:
    """Of a value that has just been made."""
    ((atom, _),) = value.terms
    assert isinstance(atom, Value)
    return atom
