"""Digraphs mean what they stand for, wherever they are."""

from __future__ import annotations

from species.source import tokenize
from tests.support.analysing import loops_of

TEXT = """int A<:100:>, B[100];
void f(void) <% for (int i = 0; i < 100; i++) A<:i:> = i; %>
void g(void) { for (int i = 1; i < 100; i++) <% B<:i:> = A<:i - 1:>; %> }
"""


def test_loops_with_digraphs() -> None:
    found = [str(loop.species) for loop in loops_of(TEXT)]
    assert found == ["void -> A[0:99]|element", "A[0:98]|element -> B[1:99]|element"]


def test_tokens_have_their_places() -> None:
    tokens = tokenize('a<:i:> "<:"')
    assert [(t.text, t.start, t.end) for t in tokens] == [
        ("a", 0, 1),
        ("[", 1, 3),
        ("i", 3, 4),
        ("]", 4, 6),
        ('"<:"', 7, 11),
    ]
