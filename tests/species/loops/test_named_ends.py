"""Ends of loops have the names that the source has for the same numbers, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nests.compared import compiled, printed

HEAD = """#include <stdio.h>
#define N 24
#define M (N)
#define LESS N - 2
#define SHIFTED 1 << 4
static double A[40][40], B[40][40], x[40];
static int I[40];
"""
SAME = {
    "a guard": "for (int i = 0; i < N; i++) { if (i < 3) I[i] = 1; x[i] = A[i][i]; }",
    "a guard below": "for (int i = 0; i < N; i++) { if (i > 3) I[i] = 1; x[i] = A[i][i]; }",
    "a step": """for (int i = 0; i < N; i += 2) x[i] = i;
        for (int i = 0; i < N - 1; i++) {
            for (int j = 0; j < N; j++) B[j][i] = A[i][j] + x[i];
            x[i + 1] = 5; }
        for (int i = 0; i < N - 1; i++) for (int j = 0; j < N; j++) A[j][i] += 1;""",
    "an inner loop ends earlier": """for (int i = 0; i < N; i++) {
        for (int j = i + 2; j < 20; j++) A[j][i] = i;
        x[i] = 4; B[i][3] = x[i]; }""",
    "another loop of the name": """for (int i = 0; i < N; i++) { if (i < 7) I[i] = 1; x[i] = A[i][i]; }
        for (int i = 0; i < 7; i++) for (int j = 0; j < N; j++) B[j][i] += A[j][i];""",
    "macros without parentheses": """for (int i = 0; i < SHIFTED; i++) {
        for (int j = 0; j < N; j++) { if (j < i + 3) A[j][i] = i; }
        for (int j = 0; j <= LESS; j++) B[j][i] = A[j][i]; }""",
}
FILL = """static void fill(void) { for (int i = 0; i < 40; i++) { x[i] = I[i] = i;
    for (int j = 0; j < 40; j++) { A[i][j] = i * 3 + j; B[i][j] = i - j; } } }
static double sum(void) { double s = 0; for (int i = 0; i < 40; i++) { s = s * 0.5 + x[i] + I[i];
    for (int j = 0; j < 40; j++) s += A[i][j] * (i + 1) + B[i][j] * (j + 2); } return s; }
int main(void) { fill(); nests(); printf("%.17g\\n", sum()); return 0; }
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SAME)
def test_results_are_the_same(name: str, tmp_path: Path) -> None:
    text = f"{HEAD}static void nests(void)\n{{\n{SAME[name]}\n}}\n{FILL}"
    assert printed(compiled(text), tmp_path) == printed(text, tmp_path)


def nests(body: str) -> str:
    """The nests as they are compiled, with what is said before them."""
    text = compiled(f"{HEAD}void nests(void)\n{{\n{body}\n}}\n")
    return text[text.index("_Static_assert") if "_Static_assert" in text else text.index("void nests") :]


COPY = "for (int j = 0; j < {}; j++) for (int i = 0; i < {}; i++) A[i][j] += 1;"


def test_a_macro_is_kept() -> None:
    assert "i < N;" in nests(COPY.format("N", "N"))


def test_a_difference_is_kept() -> None:
    assert "i < M - 1;" in nests(COPY.format("N", "M - 1"))


def test_what_two_names_mean_is_a_number() -> None:
    text = nests("for (int i = 0; i < N; i++) x[i] = 1; for (int i = 0; i < M; i++) A[i][3] = x[i];")
    assert "i <= 23;" in text
    assert "_Static_assert(N == 24" in text


def test_what_may_be_a_guard_is_a_number() -> None:
    text = nests("""for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
        if (j < 24) A[j][i] += 1; B[j][i] = 2; }""")
    assert "j < N" not in text
