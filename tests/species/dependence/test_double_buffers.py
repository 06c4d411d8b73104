"""Two halves of memory that change places: by parity, by truth values, in arrays, tables of rows and flat.

Each loop is parallel, plainly or on a condition; its sibling's halves are the same one in some of the calls.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

HALVES = {
    "remainders": ("t % 2", "(t + 1) % 2", "(t + 2) % 2"),
    "masks": ("t & 1", "(t + 1) & 1", "(t + 1) & 2"),
    "the complement": ("t & 1", "~t & 1", "~~t & 1"),
    "the bit": ("t", "t ^ 1", "t ^ 0"),
    "a remainder of the next": ("t", "(t + 1) % 2", "(t + 2) % 2"),
    "what is left of one": ("t % 2", "1 - t % 2", "0 + t % 2"),
    "negation": ("t", "!t", "!!t"),
    "a comparison": ("t", "t == 0", "t != 0"),
    "a choice": ("t", "t ? 0 : 1", "t ? 1 : 0"),
    "three of them": ("t % 3", "(t + 2) % 3", "(t + 3) % 3"),
    "a parity's negation": ("t & 1", "!(t & 1)", "!(t & 2)"),
}
LAYOUTS = {
    "array": "float f[3][999]; void g(int t, int n) { for (int i = 1; i < n; i++) f[TO][i] = f[FROM][i - 1]; }",
    "in a loop over time": "float f[3][999]; void g(int n) { for (int t = 0; t < 9; t++) for (int i = 1; i < n; i++) f[TO][i] = f[FROM][i - 1]; }",
    "flat": "void g(float *f, int t, int n) { for (int i = 1; i < n; i++) f[(TO) * n + i] = f[(FROM) * n + i - 1]; }",
    "flat, of two dimensions": "void g(float *f, int t, int n, int m) { for (int j = 0; j < m; j++) for (int i = 1; i < n; i++) f[((TO) * m + j) * n + i] = f[(FROM) * m * n + j * n + i - 1]; }",
    "rows": "void g(float (*f)[99], int t, int n) { for (int j = 1; j < n; j++) for (int i = 1; i < 99; i++) f[(TO) * n + j][i] = f[(FROM) * n + j - 1][i]; }",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("halves", HALVES)
def test_the_other_half_is_apart(halves: str, layout: str) -> None:
    source, target, same = HALVES[halves]
    carrying = 0 if layout == "rows" else -1
    apart, alike = (
        loops_of(LAYOUTS[layout].replace("FROM", source).replace("TO", written))[carrying].verdict
        for written in (target, same)
    )
    assert apart is Verdict.PARALLEL and alike is not Verdict.PARALLEL


@pytest.mark.parametrize("halves", HALVES)
def test_rows_of_a_table_are_compared(halves: str) -> None:
    """`float **f`: the condition names both rows, and is false for a table of one row twice."""
    source, target, _ = HALVES[halves]
    text = f"void g(float **f, int t, int n) {{ for (int i = 1; i < n; i++) f[{target}][i] = f[{source}][i - 1]; }}"
    (loop,) = loops_of(text)
    assert loop.verdict is Verdict.CONDITIONAL and "do not overlap" in loop.condition_words[0]


CONDITIONAL = {
    "rows of another size": (
        "void g(float *f, int t, int n, int m) { for (int i = 1; i < m; i++) f[((t + 1) % 2) * n + i] = f[(t % 2) * n + i - 1]; }",
        "'n' is at least 'm'",
    ),
    "rows of a fixed size": (
        "void g(float *f, int t, int m) { for (int i = 1; i < m; i++) f[((t + 1) & 1) * 4096 + i] = f[(t & 1) * 4096 + i - 1]; }",
        "'m' is at most 4096",
    ),
    "pointers to halves": (
        "void g(float f[2][4096], int t, int m) { float *a = f[t & 1], *b = f[(t + 1) & 1]; for (int i = 1; i < m; i++) b[i] = a[i - 1]; }",
        "'m' is at most 4096",
    ),
    "a distance that is far": (
        "void g(float *f, int n) { for (int i = 5000; i < n; i++) f[i] = f[i - 5000]; }",
        "'n' is at most 10000",
    ),
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_apart_on_a_condition(name: str) -> None:
    text, words = CONDITIONAL[name]
    assert loops_of(text)[0].condition_words == (words,)
