"""The function that tests whether rows overlap, where a file's pragmas call it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files

from species.annotate.layout import Layout
from species.annotate.markers import in_stripped, marked_lines, our_lines, strip
from species.facts import ROWS_APART
from species.positions import Span
from species.source import Edit, TranslationUnit
from species.source.tokens import code_tokens

Declaration = Callable[[int], int | None]  # where the external declaration begins that holds an offset


@cache
def helper() -> str:
    """The function, and those that it calls, as C."""
    return files(__package__).joinpath("rows.c").read_text(encoding="utf-8")


def nowhere(_: int) -> int | None:
    """No function may be put into the file."""
    return None


def room(unit: TranslationUnit) -> Declaration:
    """Where external declarations of a file begin; nowhere, where the function would mean something else."""
    own = {token.text for token in code_tokens(helper())}
    names = {token.text for token in code_tokens(strip(unit.source.text))}
    taken = own.intersection(unit.macros.users) or ROWS_APART in names
    return nowhere if taken else lambda offset: unit.declaration_start(offset, nearest=True)


def with_helper(layout: Layout, text: str, first: int, declaration: Declaration) -> Edit | None:
    """The function before the declaration that holds `first`, an offset of `text`, and its comment; None: it
    has no room there.
    """
    start = declaration(first)
    if start is None:
        return None
    ours = our_lines(text)
    point = layout.above(in_stripped(Span(start, start), ours).start)
    if point.split:
        return None
    newline = layout.newline(Span(point.offset, point.offset))
    return Edit(Span(point.offset, point.offset), marked_lines(helper(), newline))
