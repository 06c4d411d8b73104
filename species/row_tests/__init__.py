"""The functions, in C, that test rows and numbers at run time.

Do rows overlap, which pointers lead to, or data bounds?  Are the numbers distinct that choose cells, and from
where to where do they lead?

Of tables in order, as allocations mostly leave them, neighbours tell.  Where a function may allocate, others
are sorted; those that it finds no memory for count as overlapping.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from species.facts.loops import (
    CHUNKS,
    DISTINCT,
    GREATEST,
    IN_ORDER,
    LEAST,
    MEMBERS_APART,
    PLANES_APART,
    ROWS_APART,
)

_ROWS = {ROWS_APART: "apart.c", PLANES_APART: "planes.c", MEMBERS_APART: "members.c"}
_NUMBERS = {IN_ORDER: "in_order.c", CHUNKS: "chunks.c", DISTINCT: "distinct.c"}
_NUMBERS |= {LEAST: "least.c", GREATEST: "greatest.c"}
_FUNCTIONS = _ROWS | _NUMBERS
NAMES = tuple(_FUNCTIONS)
# Arguments of each of two tables, and which of them are the last row's number, or the last plane's and row's.
ARGUMENTS = {ROWS_APART: 6, PLANES_APART: 8, MEMBERS_APART: 11}
_LAST = {ROWS_APART: (2,), PLANES_APART: (2, 4), MEMBERS_APART: (7,), IN_ORDER: (7,)}
_LAST |= {CHUNKS: (6,), DISTINCT: (3,), LEAST: (6,), GREATEST: (6,)}
_ARRAY = re.compile(r"&(\w+)\[\d+\]")  # from its cell of some number on
_DEEPER = {"(": 1, "[": 1, ")": -1, "]": -1}


def called_in(text: str) -> tuple[str, ...]:
    """Those of the functions that a text calls."""
    return tuple(name for name in _FUNCTIONS if f"{name}(" in text)


def last_rows(text: str) -> Iterator[str]:
    """The numbers of the last rows of the tables, as C, in the calls in a text, or how many numbers are."""
    for call in calls(text):
        for table in (0, ARGUMENTS[call.name]) if call.name in ARGUMENTS else (0,):
            yield from (call.arguments[table + place] for place in _LAST[call.name])


class Call(NamedTuple):
    """A call of one of the functions in a text, from `start` to `end` (exclusive); its arguments, in C."""

    name: str
    arguments: tuple[str, ...]
    start: int
    end: int


def calls(text: str) -> Iterator[Call]:
    """The calls of the functions in a text, outermost ones (none is an argument of another)."""
    for call in re.finditer(rf"\b({'|'.join(NAMES)})\(", text):
        arguments = _arguments(text[call.end() :])
        end = call.end() + len(",".join(arguments)) + 1
        yield Call(call[1], tuple(arguments), call.start(), end)


def without_number_tests(text: str, known: Container[str]) -> tuple[str, list[str]]:
    """A text without the tests of numbers in arrays that are all `known`, and the names of these."""
    rest, names, at = list[str](), list[str](), 0
    for call in calls(text):
        arrays = [_ARRAY.fullmatch(each.strip()) for each in call.arguments if "&" in each]
        found = [each[1] for each in arrays if each is not None and each[1] in known]
        if call.name in _NUMBERS and len(found) == len(arrays):
            names += found
            rest += [text[at : call.start], *(each for each in call.arguments if "&" not in each)]
            at = call.end
    return " ".join([*rest, text[at:]]), names


def _arguments(text: str) -> list[str]:
    """Those of a call, from behind its parenthesis on."""
    found, depth = [""], 0
    for character in text:
        depth += _DEEPER.get(character, 0)
        if depth < 0:
            break
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return found


@cache
def functions(names: tuple[str, ...], *, sorting: bool) -> str:
    """The functions of these names, with what they call."""
    tested = "sorting.c" if sorting else "plain.c"
    rows = ("order.c", tested, "rows.c") if any(name in _ROWS for name in names) else ()
    numbers = ("numbers.c",) if any(name in _NUMBERS for name in names) else ()
    extreme = ("extreme.c",) if LEAST in names or GREATEST in names else ()
    parts = (*rows, *numbers, *extreme, *(_FUNCTIONS[name] for name in names))
    return "".join(files(__package__).joinpath(part).read_text(encoding="utf-8") for part in parts)
