"""A text that was made of another one by edits, and where its parts come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from species.positions import Span
from species.source.edits import Edit, apply_edits


@dataclass(frozen=True)
class Rewriting:
    """`original` with `edits` (in order, and apart from one another) made."""

    original: str
    edits: tuple[Edit, ...] = ()

    @cached_property
    def text(self) -> str:
        """The new text."""
        return apply_edits(self.original, self.edits)

    def edit_at(self, offset: int) -> Edit | None:
        """The edit that has put there what stands at an offset of the new text."""
        return self._find(offset)[0]

    def origin(self, offset: int) -> int:
        """Where in the original stands what stands at an offset of the new text; of what an edit has put
        there, where its span begins.
        """
        edit, shift = self._find(offset)
        return edit.span.start if edit is not None else offset - shift

    def also(self, edits: Iterable[Edit]) -> Rewriting:
        """With edits of the new text made as well.  Those that were made are within their spans, or apart."""
        found = [self._in_original(edit) for edit in edits]
        kept = [e for e in self.edits if not any(new.span.holds(e.span) for new in found)]
        return Rewriting(self.original, tuple(sorted([*kept, *found], key=lambda edit: edit.span)))

    def _in_original(self, edit: Edit) -> Edit:
        last, shift = self._find(edit.span.end - 1)
        end = last.span.end if last is not None else edit.span.end - shift
        return Edit(Span(self.origin(edit.span.start), end), edit.replacement)

    def _find(self, offset: int) -> tuple[Edit | None, int]:
        """The edit there, and how much longer the text before has become."""
        shift = 0
        for edit in self.edits:
            start = edit.span.start + shift
            if offset < start:
                break
            if offset < start + len(edit.replacement):
                return edit, shift
            shift += len(edit.replacement) - (edit.span.end - edit.span.start)
        return None, shift
