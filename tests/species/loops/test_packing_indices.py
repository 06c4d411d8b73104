"""Variables that some iterations count up, `row[m++] = ..`: rows that are packed are apart."""

# ruff: noqa: E501  (programs in few lines)

from __future__ import annotations

import pytest

from tests.support.analysing import outermost

ROWS = "void f(double *restrict rows, const double *restrict a, int *restrict count, int n, int w) { for (int i = 0; i < n; i++) { double *row = rows + (long)i * w;"
END = "count[i] = m; } }"
PACKED = {
    "one": f"{ROWS} int m = 0; for (int t = 0; t < w; t++) if (a[i * w + t] > 0) row[m++] = a[i * w + t]; {END}",
    "two at a time": f"{ROWS} int m = 0; for (int t = 0; 2 * t + 1 < w; t++) if (a[t] > 0) {{ row[m] = 1; row[m + 1] = 2; m += 2; }} {END}",
    "of type size_t": f"{ROWS} unsigned long m = 0; for (int t = 0; t < w; t++) {{ if (a[t] > 0) row[m++] = 1; }} {END}",
    "read back": f"{ROWS} int m = 0; for (int t = 0; t < w; t++) if (a[t] > 0) row[m++] = 1; double s = 0; for (int k = 0; k < m; k++) s += row[k]; if (m > 0) row[m - 1] = s; {END}",
    "first": f"{ROWS} int m = 1; row[0] = 0; for (int t = 1; t < w; t++) if (a[t] > 0) row[m++] = 1; {END}",
}
NOT_PACKED = {
    "one too many": PACKED["one"].replace("t = 0; t < w", "t = 0; t <= w"),
    "two": PACKED["one"].replace("row[m++] = a", "row[m++] = 1, row[m++] = a"),
    "twice as often": PACKED["one"].replace("if (a", "for (int k = 0; k < 2; k++) if (a"),
    "once more": PACKED["one"].replace(END, f"row[m] = 0; {END}"),
    "down as well": PACKED["one"].replace("if (a", "if (a[t] < -9) m--; if (a"),
    "reset": PACKED["one"].replace("if (a", "if (a[t] < -9) m = w; if (a"),
    "by a jump": PACKED["one"]
    .replace("if (a", "again: if (a")
    .replace("; count", "; if (m == 1) goto out; out: count")
    .replace("row[m++] = a[i * w + t];", "{ row[m++] = 1; if (a[t] > 7) goto again; }"),
}


@pytest.mark.parametrize("text", PACKED.values(), ids=PACKED.keys())
def test_rows_that_are_packed_are_apart(text: str) -> None:
    assert outermost(text).verdict.is_parallel


def test_a_narrow_index_stays_within_its_range() -> None:
    loop = outermost(PACKED["one"].replace("int m", "signed char m"))
    assert loop.conditions == ("w >= 256",)


@pytest.mark.parametrize("text", NOT_PACKED.values(), ids=NOT_PACKED.keys())
def test_these_may_reach_the_next_row(text: str) -> None:
    assert not outermost(text).verdict.is_parallel
