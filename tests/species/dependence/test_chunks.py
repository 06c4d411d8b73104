"""Chunks that records describe, with neighbours in them and their ends: when they run in any order."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from pathlib import Path

import pytest

from tests.filters.fuzz import compare
from tests.stages.test_stages import needs_gcc
from tests.support.analysing import outermost

FOLLOW = "follow one another"
FILLED = f"{FOLLOW}, none of them empty"
_ALL = "for (int k = 0; k < r[i].count; k++) x[r[i].first + k] = x[r[i].first + k] * 3 % 1001 + k; "
BODIES = {
    "each": (_ALL, FOLLOW),
    "the next one": (
        "for (int k = 0; k + 1 < r[i].count; k++) x[r[i].first + k] += x[r[i].first + k + 1] % 7;",
        FOLLOW,
    ),
    "both": (
        f"{_ALL} for (int k = 0; k + 1 < r[i].count; k++) {{ x[r[i].first + k + 1] -= x[r[i].first + k] % 5; x[r[i].first + k] ^= 1; }}",
        FOLLOW,
    ),
    "every second": (
        "for (int k = 0; k + 2 < r[i].count; k += 2) x[r[i].first + k] += x[r[i].first + k + 2] % 7;",
        FOLLOW,
    ),
    "by a pointer": (
        "long *p = x + r[i].first; for (int k = 0; k < r[i].count; k++, p++) *p = *p * 5 % 1003;",
        FOLLOW,
    ),
    "the last one, if any": (f"{_ALL} if (r[i].count > 0) r[i].t = x[r[i].first + r[i].count - 1];", FOLLOW),
    "the last one": (f"{_ALL} r[i].t = x[r[i].first + r[i].count - 1];", FILLED),
    "the first one": (f"{_ALL} if (r[i].count >= 1) x[r[i].first] += 5;", FOLLOW),
    "two of them": (
        f"{_ALL} if (r[i].count > 3) x[r[i].first + r[i].count - 2] += x[r[i].first + 1];",
        FOLLOW,
    ),
}
NOT = {
    "one before": "for (int k = 0; k < r[i].count; k++) x[r[i].first + k] += x[r[i].first + k - 1];",
    "one more": "for (int k = 0; k <= r[i].count; k++) x[r[i].first + k] = x[r[i].first + k] * 3 + k;",
    "a count that changes": f"{_ALL} r[i].count++;",
}
F = "typedef struct {{ int first, count; long t; }} rec;\nvoid f(rec *restrict r, long *restrict x, int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}\n"
MAIN = """#include <stdio.h>
#include <stdlib.h>
FUNCTION
int main(int argc, char **argv) {
  int n = 3 + 4 * atoi(argv[argc - 1]), at = 1; rec *r = malloc(n * sizeof *r); long *x = malloc(9 * (size_t)n * sizeof *x + 99), h = 1;
  for (int i = 0; i < n; i++) { int c = COUNT; r[i] = (rec){ at, c, 0 }; at += NEXT; if (at < 1) at = 1; }
  for (int i = 0; i < 9 * n + 9; i++) x[i] = i * 37 % 101;
  for (int t = 0; t < 3; t++) f(r, x, n);
  for (int i = 0; i < 9 * n + 9; i++) h = (h * 31 + x[i]) % 1000003;
  for (int i = 0; i < n; i++) h = (h * 31 + r[i].t) % 1000003;
  printf("%ld\\n", h); free(r); free(x); return 0; }
"""
DATA = (("i % 5", "c"), ("1 + i % 5", "c"), ("i % 4", "c + i % 2"), ("2 + i % 3", "c - 1"), ("i % 6 - 1", "2"), ("3", "3"), ("i == 7 ? 6 : 2", "2"), ("4", "i % 3 ? 4 : -2"))  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_chunks_follow_one_another(name: str) -> None:
    body, words = BODIES[name]
    loop = outermost(F.format(body=body))
    assert f"'r.count' long, {words}" in [each.split("first', ")[-1] for each in loop.condition_words]


@pytest.mark.parametrize("name", NOT)
def test_others_are_not_asked_for(name: str) -> None:
    assert not outermost(F.format(body=NOT[name])).verdict.is_parallel


@needs_gcc
@pytest.mark.sampled(8)
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", BODIES)
def test_data_decides(name: str, data: tuple[str, str], tmp_path: Path) -> None:
    """In order and apart, or not: the program does what it did."""
    text = MAIN.replace("FUNCTION", F.format(body=BODIES[name][0]))
    assert compare(text.replace("COUNT", data[0]).replace("NEXT", data[1]), tmp_path, "openmp")
