"""What a program asks before a launch, so that no bound of 64 bits without a sign wraps around."""

from __future__ import annotations

from collections.abc import Iterable

from species.dependence.judgement import Judgement
from species.facts.loops import KernelArray
from species.loops.model import Reference, inner_loops, nested
from species.loops.unsigned_bounds import Unclear, UnsignedBounds
from species.regions.c_printer import Unprintable
from species.regions.hull import Regions


def asked(
    regions: Regions, judgement: Judgement, references: Iterable[Reference], arrays: Iterable[KernelArray]
) -> tuple[str, ...]:
    """C texts; raises Unclear where none tells it.  `references` are those to `arrays`."""
    loop = judgement.loop
    bounds = UnsignedBounds(regions.model, inner_loops(loop), (*loop.conditions, *judgement.provided))
    found = bounds.asked(nested(loop))
    if any(map(_has_choices, arrays)):
        found = bounds.of_subscripts(references) | found
    try:
        return tuple(regions.less(value, most) for value, most in found.items())
    except Unprintable:
        raise Unclear from None


def _has_choices(array: KernelArray) -> bool:
    """Is one of its bounds one of several, so that numbers are compared?"""
    bounds = (*(array.reads or ()), *(array.writes or ()))
    return any("?" in text for bound in bounds for text in (bound.low, bound.high))
