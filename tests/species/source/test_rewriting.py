"""Texts made of other texts by edits, one after the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from species.core.positions import Span
from species.source.text.edits import Edit, apply_edits
from species.source.text.rewriting import Rewriting


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9), st.text("xyz", max_size=9)), max_size=6))
def test_edits_of_edits(changes: list[tuple[int, int, str]]) -> None:
    """Made one after the other on the new text, edits give what they give one by one."""
    text = original = "abcdefghijklmnopqrstuvwABCDEFG"
    found = Rewriting(original)
    for start, length, replacement in changes:
        start = min(start, len(text) - 1)
        if not text:
            break
        edit = Edit(Span(start, min(len(text), start + length)), replacement)
        text, found = apply_edits(text, [edit]), found.also([edit])
        assert found.text == text
        assert found.original == original
        for offset, character in enumerate(text):
            if found.edit_at(offset) is None:
                assert original[found.origin(offset)] == character


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9), st.text("xyz", max_size=9)), max_size=3),
    st.sets(st.integers(0, 25), min_size=2, max_size=6),
)
def test_edits_made_together(changes: list[tuple[int, int, str]], ends: set[int]) -> None:
    """Several edits of a new text may touch the same old one."""
    text = original = "abcdefghijklmnopqrstuvwABCDEFG"
    found = Rewriting(original)
    for start, length, replacement in changes:
        if start < len(text):
            edit = Edit(Span(start, min(len(text), start + length)), replacement)
            text, found = apply_edits(text, [edit]), found.also([edit])
    pairs = zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False)
    together = [Edit(Span(start, end), "-") for start, end in pairs if end <= len(text)]
    assert found.also(together).text == apply_edits(text, together)
