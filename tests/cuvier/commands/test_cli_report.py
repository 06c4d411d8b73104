"""The terminal report and `explain`, from facts written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from cuvier.base.console import excerpt
from cuvier.base.errors import UserError
from cuvier.document.json import Known, document_of, unit_json
from cuvier.document.model import Report, summary
from cuvier.document.words import enumerated, own_iterator
from cuvier.report.explain import explain, loops_at
from cuvier.report.text import print_report
from cuvier.report.view import View
from models.machine import DEFAULT
from species.core.positions import LoopSpans, Position, Span
from species.facts.loops import UnitFacts
from tests.support.cli_facts import COUNTDOWN, FAILED, FILE, OK, PARALLEL, PARTIAL, SERIAL, TEXT


def rendered(width: int = 140, units: Sequence[UnitFacts] = (OK, PARTIAL, FAILED), **wishes: Any) -> str:
    stream = StringIO()
    documents = [unit_json(unit, Known({FILE: TEXT}, {}, {})) for unit in units]
    view = View(Report(document_of(documents)), DEFAULT, **wishes)
    print_report(view, Console(file=stream, width=width))
    return stream.getvalue()


def rows(text: str) -> list[list[str]]:
    return [line.strip("│├└─ ").split() for line in text.splitlines()]


def test_each_loop_stands_below_its_function_with_its_species_or_the_reason() -> None:
    tree = rows(rendered())
    at = tree.index(["f"])
    assert tree[at - 1] == ["app.c"]
    assert tree[at + 1] == ["3", "for", "i", "conditional", "doall"]
    assert tree[at + 2][0] == "a[0:n-1]|element"
    serial = tree.index(["5", "for", "i", "serial", "doacross-regular"])
    assert " ".join(tree[serial + 1]) == "CV201 line 6: a[i - 1] reads what a[i] wrote"


def test_inner_loops_stand_inside_of_outer_ones() -> None:
    inner = replace(SERIAL, id="f/2.1", parent="f/2", depth=1)
    text = rendered(units=[replace(OK, loops=(SERIAL, inner))])
    outer, below = (line.index("5  for") for line in text.splitlines() if "5  for" in line)
    assert below > outer


def test_conditions_and_reductions_are_shown() -> None:
    text = rendered()
    assert "if 'a' and 'b' do not overlap" in text and "a + n <= b" not in text
    assert "reduction(max: m)" in text
    assert "(over-approximated)" in text


def test_a_narrow_terminal_loses_nothing() -> None:
    lines = rendered(40).splitlines()[:-1]
    assert max(map(len, lines)) <= 40
    text = "".join(line.strip("│├└─ ") for line in lines).replace(" ", "")
    assert "a[0:n-1]|element->b[0:n-1]|element" in text


def test_long_reasons_are_shortened_at_a_word() -> None:
    reason = replace(SERIAL.reasons[0], message="word " * 60)
    assert "word word…" in rendered(300, [replace(OK, loops=(replace(SERIAL, reasons=(reason,)),))])


def test_the_loops_that_matter_are_listed_on_demand() -> None:
    assert "Where the time is" not in rendered()
    text = rendered(top=1)
    assert "Where the time is (estimated" in text
    assert "2 more loops; --top N shows N of them" in text


def test_the_summary_says_what_was_not_analysed() -> None:
    assert summary([unit_json(unit) for unit in (OK, PARTIAL, FAILED)]) == (
        "3 loops in 2 files: 1 conditional, 1 serial, 1 unknown. Not analysed: c.c."
        " Analysed in part, loops of the rest are not counted: b.c."
    )
    assert summary([unit_json(replace(OK, loops=(SERIAL,)))]) == "1 loop in 1 file: 1 serial."
    many = [unit_json(replace(FAILED, file=f"{n}.c")) for n in range(12)]
    assert summary(many).endswith(
        "Not analysed: 0.c, 1.c, 2.c, 3.c, 4.c, 5.c, 6.c, 7.c, 8.c, 9.c and 2 more."
    )


def test_brackets_in_names_are_no_markup() -> None:
    assert "[red]x.c" in rendered(units=[replace(OK, file="[red]x.c")])


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
        "  'a' and 'b' do not overlap\n",
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
