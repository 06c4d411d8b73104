"""How many elements an array has whose declaration leaves that to its initialiser (C11 6.7.9)."""

from __future__ import annotations

import pytest

from tests.support.analysing import loops_of

HEAD = "struct P { int a, b; }; int out[99];"
LENGTHS = {
    "numbers": ("int t[] = {1, 2, 3};", "t[k]", "3"),
    "numbers in braces": ("int t[] = {{1}, 2, 3};", "t[k]", "3"),
    "rows": ("int t[][2] = {{1, 2}, {3}};", "t[k][1]", "2"),
    "texts": ('char *t[] = {"abc", "de"};', "!t[k]", "2"),
    "a text in braces": ('char t[] = {"abcdef"};', "t[k]", None),
    "a wide text in braces": ('int t[] = {L"abcdef"};', "t[k]", None),
    "rows without braces": ("int t[][2] = {1, 2, 3, 4, 5, 6};", "t[k][1]", None),
    "rows, some without braces": ("int t[][2] = {{1, 2}, 3, 4};", "t[k][1]", None),
    "structures": ("struct P t[] = {{1, 2}, {3}};", "t[k].a", "2"),
    "structures without braces": ("struct P t[] = {1, 2, 3, 4};", "t[k].a", None),
    "designators": ("int t[] = {[5] = 1, 2};", "t[k]", None),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_items_are_counted_where_each_is_an_element(name: str) -> None:
    declaration, use, length = LENGTHS[name]
    text = f"{HEAD} static {declaration} void f(int n) {{ for (int k = 0; k < n; k++) out[k] = {use}; }}"
    kernel = loops_of(text)[0].kernel
    assert kernel is not None
    assert next(a.extent for a in kernel.arrays if a.name == "t")[0] == length
