"""The arrays as a part of a kernel's iterations touches them, for programs that share these among devices.

A part are the iterations of a base loop from one number to another, both included.  The numbers
are values that the regions of arrays name, `FROM` and `TO`: what isl or elimination finds for the whole loop,
it finds for the part, as two more conditions hold of every reference.  Other than the access models of Matz
(seed 002, section 4), which map thread blocks to cells, nothing has to be known of work-groups.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from species.facts.loops import PART, KernelArray
from species.kernels.trip_counts import most_iterations
from species.loops.model import FunctionModel, Loop, Reference
from species.sets.affine import Affine, Value
from species.sets.conditions import Compare
from species.symbols.types import INT

# Of a type that is narrower than their variables', so that sums of them are computed as `long`.
_FROM, _TO = (Affine.of(Value(("iterator", name), frozenset(), name, INT)) for name in PART)


def of_part(
    model: FunctionModel, top: Loop, spread: Loop, references: Iterable[Reference]
) -> tuple[Loop, list[Reference]]:
    """A kernel's loop with what is known of a part of the iterations of `spread`, a base loop, and its
    references as they are made in that part.
    """
    known = (Compare(_FROM), Compare(_TO - _FROM), *_ends(model, top, spread))
    counter, around = Affine.of(spread.counter), len(top.conditions)
    within = (Compare(counter - _FROM), Compare(_TO - counter))
    made = [
        replace(r, conditions=(*r.conditions[:around], *known, *r.conditions[around:], *within))
        for r in references
    ]
    return replace(top, conditions=(*top.conditions, *known)), made


def _ends(model: FunctionModel, top: Loop, spread: Loop) -> Iterable[Compare]:
    """The part ends where the loop does, at the latest."""
    trips = most_iterations(model, top, spread)
    if trips is not None and (trips.operator == "min" or trips.single is not None):
        yield from (Compare(option - 1 - _TO) for option in trips.options)


def or_whole(part: KernelArray, whole: KernelArray) -> KernelArray:
    """An array as a part reads it; where that is not known, as all iterations do."""
    return replace(part, reads=whole.reads, read_rows=whole.read_rows) if part.reads == () else part


def in_rows(part: KernelArray) -> KernelArray:
    """An array of which a part may touch some columns: row by row, without the cells between them."""
    reads, writes = part.reads or (), part.writes or ()
    return replace(
        part,
        read_rows=part.read_rows or (reads if len(reads) > 1 else ()),
        written_rows=part.written_rows or (writes if len(writes) > 1 and part.covered else ()),
    )
