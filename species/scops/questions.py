"""What has to hold at run time so that the numbers in a static control part do not wrap around."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from species.loops.model import Loop, Reference
from species.loops.unsigned_bounds import LARGEST, Unclear, UnsignedBounds
from species.scops.refused import Refused
from species.scops.sets import Parameters
from species.sets.conditions import Condition


def questions(
    bounds: UnsignedBounds,
    parameters: Parameters,
    loops: Mapping[int, Loop],
    tested: Iterable[tuple[Loop, Condition]],
    accesses: Iterable[Reference],
    conditions: Iterable[str],
) -> Iterator[str]:
    """C texts; raises Refused where none says it.

    `loops` are those of the nests by number; branches in them have `tested` conditions.  `conditions` are
    asked anyway.
    """
    try:
        asked = bounds.asked(loops.values())
    except Unclear:
        raise Refused("a bound is too large") from None
    for loop, condition in tested:
        asked |= bounds.of_conditions([condition], [loops[n] for n in loop.path if n in loops])
    asked |= bounds.of_subscripts(accesses)
    known = {part for text in conditions if "||" not in text for part in text.split(" && ")}
    for value, most in asked.items():
        if parameters.less(value, LARGEST + 1) not in known:
            yield parameters.less(value, most)
