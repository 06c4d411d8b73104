"""species/pages/: every code has its page, its example shows the code, and what helps does help."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from species import analyse
from species.core.reasons import REASONS, page_of
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import facts_of, loops_of
from tests.support.marked_c import BLOCK, check_blocks, marks
from tests.support.places import ROOT

INDEX = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
SECTIONS = ("Issue", "Example", "What would fix it", "If you know better")


def sections(code: str) -> dict[str, str]:
    """The parts of a code's page, by their headings."""
    text = page_of(code)
    title, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    assert title.strip() == f"# {code}: {REASONS[code]}"
    return dict(part.split("\n", 1) for part in parts)


def codes_in(text: str) -> set[str]:
    """The codes that marks and sessions of a part show."""
    blocks = BLOCK.findall(text)
    marked = {mark.code for kind, content in blocks if kind == "c" for mark in marks(content) if mark.code}
    return marked | {code for kind, content in blocks if kind == "console" for code in _CODE.findall(content)}


_CODE = re.compile(r"(?<![/\w])CV\d{3}(?![.\w])")


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {path.stem for path in (ROOT / "species" / "pages").iterdir()} == set(REASONS)


def test_the_index_lists_every_code() -> None:
    rows = re.findall(r"^\| \[(CV\d{3})\]\((\S+)\) \| (.*?) \|$", INDEX, re.MULTILINE)
    assert rows == [(code, f"../species/pages/{code}.md", REASONS[code]) for code in sorted(REASONS)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("code", sorted(REASONS))
def test_page(code: str, tmp_path: Path) -> None:
    parts = sections(code)
    assert tuple(parts) == SECTIONS
    for text in parts.values():
        check_blocks(text, tmp_path)
    assert code in codes_in(parts["Example"])
    assert code not in codes_in(parts["What would fix it"])


MESSAGES = {
    """double a[100];
    void f(void) { for (int i = 0; i < 98; i++) {
        a[i + 2] = 1;
        a[i + 3] += a[i]; } }""": (
        "'a[i + 2]' written in line 3 is read as 'a[i]' in line 4 by a later iteration (distance 2 in i)"
    ),
    """double a[100];
    void f(void) { for (int i = 0; i < 50; i++) {
        a[2 * i] = 1;
        a[2 * i + 1] = a[i]; } }""": (
        "'a[2 * i]' written in line 3 is read as 'a[i]' in line 4 by a later iteration"
        " (at varying distances in i)"
    ),
    """double a[100];
    void f(void) { for (int i = 0; i < 99; i++) a[i] = a[i + 1]; }""": (
        "'a[i + 1]' is read, and written as 'a[i]' by a later iteration (distance 1 in i)"
    ),
    """double a[100];
    void f(int *p) { for (int i = 0; i < 99; i++)
        a[p[p[i]]] = 1; }""": "'a[p[p[i]]]' is written, and may be written again by a later iteration",
    """double last, a[100];
    void f(void) { for (int i = 0; i < 99; i++) {
        a[i] += last;
        last = a[i]; } }""": "'last' written in line 4 is read in line 3 by a later iteration",
    """double s, a[100];
    void f(void) { for (int i = 0; i < 99; i++) {
        s += a[i];
        a[i] = s; } }""": "'s' is accumulated in line 3, but also used otherwise in line 4",
    """double s, a[100];
    void f(void) { for (int i = 0; i < 99; i++) {
        s += a[i];
        s *= 2; } }""": "'s' is combined with '+' in line 3 and with '*' in line 4",
    """void f(double *p, double *q, int *at) { for (int i = 0; i < 99; i++) {
        double t = q[at[at[i]]];
        p[i] = t; } }""": "'q[at[at[i]]]' in line 2 and 'p[i]' in line 3 may be the same memory",
    """void f(double ****p) { for (int i = 0; i < 99; i++) p[i][0][0][0] = 1; }""": (
        "'p[i][0][0][0]' may be the same memory in different iterations"
    ),
}


@pytest.mark.parametrize(("text", "message"), MESSAGES.items(), ids=MESSAGES.values())
def test_message(text: str, message: str) -> None:
    (loop,) = loops_of(text)
    assert message in [reason.message for reason in loop.reasons]


def test_a_message_names_another_file(tmp_path: Path) -> None:
    (tmp_path / "walk.h").write_text("static double before(int i) {\n  return a[i - 1];\n}\n")
    (tmp_path / "a.c").write_text(
        "double a[99];\n"
        '#include "walk.h"\n'
        "void f(void) {\n"
        "  for (int i = 1; i < 99; i++)\n"
        "    a[i] = before(i);\n"
        "}\n"
    )
    unit = read_translation_unit(str(tmp_path / "a.c"), PreprocessOptions())
    (loop,) = analyse(unit).loops
    assert [reason.message for reason in loop.reasons] == [
        "'a[i]' written in line 5 is read as 'a[i - 1]' in line 2 of walk.h by a later iteration"
        " (distance 1 in i)"
    ]


ACCUMULATED = """double s, a[100];
void f(void) {
  #pragma species kernel assume a[0:99]|element -> s[0:0]|shared(+)
  for (int i = 0; i < 100; i++) { s += a[i]; if (s > 9) a[i] = 0; }
}"""


def test_an_author_cannot_say_that_nothing_is_accumulated() -> None:
    facts = facts_of(ACCUMULATED)
    assert "'s' is accumulated" in facts.diagnostics[0].message
    assert facts.loops[0].verdict is Verdict.SERIAL


SHARED = """int found, a[100];
void f(int wanted) {
  #pragma species kernel assume a[0:99]|element -> void
  for (int i = 0; i < 100; i++) if (a[i] == wanted) found = i;
}"""


def test_what_an_author_vouches_for_stays_on_the_host_where_iterations_share_a_variable() -> None:
    (loop,) = loops_of(SHARED)
    assert loop.verdict is Verdict.PARALLEL
    assert loop.kernel is not None
    assert [o.message for o in loop.kernel.obstacles] == ["the iterations share 'found', and assign it"]
