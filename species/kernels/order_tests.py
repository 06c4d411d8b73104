"""What is asked, before a loop, of the numbers in memory that bound its segments: see `species.row_tests`."""

from __future__ import annotations

from species.dependence.segments import InOrder
from species.facts.loops import IN_ORDER
from species.loops.model import Loop, Place
from species.loops.shifted import at
from species.regions.entry_names import EntryNames
from species.sets.affine import Affine


def order_text(claim: InOrder, loop: Loop, names: EntryNames, trips: str | None) -> tuple[str, str] | None:
    """The call that asks it, for all iterations but the last, and the same in words; None: it has no text."""
    one, other = (_numbers(place, loop, names) for place in (claim.after, claim.before))
    if one is None or other is None or trips is None:
        return None
    (numbers, name), (others, second) = one, other
    text = f"{IN_ORDER}({numbers}, {others}, {claim.slack}, (long)({trips}) - 1)"
    if name == second:
        return text, f"the numbers in '{name}' ascend"
    return text, f"each of '{name}' is no less than the one before in '{second}'"


def _numbers(place: Place, loop: Loop, names: EntryNames) -> tuple[str, str] | None:
    """Arguments for the numbers that iterations find at a place, and their name."""
    first, second = (names.cell(at(place, loop.counter, Affine(constant=k))) for k in (0, 1))
    if first is None or second is None:
        return None
    size = place.ctype.bits // 8 * (-1 if place.ctype.unsigned and place.ctype.bits < 64 else 1)
    apart = f"(long)((const char *)&{second} - (const char *)&{first})"
    members = [step for step in place.path if isinstance(step, str)]
    name = names.table(Place(place.symbol, (), place.base)) or place.symbol.name
    return f"&{first}, {apart}, {size}", ".".join([name, *members[-1:]])
