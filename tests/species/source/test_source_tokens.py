"""Tokens, edits and source files: every character is accounted for, whatever the bytes are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from species.core.positions import Position, Span
from species.source import Edit, SourceFile, apply_edits, tokenize

PIECES = [
    "for",
    "x",
    "\\\n",
    "\\",
    "\r\n",
    "\n",
    "#",
    "/*",
    "*/",
    "//",
    '"',
    "'",
    "1.0e-3f",
    "é",
    "\udcff",
    " ",
    "\t",
]


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokenize(text)]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.characters()), max_size=30).map("".join))
def test_tokens_and_white_space_make_up_any_text(text: str) -> None:
    at = 0
    for token in tokenize(text):
        assert token.start >= at
        assert token.text == text[token.start : token.end] != ""
        assert all(c.isspace() or c in "\\\ufeff\0" for c in text[at : token.start])
        at = token.end


def test_kinds_of_tokens() -> None:
    assert kinds("for(i=0x1Fu;s[i]!='\\'';) // for\n/* for */ L\"a\\\"\" 1.e-3f .5 a->b ... <<= $x") == [
        *(("keyword", "for"), ("punctuation", "("), ("identifier", "i"), ("punctuation", "=")),
        *(("number", "0x1Fu"), ("punctuation", ";"), ("identifier", "s"), ("punctuation", "[")),
        *(("identifier", "i"), ("punctuation", "]"), ("punctuation", "!="), ("char", "'\\''")),
        *(("punctuation", ";"), ("punctuation", ")"), ("comment", "// for"), ("comment", "/* for */")),
        *(("string", 'L"a\\""'), ("number", "1.e-3f"), ("number", ".5"), ("identifier", "a")),
        *(("punctuation", "->"), ("identifier", "b"), ("punctuation", "..."), ("punctuation", "<<=")),
        ("identifier", "$x"),
    ]


def test_a_directive_is_a_whole_logical_line() -> None:
    text = "/* c */ #define A /* x\n y */ 1 \\\n + 2 // for\nint a; # b\r\n#if 0\r\nx"
    assert [t for k, t in kinds(text) if k == "directive"] == [
        "#define A /* x\n y */ 1 \\\n + 2 // for",
        "#if 0",
    ]


def test_a_continued_line_comment_hides_the_next_line() -> None:
    assert kinds("// a \\\nfor\nx") == [("comment", "// a \\\nfor"), ("identifier", "x")]


def test_a_continuation_inside_a_word_keeps_the_word_whole() -> None:
    (token,) = tokenize("fo\\\nr")
    assert token.spelling == "for"


def test_edits_are_applied_together() -> None:
    edits = [Edit(Span(4, 5), "y"), Edit(Span(0, 0), "a"), Edit(Span(0, 0), "b"), Edit(Span(6, 6), "!")]
    assert apply_edits("int x;", edits) == "abint y;!"


@pytest.mark.parametrize("spans", [[Span(0, 3), Span(2, 4)], [Span(5, 9)], [Span(3, 2)]])
def test_overlapping_or_outside_edits_are_refused(spans: list[Span]) -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply_edits("int x;", [Edit(span, "") for span in spans])


@settings(max_examples=50)
@given(st.binary(max_size=60))
def test_any_bytes_come_back_and_every_offset_has_one_position(data: bytes) -> None:
    file = SourceFile("f.c", data)
    assert file.text.encode("utf-8", "surrogateescape") == data
    for offset in range(len(file.text) + 1):
        position = file.position(offset)
        assert file.offset(position.line, position.column) == offset


def test_lines_and_columns_of_a_source_file() -> None:
    file = SourceFile("f.c", b"int a;\r\n\tx\xe9;\nlast")
    assert file.line_count == 3
    assert [file.line_text(n) for n in (0, 1, 2, 3, 4)] == ["", "int a;", "\tx\udce9;", "last", ""]
    assert file.position(file.text.index(";\nlast")) == Position("f.c", 2, 4)
    assert file.offset(1, 99) == file.text.index("\n")
    assert SourceFile("f.c", b"a\n").line_count == 1
    assert SourceFile("f.c", b"").line_count == 0


def test_null_characters_are_white_space() -> None:
    assert [t.text for t in tokenize("int\0a;\0")] == ["int", "a", ";"]
