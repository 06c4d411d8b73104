"""Counts for static control parts: how often statements run, and how many cells of arrays they touch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import islpy as isl

from models.counting.counts import Count
from models.counting.loops import CountingLoops
from models.counting.sets import counted
from species.facts.scops import Scop, ScopStatement


@dataclass(frozen=True)
class ScopCounts:
    """Of consecutive nests, over the parameters of the `Scop`.

    `iterations`: by statement, how often it runs.  `cells`: by array, how many different cells are read or
    written, never too few; exactly, where the relations of the accesses are.  `bytes` of an element of each,
    where that has a size.
    """

    iterations: Mapping[str, Count | CountingLoops]
    cells: Mapping[str, Count | CountingLoops]
    bytes: Mapping[str, int | None]

    def work(self, values: Mapping[str, int]) -> int:
        """How often all statements run together (seed 000: Q), for values of the parameters."""
        return sum(each.value(_of(each, values)) for each in self.iterations.values())

    def moved(self, values: Mapping[str, int]) -> int:
        """The bytes of all cells, each counted once, of arrays whose elements have a size."""
        found = ((cells, self.bytes[name]) for name, cells in self.cells.items())
        return sum(cells.value(_of(cells, values)) * size for cells, size in found if size is not None)


def counts_of(scop: Scop) -> ScopCounts:
    """Counts for all statements and arrays; ValueError where a set has no end."""
    statements = list(scop.statements())
    touched = {array.name: _touched(statements, array.name) for array in scop.arrays}
    return ScopCounts(
        {each.name: counted(isl.Set(each.domain)) for each in statements},
        {name: counted(cells) for name, cells in touched.items() if cells is not None},
        {array.name: array.bytes for array in scop.arrays},
    )


def _touched(statements: Iterable[ScopStatement], array: str) -> isl.Set | None:
    """The cells of an array that any of the statements reads or writes."""
    found: isl.Set | None = None
    for statement in statements:
        for access in statement.accesses:
            if access.array == array:
                cells = isl.Set(statement.domain).apply(isl.Map(access.relation))
                found = cells if found is None else found.union(cells)
    return found


def _of(count: Count | CountingLoops, values: Mapping[str, int]) -> dict[str, int]:
    return {name: values[name] for name in count.parameters}
