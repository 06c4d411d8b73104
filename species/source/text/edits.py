"""Text edits: the only way in which Cuvier changes a user's file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from species.core.positions import Span


@dataclass(frozen=True, order=True)
class Edit:
    """Put `replacement` where `span` is; an empty span inserts."""

    span: Span
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all edits made; insertions at one place keep the order in which they are given.

    Raises ValueError where two edits overlap or one lies outside the text.
    """
    pieces, done = [], 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        start, end = edit.span.start, edit.span.end
        if not done <= start <= end <= len(text):
            raise ValueError(f"edit at [{start}, {end}) overlaps another or lies outside the text")
        pieces += [text[done:start], edit.replacement]
        done = end
    return "".join([*pieces, text[done:]])
