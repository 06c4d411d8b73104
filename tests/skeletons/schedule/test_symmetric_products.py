"""A product with half of a matrix is two: a sum in a variable, and what other rows get meanwhile."""

from __future__ import annotations

import pytest

from tests.skeletons.schedule.test_transformed_nests import compiled, steps

NEST = """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
    double sum = 0;
    for (int k = 0; k < i; k++) { C[k][j] += s * B[i][j] * A[i][k]; sum += B[k][j] * A[i][k]; }
    C[i][j] = 2 * C[i][j] + s * B[i][j] * A[i][i] + s * sum; }"""
SWAPPED = NEST.replace("C[k][j] += s * B[i][j] * A[i][k]; ", "").replace(
    "A[i][k]; }", "A[i][k]; C[k][j] += s * B[i][j] * A[i][k]; }"
)
PARAMETERS = """void g(int n, int m, double P[4000][4000], double Q[4000][4000], double R[4000][4000]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
        double sum = 0;
        for (int k = 0; k < i; k++) { R[k][j] += s * Q[i][j] * P[i][k]; sum += Q[k][j] * P[i][k]; }
        R[i][j] = 2 * R[i][j] + s * sum; } }"""


@pytest.mark.parametrize("nest", [NEST, SWAPPED], ids=["sum last", "sum first"])
def test_both_are_products(nest: str) -> None:
    text = "\n".join(compiled(nest).files.values())
    assert "contract" in steps(compiled(nest))
    assert "sum +=" not in text.partition("void f(")[2]


def test_arrays_may_be_parameters() -> None:
    assert "contract" in steps(compiled(f"}} {PARAMETERS.removesuffix('}')}"))


@pytest.mark.parametrize(
    ("before", "after"),
    [("k < i;", "k <= i;"), ("C[k][j] +=", "C[k + 1][j] +="), ("C[i][j] + s", "C[i + 1][j] + s")],
    ids=["it meets the sum's cell", "another row may be the sum's", "the end reads another cell"],
)
def test_a_cell_that_others_change_is_no_sum(before: str, after: str) -> None:
    assert "contract" not in steps(compiled(NEST.replace(before, after)))
