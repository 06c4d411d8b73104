"""The text of a reference, from the column that a compiler gives."""

from __future__ import annotations

import pytest

from cuvier.misses.code_lines import CodeLine, CodeLines
from cuvier.misses.expressions import expression_at, name_of
from cuvier.misses.references import Sources, Spot


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


# As readelf prints it, with both ways in which it names files.
TABLE = """
Raw dump of debug contents of section .debug_line:

  Offset:                      0
 The File Name Table (offset 0x44, lines 2, columns 2):
  Entry\tDir\tName
  0\t(udata)\t0\t(line_strp)\t(offset: 0x9): other.c
  1\t(udata)\t0\t(line_strp)\t(offset: 0x9): a.c
 Line Number Statements:
  [0x00000080]  Set column to 5
  [0x00000082]  Extended opcode 2: set Address to 0x401000
  [0x0000008d]  Special opcode 7: advance Address by 0 to 0x401000 and Line by 0 to 1
  [0x0000008e]  Set column to 11
  [0x00000090]  Advance PC by 32 to 0x401020
  [0x00000090]  Special opcode 7: advance Address by 0 to 0x401020 and Line by 2 to 3
  [0x00000092]  Set File Name to entry 0 in the File Name Table
  [0x00000094]  Special opcode 7: advance Address by 16 to 0x401030 and Line by 4 to 7
"""


def test_places_in_code_have_lines_and_columns() -> None:
    code = CodeLines(TABLE)
    assert code.at(0x400FFF) is None
    assert code.at(0x40101F) == CodeLine("a.c", 1, 5)
    assert code.at(0x401020) == CodeLine("a.c", 3, 11)
    assert code.at(0x401044) == CodeLine("other.c", 7, 11)


def test_a_store_that_was_moved_behind_its_loop_has_its_text() -> None:
    text = "for (;;)\n  other();\n  for (k;;)\n    y[i] += a[k];\n"
    [spot, elsewhere] = Sources("a.c", text).spots(CodeLines(TABLE), [0x401020, 0x401030])
    assert spot == Spot(4, "y[i]")
    assert elsewhere == Spot(0, "")
