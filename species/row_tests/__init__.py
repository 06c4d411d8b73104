"""The functions, in C, that test at run time whether rows that pointers lead to overlap.

Of tables in order, as allocations mostly leave them, neighbours tell.  Where a function may allocate, others
are sorted; those that it finds no memory for count as overlapping.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from species.facts import MEMBERS_APART, PLANES_APART, ROWS_APART

_FUNCTIONS = {ROWS_APART: "apart.c", PLANES_APART: "planes.c", MEMBERS_APART: "members.c"}
NAMES = tuple(_FUNCTIONS)


def called_in(text: str) -> tuple[str, ...]:
    """Those of the functions that a text calls."""
    return tuple(name for name in _FUNCTIONS if f"{name}(" in text)


@cache
def functions(names: tuple[str, ...], *, sorting: bool) -> str:
    """The functions of these names, with what they call."""
    tested = "sorting.c" if sorting else "plain.c"
    parts = ("order.c", tested, "rows.c", *(_FUNCTIONS[name] for name in names))
    return "".join(files(__package__).joinpath(part).read_text(encoding="utf-8") for part in parts)
