"""The text of a reference, from the column that a compiler gives."""

from __future__ import annotations

import pytest

from cuvier.misses.expressions import expression_at, name_of
from cuvier.misses.references import Sources


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        ("  a[i][j] = b[i][j - 1];", 23, "b[i][j - 1]"),  # its last bracket
        ("  a[i][j] = b[i][j - 1];", 11, "a[i][j]"),  # the assignment
        ("  C[i][j] += x;", 11, "C[i][j]"),
        ("  y = b[at[i]];", 14, "b[at[i]]"),
        ("  y = b[at[i]];", 9, "at[i]"),
        ("  y = b[at[i]];", 8, "b[at[i]]"),  # its first one
        ("  y = p->cell[i].x;", 7, "p->cell[i].x"),
        ("  p->cell[i] = 0;", 14, "p->cell[i]"),
        ("  sum = *p;", 9, "*p"),
        ("  n++;", 4, "n"),
        ("  for (;;) {", 12, None),
        ("short", 99, None),
    ],
)
def test_expressions(line: str, column: int, expected: str | None) -> None:
    assert expression_at(line, column) == expected


def test_the_name_of_an_array() -> None:
    assert [name_of(text) for text in ("b[at[i]]", "*p", "p->cell[i]", "")] == ["b", "p", "p", ""]


def test_the_line_of_a_reference_in_the_users_file() -> None:
    text = "for (;;) {\n  x = a[ i ];\n  a[i] -= 1;\n  if (a[i] == 2)\n    a[i]++;\n}\n"
    sources = Sources("a.c", text)
    assert sources.line_of("a[i]", 1, write=False) == 2
    assert sources.line_of("a[i]", 1, write=True) == 3
    assert sources.line_of("a[i]", 4, write=True) == 5
    assert sources.line_of("b[i]", 1, write=True) == 0
