"""Sums of a few values stay where they are, in a variable, in a loop for vectors around them."""

from __future__ import annotations

import pytest

from tests.privatised.test_privatised import made
from tests.skeletons.schedule.test_transformed_nests import compiled

WINDOWS = {
    "a window": ("for (int i = 3; i < n - 3; i++) for (int k = i - 2; k <= i + 2; k++) y[i] += x[k];", "k"),
    "from 0": ("for (int i = 3; i < n - 9; i++) for (int k = 0; k < 8; k++) y[i] += x[i + k];", "k"),
    "rows": (
        """for (int i = 3; i < n - 3; i++) for (int j = 3; j < m - 3; j++)
        for (int k = -2; k <= 2; k++) A[i][j] += B[i + k][j];""",
        "k",
    ),
    "two loops": (
        """for (int i = 3; i < n - 3; i++) for (int j = 3; j < m - 3; j++)
        for (int k = -2; k <= 2; k++) for (int l = -2; l <= 2; l++) A[i][j] += B[i + k][j + l];""",
        "l",
    ),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_stays(name: str) -> None:
    nest, inner = WINDOWS[name]
    text = compiled(nest).files["nests.c"]
    lines = [line.strip() for line in text[text.index("#pragma omp") :].splitlines()]
    last = next(k for k, line in enumerate(lines) if line.startswith(f"for (int {inner} = "))
    assert "_sum = " in lines[last - 1] and "_sum += " in lines[last + 1]
    outer = next(
        k for k, line in enumerate(lines) if line.startswith("for (int j" if "A[" in nest else "for (int i")
    )
    assert "simd" in lines[outer - 1] and outer < last
    assert "schedule" not in text


def test_sums_into_an_array_are_not_shared_again_and_again() -> None:
    """Threads would have copies of all of `y` on their stacks for each `i`, to add to one element."""
    text = made("""void rows(const double *restrict x, double *restrict y, double (*restrict w)[8],
      int n, int m) {
      for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) for (int q = 0; q < 8; q++) w[k][q] = x[i * m + k] * q;
        double s = 0;
        for (int k = 0; k < m; k++) s += w[k][3];
        y[i] = s; } }""")
    assert "#pragma omp parallel" in text and "reduction(+:y" not in text


def test_long_sums_are_turned() -> None:
    nest = "for (int i = 40; i < n - 40; i++) for (int k = i - 40; k <= i + 40; k++) y[i] += x[k];"
    assert "_strip" in compiled(nest).files["nests.c"]


def test_of_two_loops_that_are_long_together_one_is_unrolled() -> None:
    text = compiled("""for (int i = 9; i < n - 9; i++) for (int j = 9; j < m - 9; j++)
        for (int k = -2; k <= 2; k++) for (int l = -4; l <= 4; l++) A[i][j] += B[i + k][j + l];""").files[
        "nests.c"
    ]
    order = [text.index(f"for (int {name} = ") for name in "ikjl"]
    assert order == sorted(order) and "A_sum += " in text
