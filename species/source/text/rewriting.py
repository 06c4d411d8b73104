"""A text that was made of another one by edits, and where its parts come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from species.core.positions import LoopSpans, Span
from species.source.text.edits import Edit, apply_edits


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

    def in_original(self, spans: LoopSpans) -> LoopSpans:
        """Where in the original a loop of the new text stands that no edit has put there."""
        return LoopSpans(*map(self._untouched, (spans.whole, spans.header, spans.body)))

    def _untouched(self, span: Span) -> Span:
        return Span(self.origin(span.start), self.origin(span.end - 1) + 1)

    def places(self) -> Iterator[Span]:
        """Where, in the new text, stands what the edits have put there."""
        shift = 0
        for edit in self.edits:
            start = edit.span.start + shift
            yield Span(start, start + len(edit.replacement))
            shift += len(edit.replacement) - (edit.span.end - edit.span.start)

    def place(self, offset: int) -> int | None:
        """Where in the new text stands what stands at an offset of the original; None: nowhere."""
        shift = 0
        for edit in self.edits:
            if edit.span.start < offset < edit.span.end:
                return None
            if edit.span.end <= offset:
                shift += len(edit.replacement) - (edit.span.end - edit.span.start)
        return offset + shift

    def also(self, edits: Iterable[Edit]) -> Rewriting:
        """With edits of the new text made as well; what these edits leave of others stays."""
        found = [self._in_original(edit) for edit in self._joined(edits)]
        kept = [e for e in self.edits if not any(new.span.holds(e.span) for new in found)]
        return Rewriting(self.original, tuple(sorted([*kept, *found], key=lambda edit: edit.span)))

    def _joined(self, edits: Iterable[Edit]) -> Iterator[Edit]:
        """Edits of the new text, in order; those that touch the same one of the old ones are one."""
        before: Edit | None = None
        for edit in sorted(edits, key=lambda edit: edit.span):
            if before is not None and self._meet(before, edit):
                kept = self.text[before.span.end : edit.span.start]
                span = Span(before.span.start, edit.span.end)
                before = Edit(span, before.replacement + kept + edit.replacement)
                continue
            if before is not None:
                yield before
            before = edit
        if before is not None:
            yield before

    def _meet(self, one: Edit, other: Edit) -> bool:
        last, _ = self._find(one.span.end - 1)
        first, _ = self._find(other.span.start)
        return last is not None and last is first

    def _in_original(self, edit: Edit) -> Edit:
        """An edit of the new text; those that it touches become part of it."""
        start, end = edit.span.start, edit.span.end
        first, before = self._find(start)
        last, behind = self._find(end - 1)
        head = self.text[first.span.start + before : start] if first is not None else ""
        begin = first.span.start if first is not None else start - before
        if last is None:
            return Edit(Span(begin, end - behind), head + edit.replacement)
        tail = self.text[end : last.span.start + behind + len(last.replacement)]
        return Edit(Span(begin, last.span.end), head + edit.replacement + tail)

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
