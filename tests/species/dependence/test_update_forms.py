"""Reductions in unusual spellings, and a library's tables that no write can change."""

from __future__ import annotations

import pytest

from species.facts.loops import LoopFacts, Verdict
from tests.support.analysing import loops_of

FORMS = {
    "two sums in one statement": ("s += x[i], t += x[i] * y[i];", {"s": "+", "t": "+"}),
    "a maximum, not at most": ("if (!(x[i] <= s)) s = x[i];", {"s": "max"}),
    "a minimum, not at least": ("if (!(x[i] >= s)) s = x[i];", {"s": "min"}),
    "a choice": ("s = !(x[i] < s) ? s : x[i];", {"s": "min"}),
    "a place": ("if (!(x[i] <= s)) { s = x[i]; k = i; }", {"s": "argmax"}),
}
KEEPS = {"if (!(x[i] <= s)) { s = x[i]; k = i; }": "first", "if (!(x[i] < s)) { s = x[i]; k = i; }": "last"}
OTHERS = {
    "a sum that the next one reads": "s += x[i], t += s;",
    "a value that is not compared": "if (!(x[i] <= s)) s = y[i];",
    "not and": "if (!(x[i] <= s && y[i])) s = x[i];",
}
HEAD = "double f(int n, const double *x, const double *y) { double s = 0, t = 0; int k = 0;"


def loop(body: str) -> LoopFacts:
    text = f"{HEAD} for (int i = 0; i < n; i++) {{ {body} }} return s + t + k; }}"
    return loops_of(text)[0]


@pytest.mark.parametrize("name", FORMS)
def test_is_a_reduction(name: str) -> None:
    body, expected = FORMS[name]
    found = loop(body)
    assert found.verdict is Verdict.PARALLEL, found.reasons
    assert {r.variable: r.operator for r in found.reductions} == expected


@pytest.mark.parametrize("body", KEEPS)
def test_which_of_equals_is_kept(body: str) -> None:
    assert loop(body).reductions[0].keeps == KEEPS[body]


@pytest.mark.parametrize("name", OTHERS)
def test_is_none(name: str) -> None:
    assert loop(OTHERS[name]).verdict is Verdict.SERIAL


def test_tables_of_character_classes_are_constant() -> None:
    text = """#include <ctype.h>
        void f(int n, char *s) { for (int i = 0; i < n; i++) if (isupper(s[i])) s[i] = tolower(s[i]) + 1; }"""
    assert loops_of(text)[0].verdict is Verdict.PARALLEL
