"""C text: names, subscripts, regions as flat ranges, layout."""

from __future__ import annotations

import pytest

from skeletons.body.linearise import _rewrite
from skeletons.kernel.regions import CellRange, hull
from species.source.text.code import accesses, block, names_in, on_one_line, rename, without_directives
from tests.support.skeleton_facts import array


def test_members_and_comments_are_no_names() -> None:
    assert names_in('a.b + c->d /* e */ + f("g") - a') == ("a", "c", "f")


def test_renaming_leaves_members_strings_and_comments() -> None:
    assert rename('new = p->new + "new"; // new', {"new": "new_"}) == 'new_ = p->new + "new"; // new'


def test_subscripts() -> None:
    found = accesses("a[i - 1][b[j]] + a + x.a[0]", "a")
    assert [access.subscripts for access in found] == [("i - 1", "b[j]"), ()]


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("A[i][j]", "A[i * A_dim1 + j]"),
        (
            "A[i + 1][j] = A[A[i][0]][j - 1];",
            "A[(i + 1) * A_dim1 + j] = A[(A[i * A_dim1 + 0]) * A_dim1 + (j - 1)];",
        ),
    ],
)
def test_rows_of_variable_length(text: str, flat: str) -> None:
    assert _rewrite(text, "A", ["A_dim1"]) == flat


@pytest.mark.parametrize(
    ("extent", "reads", "writes", "first", "last"),
    [
        ("n", "0:n - 1", None, "0", "n - 1"),
        ("?", "lo:hi", None, "lo", "hi"),
        ("n,M", None, "1:n - 2,0:M - 1", "(long)1 * M", "(long)(n - 2) * M + (M - 1)"),
        ("4,5,6", None, "", "0", "(long)4 * 5 * 6 - 1"),
        ("n", "0:n - 1", "1:n - 2", "cuvier_min(0, 1)", "cuvier_max(n - 1, n - 2)"),
    ],
)
def test_cells_of_a_region(extent: str, reads: str | None, writes: str | None, first: str, last: str) -> None:
    assert hull(array("A", extent, reads, writes)) == CellRange(first, last)


def test_layout_keeps_the_shape_of_the_block() -> None:
    text = "{\n        a = 1;\n            b = 2;\n    }"
    assert block(text, 8) == "{\n            a = 1;\n                b = 2;\n        }"
    assert block("a = b\n            + c;", 4) == "a = b\n        + c;"


def test_layout_keeps_literals() -> None:
    assert (
        block("{\n\ta = '\t';\n\tb = \"x\\\n\ty\";\n}", 2)
        == "{\n          a = '\t';\n          b = \"x\ty\";\n  }"
    )
    assert on_one_line("a == /* a blank */\n  ' ' + \"a  b\"") == "a == ' ' + \"a  b\""


def test_pragmas_go_with_their_lines() -> None:
    assert without_directives("{\n#pragma GCC unroll 4\n    x();\n}") == "{\n    x();\n}"
