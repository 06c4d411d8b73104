"""What is asked, before a loop, of numbers in memory that bound its segments or choose its cells.

The functions that answer are in `species.row_tests`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from species.dependence.data_checks import AtMost, Chunks, Claim, Distinct, InOrder, Within
from species.facts.loops import CHUNKS, DISTINCT, GREATEST, IN_ORDER, LEAST
from species.loops.model import Loop, Place
from species.loops.shifted import at
from species.regions.c_printer import Unprintable
from species.regions.entry_names import EntryNames
from species.regions.symbolic import condition_text
from species.sets.affine import Affine, Counter
from species.sets.conditions import Condition
from species.symbols.types import CType

_ELEMENT = re.compile(r"(.+)\[(\d+)\]")


def check_text(claim: Claim, loop: Loop, names: EntryNames, trips: str | None) -> tuple[str, str] | None:
    """The call that tests a claim for so many iterations, and the same in words; None: it has no text.

    Without iterations, a pointer to structures need not lead anywhere, nor a table be there.
    """
    try:
        found = _text(claim, loop, names, trips) if trips is not None else None
    except Unprintable:
        return None
    if found is None or not ("->" in found[0] or isinstance(claim, Within)):
        return found
    return f"((long)({trips}) < 1 || {found[0]})", found[1]


def _text(claim: Claim, loop: Loop, names: EntryNames, trips: str) -> tuple[str, str] | None:
    where: tuple[Condition, ...] = ()
    filled = False
    if isinstance(claim, AtMost):
        return _bounded(claim, loop, names, trips)
    if isinstance(claim, Within):
        return _within(claim, names)
    match claim:
        case Distinct(numbers, where):
            places, name, rest = [numbers], DISTINCT, f"(long)({trips})"
        case Chunks(starts, lengths, filled):
            places, name, rest = [starts, lengths], CHUNKS, f"(long)({trips})"
        case InOrder(after, before, slack):
            places, name, rest = [after, before], IN_ORDER, f"{slack}, (long)({trips}) - 1"
    found = [numbers_text(place, loop.counter, names) for place in places]
    arguments, said = ([each[k] for each in found if each is not None] for k in (0, 1))
    if len(arguments) < len(places):
        return None
    call = f"{name}({', '.join([*arguments, rest])})"
    if filled:
        call = f"({LEAST}({arguments[1]}, 0, 0, 0, {rest}) >= 1 && {call})"
    return guarded(call, where, names), _words(claim, [f"'{each}'" for each in said])


def _bounded(claim: AtMost, loop: Loop, names: EntryNames, trips: str) -> tuple[str, str] | None:
    found = numbers_text(claim.numbers, loop.counter, names)
    lengths = ("0, 0, 0", "") if claim.lengths is None else numbers_text(claim.lengths, loop.counter, names)
    if found is None or lengths is None:
        return None
    least, greatest = (f"{name}({found[0]}, {lengths[0]}, (long)({trips}))" for name in (LEAST, GREATEST))
    text = guarded(f"({least} >= 0 && {greatest} <= {claim.most})", claim.where, names)
    return text, f"the numbers in '{found[1]}' are from 0 to {claim.most:,}"


def _within(claim: Within, names: EntryNames) -> tuple[str, str] | None:
    found, last = numbers_text(claim.numbers, claim.counter, names), names.text(claim.last)
    if found is None:
        return None
    least, greatest = (f"{name}({found[0]}, 0, 0, 0, (long)({last}) + 1)" for name in (LEAST, GREATEST))
    text = f"((long)({last}) < 0 || ({least} >= 0 && {greatest} <= (long)({last})))"
    return text, f"the numbers in '{found[1]}' are from 0 to {last.replace('(long)', '')}"


def _words(claim: InOrder | Chunks | Distinct, names: list[str]) -> str:
    """What a claim says of numbers with these names."""
    if isinstance(claim, Distinct):
        return f"no two of the numbers in {names[0]} are equal"
    if isinstance(claim, Chunks):
        none = ", none of them empty" if claim.filled else ""
        return f"the chunks that start at {names[0]}, {names[1]} long, follow one another{none}"
    if names[0] == names[1]:
        return f"the numbers in {names[0]} ascend"
    return f"each of {names[0]} is no less than the one before in {names[1]}"


def guarded(text: str, where: Sequence[Condition], names: EntryNames, otherwise: str = "1") -> str:
    """What is asked only where conditions hold; raises `Unprintable`."""
    conditions = " && ".join(condition_text(condition, names) for condition in where)
    return f"({conditions} ? {text} : {otherwise})" if conditions else text


def numbers_text(place: Place, counter: Counter, names: EntryNames) -> tuple[str, str] | None:
    """Arguments for the numbers that iterations find at a place, by their counter, and their name."""
    places = [at(place, counter, Affine(constant=k)) for k in (0, 1)]
    first, second = map(names.cell, places)
    if first is None or second is None:
        return None
    members = [step for step in place.path if isinstance(step, str)]
    name = names.table(Place(place.symbol, (), place.base)) or place.symbol.name
    apart = _elements_apart(*places)
    stride = f"{apart} * (long)sizeof({first})" if apart is not None else _apart(first, second)
    return f"&{first}, {stride}, {size_of(place.ctype)}", ".".join([name, *members[-1:]])


def size_of(ctype: CType) -> int:
    """The bytes of a number as the functions of `species.row_tests` take them: less than 0, if unsigned."""
    return ctype.bits // 8 * (-1 if ctype.unsigned and ctype.bits < 64 else 1)


def _elements_apart(one: Place, other: Place) -> int | None:
    """How many elements two cells of one array are apart, if that is a number but 1."""
    steps = (*one.path, *other.path)
    if len(steps) != 2 or one.byte is not None or one.flat is not None or one.base != other.base:
        return None
    first, second = steps
    apart = second - first if isinstance(first, Affine) and isinstance(second, Affine) else None
    return apart.constant if apart is not None and apart.is_constant and apart.constant != 1 else None


def _apart(first: str, second: str) -> str:
    """How many bytes two cells are apart, in C."""
    one, other = _ELEMENT.fullmatch(first), _ELEMENT.fullmatch(second)
    if one and other and one[1] == other[1] and int(other[2]) == int(one[2]) + 1:
        return f"(long)sizeof(*{one[1]})"
    return f"(long)((const char *)&{second} - (const char *)&{first})"
