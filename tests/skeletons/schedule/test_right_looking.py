"""Sums that look back at what their loop has computed look ahead instead, where memory is better for it."""

from __future__ import annotations

import pytest

from tests.skeletons.schedule.test_transformed_nests import compiled, steps

PLAN = """for (int i = n - 3; i >= 0; i--) for (int j = i + 2; j < n; j++) {
    double best = A[i][i + 1] + A[i + 1][j];
    for (int k = i + 2; k < j; k++) if (A[i][k] + A[k][j] < best) best = A[i][k] + A[k][j];
    A[i][j] = B[i][j] + best; }"""
SUM = """for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) { double w = A[i][j];
    for (int k = 0; k < j; k++) w -= A[i][k] * B[k][j]; A[i][j] = w / B[j][j]; }"""


@pytest.mark.parametrize("nest", [PLAN, SUM])
def test_is_made(nest: str) -> None:
    assert "right-looking" in steps(compiled(nest))
    assert "right-looking" not in steps(compiled(nest, without=frozenset({"right-looking"})))


@pytest.mark.parametrize(
    "nest",
    [
        # along rows as it is
        """for (int i = 0; i < n; i++) { double w = x[i];
           for (int k = 0; k < i; k++) w -= A[i][k] * y[k]; y[i] = w / A[i][i]; }""",
        # what looks ahead at what is not there yet
        """for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double w = A[i][j];
           for (int k = j + 1; k < n; k++) w -= A[i][k] * B[k][j]; A[i][j] = w / B[j][j]; }""",
    ],
)
def test_is_left(nest: str) -> None:
    assert "right-looking" not in steps(compiled(nest))


def test_a_choice_becomes_an_expression() -> None:
    text = compiled(PLAN).files["nests.c"]
    assert "? (A_read + A[j][j_]) : A[i][j_]" in text
    assert "if (A" not in text


def test_a_choice_that_converts_stays() -> None:
    nest = PLAN.replace("double best", "int best").replace("A[i][j] =", "N[i][j] =")
    assert "? (A" not in compiled("static int N[400][400]; " + nest).files["nests.c"]
