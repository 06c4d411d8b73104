"""What a program asks before a launch, so that no bound of 64 bits without a sign wraps around."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from species.dependence.judgement import Judgement
from species.facts.loops import KernelArray
from species.grammar.nodes import Range
from species.loops.model import Reference, inner_loops, nested
from species.loops.unsigned_bounds import Unclear, UnsignedBounds
from species.regions.c_printer import Unprintable
from species.regions.hull import Regions


def asked(
    regions: Regions, judgement: Judgement, references: Iterable[Reference], bounds_of: Iterable[Range]
) -> tuple[str, ...]:
    """C texts; raises Unclear where none tells it.  `references` are those to what has these bounds."""
    loop = judgement.loop
    bounds = UnsignedBounds(regions.model, inner_loops(loop), (*loop.conditions, *judgement.provided))
    found = bounds.asked(nested(loop))
    if any("?" in text for each in bounds_of for text in (each.low, each.high)):  # numbers are compared
        found = bounds.of_subscripts(references) | found
    try:
        return tuple(regions.less(value, most) for value, most in found.items())
    except Unprintable:
        raise Unclear from None


def ranges(arrays: Iterable[KernelArray]) -> Iterator[Range]:
    """The bounds of arrays."""
    for array in arrays:
        yield from (*(array.reads or ()), *(array.writes or ()))
