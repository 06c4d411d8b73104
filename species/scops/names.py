"""C names for values before nests: bounds, and how often loops inside of statements run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from species.loops.induction import trips
from species.loops.model import Loop
from species.regions.c_printer import Unprintable
from species.regions.entry_names import EntryNames
from species.sets.affine import Affine


class Names(EntryNames):
    """`!now` and `c ? a : b` make no bounds that a person reads."""

    prints_choices = False

    def lengths(self, inner: Mapping[int, Loop], inside: frozenset[int]) -> Iterator[str]:
        """How many iterations the deepest of some loops, and those around it, make: C, empty where nothing
        before the nests, which have the loops `inside`, says so.
        """
        deepest = max(inner.values(), key=lambda loop: loop.depth, default=None)
        for loop in (inner[n] for n in deepest.path if n in inner) if deepest is not None else ():
            count = trips(loop, (*loop.conditions, loop.bound))
            yield self._unguarded(count) if count is not None and not count.loops & inside else ""

    def _unguarded(self, value: Affine) -> str:
        """A value's text, if that is safe to read under the conditions that are noted already."""
        guards = list(self.guards)
        try:
            text = self.text(value)
        except Unprintable:
            text = ""
        known, self.guards[:] = self.guards == guards, guards
        return text if known else ""
