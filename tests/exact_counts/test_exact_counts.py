"""Counts of integer points: formulas that are known, random domains one by one, and what has no formula."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path

import islpy as isl
import pytest

from models.counting.counts import Count
from models.counting.loops import CountingLoops
from models.counting.polynomials import power_sum
from models.counting.scops import counts_of
from models.counting.sets import counted, formula
from models.counting.summation import TooManyPieces
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.exact_counts.fuzz import mistakes_in_c, trials
from tests.exact_counts.generator import nest

SANITIZED = ("-fsanitize=undefined", "-fno-sanitize-recover=all")


def count(text: str) -> Count:
    found = counted(isl.Set(text))
    assert isinstance(found, Count)
    return found


def test_the_seeds_example() -> None:
    """Seed 000, section 3.7.7: gemm makes N**2 iterations that start sums, and N**3 that add to them."""
    first = count("[N] -> { [i, j] : 0 <= i, j < N }")
    update = count("[N] -> { [i, j, k] : 0 <= i, j, k < N }")
    assert first.value({"N": 1024}) + update.value({"N": 1024}) == 1024**2 + 1024**3
    assert (
        update.c_expression()
        == "((long long)(N) - 1LL >= 0 ? ((long long)(N)*(long long)(N)*(long long)(N)) : 0LL)"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[n] -> { [i, j] : 0 <= j <= i < n }", lambda n: n * (n + 1) // 2),
        ("[n] -> { [i, j, k] : 0 <= k < j < i < n }", lambda n: n * (n - 1) * (n - 2) // 6),
        ("[n] -> { [i] : 0 <= i < n and i mod 4 = 3 }", lambda n: n // 4),
        ("[n] -> { [i, j] : 0 <= i < n and i <= 2j < n }", lambda n: (n + 1) // 2 * ((n + 1) // 2)),
        ("[n] -> { [x] : exists i, j : x = i + j and 0 <= i, j < n }", lambda n: 2 * n - 1),
    ],
)
def test_known_formulas(text: str, expected: Callable[[int], int]) -> None:
    found = count(text)
    for n in range(1, 30):
        assert found.value({"n": n}) == found.python_function()(n) == expected(n)


def test_sums_of_powers() -> None:
    for power, x in product(range(9), range(-1, 9)):
        formula_value = sum(factor * x**k for k, factor in enumerate(power_sum(power)))
        assert formula_value == sum(value**power for value in range(x + 1))


def test_random_domains_in_python_and_in_c(tmp_path: Path) -> None:
    """`python -m tests.exact_counts.fuzz` tries more."""
    found = [trial for seed in range(30) for trial in trials(nest(random.Random(seed)))]
    assert [told for trial in found if (told := trial.mistake())] == []
    assert sum(any(trial.expected) for trial in found) > len(found) / 2
    assert mistakes_in_c(found[:12], tmp_path, *SANITIZED) == []


def test_where_no_formula_is_short_loops_count(tmp_path: Path) -> None:
    hard = isl.Set(
        "[n, m] -> { [i, j, k] : 0 <= i <= n and i <= 2j <= n + m and j <= m + i and i + j <= 3k <= n"
        " and 2k <= m + j and 5k <= n + 3i + j and (i + 2j + 3k) mod 5 = 2 }"
    )
    with pytest.raises(TooManyPieces):
        formula(hard)
    found = counted(hard)
    assert isinstance(found, CountingLoops)
    rows = product(range(30), repeat=3)
    points = sum(
        0 <= i <= 13 and i <= 2 * j <= 13 + 11 and j <= 11 + i and i + j <= 3 * k <= 13
        and 2 * k <= 11 + j and 5 * k <= 13 + 3 * i + j and (i + 2 * j + 3 * k) % 5 == 2
        for i, j, k in rows
    )  # fmt: skip
    assert points > 3 and found.value({"n": 13, "m": 11}) == found.python_function()(13, 11) == points
    text = found.c_function("points")
    assert text.count("for (long long cuvier_c") >= 2 and text.endswith("#undef cuvier_point\n")


LU = """
void lu(int n, double a[n][n], double *restrict b) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; j += 2)
        a[i][j] -= a[i][k] * a[k][j] + b[3 * i];
    }
  }
}
"""


def test_counts_of_a_static_control_part() -> None:
    unit = read_translation_unit("lu.c", PreprocessOptions(), text=LU)
    (scop,) = analyse(unit, AnalysisOptions(scops=True)).scops
    found, ((parameter, text),) = counts_of(scop), scop.parameters
    assert text == "n"
    for n in range(9):
        runs, cells = 0, set[tuple[int, ...]]()
        for i, k in ((row, column) for row in range(n) for column in range(row)):
            runs += 1 + len(range(k + 1, n, 2))
            cells |= {(i, k), (k, k)}
            for j in range(k + 1, n, 2):
                cells |= {(i, j), (i, k), (k, j), (3 * i,)}
        assert found.work({parameter: n}) == runs
        assert found.moved({parameter: n}) == 8 * len(cells)


def test_quotients_are_computed_once_in_c(tmp_path: Path) -> None:
    strided = count("[n] -> { [i, j] : 0 <= i < n and 0 <= j <= i and (i + j) mod 3 = 1 }")
    text = strided.c_function("points")
    assert "const long long cuvier_q0 = " in text and text.count(" / 3LL : ") <= 3
    assert strided.c_expression().count(" / 3LL : ") > 3


def test_sets_without_end_are_refused() -> None:
    with pytest.raises(ValueError, match="no bounds"):
        counted(isl.Set("[n] -> { [i] : i >= n }"))
