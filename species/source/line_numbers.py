"""Files that look at the numbers of their lines: what is changed in them must change no number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from species.core.positions import Span
from species.source.places import all_names
from species.source.text.edits import Edit
from species.source.text.files import SourceFile
from species.source.text.rewriting import Rewriting
from species.source.text.tokens import tokenize

if TYPE_CHECKING:
    from species.source import TranslationUnit

_RENUMBERS = re.compile(r"(?:#|%:)\s*(?:line\b|\d)")
_BLANKS = re.compile(r"[ \t]*\Z")


def looks_at_lines(unit: TranslationUnit) -> bool:
    """Does the file use `__LINE__`, itself or in a macro, without numbers of its own?"""
    tokens = tokenize(unit.source.text)
    if any(token.kind == "directive" and _RENUMBERS.match(token.text) for token in tokens):
        return False
    return "__LINE__" in all_names(unit, tokens)


class Numbers:
    """The lines of the user's file, of which `rewritings` made the text to be edited, the last one first."""

    def __init__(self, source: SourceFile, rewritings: Sequence[Rewriting] = ()) -> None:
        self._source, self._rewritings = source, rewritings
        original = rewritings[-1].original if rewritings else source.text
        self._original = SourceFile(source.path, original.encode("utf-8", "surrogateescape"))

    def kept(self, edits: Sequence[Edit]) -> Iterator[Edit]:
        """The edits, with a `#line` wherever numbers would change: directives are allowed where edits end."""
        ends = self._ends()
        for edit in edits:
            old = edit.span.of(self._source.text)
            first, last = (self._line(offset) for offset in (edit.span.start, edit.span.end))
            before, kept, after = edit.replacement.partition(old) if old else ("", "", edit.replacement)
            if kept:
                text = _numbered(before, 0, first) + kept + _numbered(after, 0, last)
            else:
                text = _numbered(edit.replacement, old.count("\n"), last)
                ends -= {edit.span.end} if text != edit.replacement else set()
            yield Edit(edit.span, text)
        for end in ends:
            if not any(edit.span.start < end < edit.span.end for edit in edits):
                yield Edit(Span(end, end), f"\n#line {self._line(end)}\n")

    def _line(self, offset: int) -> int:
        for rewriting in self._rewritings:
            offset = rewriting.origin(offset)
        return self._original.position(offset).line

    def _ends(self) -> set[int]:
        """Where text that was rewritten ends."""
        found: set[int] = set()
        for rewriting in reversed(self._rewritings):
            found = {new for end in found if (new := rewriting.place(end)) is not None}
            found |= {place.end for place in rewriting.places()}
        return found


def _numbered(text: str, lines: int, number: int) -> str:
    """A text in place of so many lines, with the number of what follows."""
    if text.count("\n") == lines:
        return text
    blanks = _BLANKS.search(text)
    body = text[: blanks.start()] if blanks is not None else text
    return f"{body}{'' if body.endswith(chr(10)) else chr(10)}#line {number}\n{text[len(body) :]}"
