"""The variables of loops: their types, their names, and the names of the numbers where they end."""

from __future__ import annotations

from collections.abc import Callable

from skeletons.schedule.core.marks import Like, Mark, of_kind
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import Band
from skeletons.schedule.emit.ends import Ends
from species.facts import ScopLoop

WIDE = "long"  # what may go beyond the values of an iterator, or is part of signed expressions


class Bounds:
    """Types and names in one static control part."""

    def __init__(self, model: ScopModel, taken: set[str], source: str, macro: Callable[[str], str]) -> None:
        """`source` is the nests' text, `macro(name)` that of a macro, empty for what is none; `taken` are
        names that are in use.
        """
        self._taken, self._ends = taken, Ends(model, source, macro)
        self._loops = {name: _loops(model, name) for name in model.statements}

    def type_of(self, band: Band) -> str:
        """The type of the loop's variable: that of the source's, where that is a signed one.

        Bounds, conditions and other loops' values are signed expressions, in which an unsigned variable
        would wrap around.
        """
        if band.marks & {Mark.TILE, Mark.BLOCKS}:
            return WIDE
        values = [mark.name for mark in of_kind(Like, band.marks)]
        types = {
            self._value_type(n, v.lstrip("-")) for n, value in band.of.items() for v in values or [value]
        }
        return types.pop() if len(types) == 1 else WIDE

    def _value_type(self, statement: str, value: str) -> str:
        loop = self._loops[statement].get(value)
        return WIDE if loop is None or loop.unsigned else self.ctype(statement, value)

    def ctype(self, statement: str, iterator: str) -> str:
        """The type of a statement's iterator in the source."""
        return self._loops[statement][iterator].ctype.removeprefix("const ")

    def adds_up(self, statement: str, iterator: str) -> bool:
        """Are sums with the iterator the same subscripts as those with a `long`?"""
        loop = self._loops[statement][iterator]
        return not loop.unsigned or loop.bits == 64

    def readable(self, band: Band, condition: str) -> str:
        """`i <= 999` as `i < N` where the source says so."""
        return self._ends.readable(band, condition)

    def is_number(self, name: str) -> bool:
        """Is it a macro for a signed number?"""
        return self._ends.number(name) is not None

    def fresh(self, wanted: str) -> str:
        """A name that nothing has, made from `wanted`."""
        name = wanted
        while name in self._taken:
            name += "_"
        return name


def _loops(model: ScopModel, statement: str) -> dict[str, ScopLoop]:
    return {loop.iterator: loop for loop in model.loops_around(statement)}
