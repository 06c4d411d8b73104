"""The terminal report and `explain`, from facts written by hand."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from cli_facts import COUNTDOWN, FAILED, OK, PARALLEL, PARTIAL, SERIAL, TEXT
from rich.console import Console

from cuvier.console import excerpt
from cuvier.errors import UserError
from cuvier.explain import explain, loops_at
from cuvier.report.text import print_report, summary
from cuvier.report.words import enumerated, own_iterator
from species.positions import LoopSpans, Position, Span


def rendered(width: int = 140) -> str:
    stream = StringIO()
    print_report([OK, PARTIAL, FAILED], [TEXT, "", ""], Console(file=stream, width=width))
    return stream.getvalue()


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_each_loop_has_a_row_with_its_species_or_the_reason() -> None:
    table = rows(rendered())
    assert ["3", "f", "for", "i", "conditional", "doall", "a[0:n-1]|element"] in [row[:7] for row in table]
    serial = next(row for row in table if row[:1] == ["5"])
    assert serial[3:6] == ["i", "serial", "doacross-regular"]
    assert " ".join(serial[6:]) == "CV201 line 6: a[i - 1] reads what a[i] wrote"


def test_conditions_and_reductions_are_shown() -> None:
    text = rendered()
    assert "if a + n <= b || b + n <= a" in text
    assert "reduction(max: m)" in text
    assert "(over-approximated)" in text


def test_a_narrow_terminal_loses_nothing() -> None:
    lines = rendered(70).splitlines()[:-1]
    assert max(map(len, lines)) <= 70
    column = next(line.index("species") for line in lines if "species" in line)
    assert "a[0:n-1]|element->b[0:n-1]|element" in "".join(line[column:] for line in lines).replace(" ", "")


def test_long_reasons_are_shortened_at_a_word() -> None:
    reason = replace(SERIAL.reasons[0], message="word " * 60)
    unit = replace(OK, loops=(replace(SERIAL, reasons=(reason,)),))
    stream = StringIO()
    print_report([unit], [TEXT], Console(file=stream, width=300))
    assert "word word…" in stream.getvalue()


def test_the_summary_says_what_was_not_analysed() -> None:
    assert summary([OK, PARTIAL, FAILED]) == (
        "3 loops in 2 files: 1 conditional, 1 serial, 1 unknown. Not analysed: c.c."
        " Analysed in part, loops of the rest are not counted: b.c."
    )
    assert summary([replace(OK, loops=(SERIAL,))]) == "1 loop in 1 file: 1 serial."


def test_brackets_in_names_are_no_markup() -> None:
    stream = StringIO()
    print_report([replace(OK, file="[red]x.c")], [TEXT], Console(file=stream, width=140))
    assert "[red]x.c" in stream.getvalue()


@pytest.mark.parametrize(
    ("header", "iterator"),
    [
        ("for (i = 0; i < n; i++)", "i"),
        ("for(unsigned long int k=0;;)", "k"),
        ("for (double *p = a; p < b; p++)", "p"),
        ("for (; i == 0;)", None),
        ("while (i < n)", None),
    ],
)
def test_the_iterator_is_read_from_the_header(header: str, iterator: str | None) -> None:
    whole = Span(0, len(header))
    loop = replace(SERIAL, spans=LoopSpans(whole, whole, whole))
    assert own_iterator(loop, header) == iterator


def test_enumerations() -> None:
    assert [enumerated(list(words)) for words in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]


def text_of(file: str) -> str:
    assert file == "app.c"
    return TEXT


def test_explain_a_parallel_loop() -> None:
    text = explain(PARALLEL, text_of)
    assert text.startswith("app.c:3:5: the for loop over i in f, lines 3 to 4\n")
    for sentence in (
        "It is parallel on condition: its iterations may run in any order where this holds:\n"
        "  a + n <= b || b + n <= a\n",
        "Each iteration reads one element of a[0:n-1].",
        "Each iteration writes one element of b[0:n-1].",
        "What it says of b is over-approximated: it is a test.",
        "Each iteration has t and u of its own.",
        "Each iteration has v of its own, with the value from before the loop.",
        "Each iteration has w of its own, and the last iteration's value is kept.",
        "The iterations combine their results in m with max.",
        "Note: a and b may be the same array [CV401]",
    ):
        assert sentence in text


def test_explain_shows_both_places_of_a_dependence() -> None:
    lines = explain(SERIAL, text_of).splitlines()
    at = lines.index("Why: a[i - 1] reads what a[i] wrote [CV201]")
    assert lines[at + 1 : at + 7] == [
        "  app.c:6:13",
        "     6 |     \ta[i] = a[i - 1];",
        "       |     \t       ^",
        "  app.c:6:6",
        "     6 |     \ta[i] = a[i - 1];",
        "       |     \t^",
    ]


def test_explain_what_is_not_counted() -> None:
    text = explain(COUNTDOWN, text_of)
    assert "the while loop in f" in text
    assert "not decided" in text


def test_a_line_inside_a_loop_names_it() -> None:
    inner = replace(SERIAL, id="f/2.1", depth=1, position=Position("app.c", 6, 6))
    unit = replace(OK, loops=(PARALLEL, SERIAL, inner))
    assert loops_at(unit, 4) == [PARALLEL]
    assert loops_at(unit, 6) == [inner]
    assert loops_at(unit, 5) == [SERIAL]


def test_a_line_without_a_loop_is_an_error_that_lists_the_loops() -> None:
    with pytest.raises(UserError) as caught:
        loops_at(OK, 1)
    assert str(caught.value) == "app.c:1:1: error: no loop on this line; loops start on the lines 3, 5, 7"


def test_excerpts_outside_the_file_are_empty() -> None:
    assert excerpt(Position("app.c", 99, 1), TEXT) == []
    assert excerpt(Position("app.c", 1, 2), "ab\r\n") == ["     1 | ab", "       |  ^"]
