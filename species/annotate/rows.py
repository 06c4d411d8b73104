"""The functions that test whether rows overlap, where a file's pragmas call them."""

from __future__ import annotations

from collections.abc import Callable

from species.annotate.layout import Layout
from species.annotate.markers import in_stripped, marked_lines, our_lines, row_lines, strip
from species.facts import PLANES_APART, ROWS_APART
from species.positions import Span
from species.row_tests import called_in, functions
from species.source import Edit, TranslationUnit
from species.source.tokens import code_tokens

_OURS = "cuvier_"
Declaration = Callable[[int], int | None]  # where the external declaration begins that holds an offset


def nowhere(_: int) -> int | None:
    """No function may be put into the file."""
    return None


def are_known(text: str) -> bool:
    """Are the functions of ours in an annotated text what `annotate` puts into one, if there are any?"""
    found = "".join(f"{line}\n" for line in row_lines(text))
    names = (ROWS_APART, PLANES_APART)
    known = (functions(each, sorting=False) for each in (names, names[:1], names[1:]))
    return not found or found in known


def room(unit: TranslationUnit) -> Declaration:
    """Where external declarations of a file begin; nowhere, where functions would mean something else."""
    own = {token.text for token in code_tokens(functions((ROWS_APART, PLANES_APART), sorting=False))}
    names = {token.text for token in code_tokens(strip(unit.source.text))}
    taken = own.intersection(unit.macros.users) or any(name.startswith(_OURS) for name in own & names)
    return nowhere if taken else lambda offset: unit.declaration_start(offset, nearest=True)


def with_functions(
    layout: Layout, text: str, calling: dict[int, str], declaration: Declaration
) -> Edit | None:
    """The functions that some pragmas call, before the declaration (and its comment) that holds the first of
    their offsets in `text`; None: there is no room.
    """
    start = declaration(min(calling))
    if start is None:
        return None
    point = layout.above(in_stripped(Span(start, start), our_lines(text)).start)
    if point.split:
        return None
    at = Span(point.offset, point.offset)
    code = functions(called_in("\n".join(calling.values())), sorting=False)
    return Edit(at, marked_lines(code, layout.newline(at)))
