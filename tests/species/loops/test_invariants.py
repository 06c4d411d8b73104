"""What stays the same in a loop for vectors is read before it, where it surely is read and never written."""

from __future__ import annotations

import pytest

from tests.skeletons.schedule.test_transformed_nests import compiled

AROUND = "for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++)"
READ = {
    "its own array": f"{AROUND} for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j];",
    "before a choice": f"""{AROUND} for (int j = k + 1; j < n; j++)
        A[i][j] = A[i][k] < A[k][j] ? 1 : 2 + A[i][k];""",
}
LEFT = {
    "behind a choice": f"{AROUND} for (int j = k + 1; j < n; j++) A[i][j] = A[k][j] > 0 ? A[i][k] : 2;",
    "behind &&": f"{AROUND} for (int j = k + 1; j < n; j++) A[i][j] = A[k][j] > 0 && A[i][k] > 0;",
    "another array, which the compiler knows": """for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)
        A[i][j] = x[i] + B[j][i];""",
    "what moves": "for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) A[i][j] = A[i - 1][j] + B[j][i];",
}


@pytest.mark.parametrize("name", READ)
def test_is_read_before(name: str) -> None:
    text = compiled(READ[name]).files["nests.c"]
    assert "const double A_read = A[i][k];" in text
    assert text.index("A_read =") < text.rindex("for (int j")


@pytest.mark.parametrize("name", LEFT)
def test_is_left(name: str) -> None:
    assert "_read" not in compiled(LEFT[name]).files["nests.c"]


def test_is_read_only_if_the_loop_makes_an_iteration() -> None:
    nest = f"{AROUND} for (int j = m; j < k; j++) A[i][j] -= A[i][k] * A[k][j];"
    text = compiled(nest).files["nests.c"]
    assert "_read" not in text or "if (m < k)" in text


def test_a_macro_that_chooses_is_left_alone() -> None:
    nest = f"{AROUND} for (int j = k + 1; j < n; j++) A[i][j] = PICK(A[k][j], A[i][k]);"
    pick = "\n#define PICK(a, b) ((a) > 0 ? (b) : 2)\n"
    assert "_read" not in compiled(pick + nest).files["nests.c"]
    deep = pick.replace("PICK", "DEEP") + "#define PICK(a, b) DEEP(a, b)\n"
    assert "_read" not in compiled(deep + nest).files["nests.c"]
