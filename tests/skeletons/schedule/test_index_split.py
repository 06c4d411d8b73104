"""Loops that one iteration ties together are split there, and both sides are parallel."""

from __future__ import annotations

import pytest

from tests.skeletons.schedule.test_transformed_nests import compiled, steps

FLOYD = """for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
    A[i][j] = A[i][j] < A[i][k] + A[k][j] ? A[i][j] : A[i][k] + A[k][j];"""
PIVOT = """for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)
    A[i][j] = 2 * A[i][j] + 3 * A[k][j];"""
LEFT = {
    "a recurrence": """for (int k = 0; k < n; k++) for (int i = 1; i < n; i++) for (int j = 1; j < m; j++)
        A[i][j] = A[i - 1][j] + A[i][j - 1] + k;""",
}


@pytest.mark.parametrize("nest", [FLOYD, PIVOT])
def test_is_split(nest: str) -> None:
    program = compiled(nest)
    assert "split" in steps(program)
    assert program.files["nests.c"].count("#pragma omp for") == 2


@pytest.mark.parametrize("name", LEFT)
def test_is_left(name: str) -> None:
    assert "split" not in steps(compiled(LEFT[name]))


def test_reads_nothing_for_a_side_without_iterations() -> None:
    text = compiled(FLOYD).files["nests.c"]
    behind = text[text.rindex("#pragma omp for") :]
    first = behind.index("A_read =")
    assert "if (0 < k)" in behind[:first]
