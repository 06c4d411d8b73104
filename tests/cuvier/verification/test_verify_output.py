"""The comparison of what two programs print."""

from __future__ import annotations

import pytest

from cuvier.verification.output import compare_output


@pytest.mark.parametrize(
    ("ours", "theirs", "exact", "rounded"),
    [
        ("sum 1.5\n", "sum 1.5\n", True, True),
        ("sum 1.50\n", "sum 1.51\n", False, True),  # one unit of the last printed decimal
        ("sum 1.50\n", "sum 1.52\n", False, False),
        ("n = 5\n", "n = 6\n", False, False),  # integers are exact
        ("n = 12345678901234\n", "n = 12345678901235\n", False, True),  # but for %.0f of large numbers
        ("1.23456789e+10 -2\n", "1.23456788e+10 -2\n", False, True),
        ("1.2345e+10\n", "1.2345e+11\n", False, False),
        ("a1.5\n", "b1.5\n", False, False),
        ("1.5\n", "1.5\n1.5\n", False, False),
        ("1.5 nan\n", "1.6 -nan\n", False, False),
        ("x  1.50\n", "x -1.50\n", False, False),
        (" 9.99 1.0\n", "10.00 1.0\n", False, True),
        ("1.5", "", False, False),
    ],
)
def test_numbers_may_differ_by_rounding_where_sums_were_reordered(
    ours: str, theirs: str, exact: bool, rounded: bool
) -> None:
    assert compare_output(ours.encode(), theirs.encode(), exact=True).ok is exact
    assert compare_output(ours.encode(), theirs.encode(), exact=False).ok is rounded


def test_the_first_line_that_differs_is_told() -> None:
    result = compare_output(b"one\ntwo\n", b"one\ntwo!\n", exact=True)
    assert result.message == "line 2: 'two' became 'two!'"
    assert "no line" in compare_output(b"one", b"one\ntwo", exact=False).message


def test_bytes_that_are_no_text_are_compared() -> None:
    assert not compare_output(b"\xff\n", b"\xfe\n", exact=True).ok
    assert not compare_output(b"\xff 1.5\n", b"\xfe 1.5\n", exact=False).ok
