"""The lines that Cuvier puts into a file, and their exact removal.

Every line of ours carries the word `cuvier`, so that lines that a user wrote are never taken for ours:

    #pragma species kernel A[0:N-1]|element -> void /* cuvier */
    /* cuvier: endkernel main_k1 */

    static int cuvier_rows_order(const void *table, long first, long last) /* cuvier: rows */

Where such a line had to break a line of the user's in two (`x = 1; for (...)`), it says `cuvier, line
split`: then the newline before it is ours too.
"""

from __future__ import annotations

import re

from species.core.positions import Span

_SPLIT = ", line split"
ROWS, CONDITION = "rows", "condition"  # functions of ours: what they are for
_PRAGMA = r"\#pragma\ (?:species|omp)\ [^\n]*/\*\ cuvier"
_WORDS = r":\ (?:end)?kernel\ (?:(?!\*/)[^\n])*\*/"
_OURS = re.compile(
    rf"""
     (\r?\n)[^\S\n]*(?:{_PRAGMA},\ line\ split\ \*/|/\*\ cuvier,\ line\ split{_WORDS})\1
    |^[^\S\n]*(?:{_PRAGMA}\ \*/|/\*\ cuvier{_WORDS})\r?\n
    |^[^\n]*/\*\ cuvier:\ (?:{ROWS}|{CONDITION})\ \*/\r?\n
    """,
    re.MULTILINE | re.VERBOSE,
)


def marked_line(words: str, split: bool) -> str:
    """Our line for a pragma (`#pragma omp ...`) or for the words of a comment, without its newline."""
    mark = "cuvier" + _SPLIT * split
    return f"{words} /* {mark} */" if words.startswith("#") else f"/* {mark}: {words} */"


def marked_lines(code: str, what: str, newline: str) -> str:
    """Lines of functions of ours, for a file whose lines end so."""
    return "".join(f"{line} /* cuvier: {what} */{newline}" for line in code.splitlines())


def unmarked(text: str, what: str) -> str:
    """The lines of functions of ours in a text, without their marks."""
    mark = f" /* cuvier: {what} */"
    return "".join(f"{line.removesuffix(mark)}\n" for line in text.splitlines() if line.endswith(mark))


def strip(text: str) -> str:
    """`text` without the lines that `annotate` put in: the user's characters again, every one."""
    return _OURS.sub("", text)


def mask(text: str) -> str:
    """`text` with blanks in the place of our lines: every offset, line and column stays what it is.

    This is what the analysis is to see of a file that may be annotated already.
    """
    return _OURS.sub(lambda ours: re.sub(r"[^\r\n]", " ", ours[0]), text)


def our_lines(text: str) -> tuple[Span, ...]:
    """What `strip` takes away."""
    return tuple(Span(*ours.span()) for ours in _OURS.finditer(text))


def in_stripped(span: Span, ours: tuple[Span, ...]) -> Span:
    """Where `span` of a text lies in the stripped text, `ours` being the text's `our_lines`."""
    return Span(_moved(span.start, ours), _moved(span.end, ours))


def _moved(offset: int, ours: tuple[Span, ...]) -> int:
    return offset - sum(line.end - line.start for line in ours if line.end <= offset)
