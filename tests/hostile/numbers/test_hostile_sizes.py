"""Kernels get arrays as pointers: what is said of an array as a whole is then another thing."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

_HEAD = "int a[50], b[50], m[6][7]; typedef int row[7];"

WHOLE = {
    "its length in the bound": "for (int i = 0; i < sizeof a / sizeof *a; i++) a[i] = b[i];",
    "its length in the body": "for (int i = 0; i < n; i++) a[i] = sizeof a + b[i];",
    "its length in parentheses": "for (int i = 0; i < n; i++) a[i] = sizeof(a);",
    "the rows of two dimensions": "for (int i = 0; i < sizeof m / sizeof m[0]; i++) m[i][0] = 1;",
    "a local array": "int t[9] = {n}; for (int i = 0; i < 9; i++) a[i] = t[i] + sizeof t;",
    "a local array that is not used": "int t[9]; for (int i = 0; i < 9; i++) a[i] = sizeof t;",
    "an array of variable length": "int t[n]; for (int i = 0; i < n; i++) t[i] = sizeof t;",
    "its address alone": "for (int i = 0; i < 50; i++) a[i] = p == b;",
    "its address, of two": "for (int i = 0; i < 50; i++) a[i] = m[0] == b;",
    "its address": "for (int i = 0; i < 50; i++) a[i] = (*&b)[i];",
    "an inner loop's bound": "for (int i = 0; i < n; i++) for (int j = 0; j < sizeof a / 40; j++) a[i] = 1;",
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE.keys())
def test_a_kernel_knows_no_size(body: str) -> None:
    loop = loops_of(f"{_HEAD} void f(int n, int *restrict p) {{ {body} }}")[0]
    assert loop.openmp
    assert loop.kernel is not None and loop.kernel.obstacles


VARIABLE = {
    "an array": "int t[n]; t[0] = i; a[i] = t[0];",
    "rows": "int t[3][n]; t[0][0] = i; a[i] = t[0][0];",
    "a known variable": "int k = 3, t[k]; t[0] = i; a[i] = t[0];",
    "a size": "a[i] = sizeof(int[n]);",
    "a pointer to rows": "int (*t)[n] = (int (*)[n])b; a[i] = t[0][i];",
}


@pytest.mark.parametrize("body", VARIABLE.values(), ids=VARIABLE.keys())
def test_accelerators_have_no_arrays_of_variable_length(body: str) -> None:
    loop = loops_of(f"{_HEAD} void f(int n) {{ for (int i = 0; i < 50; i++) {{ {body} }} }}")[0]
    assert loop.kernel is None or loop.kernel.obstacles


def test_accelerators_have_arrays_of_constant_length() -> None:
    for length in ("3", "2 * 3", "N", "sizeof(int)", "K"):
        text = f"""enum {{ K = 3 }};
#define N (5 + 2)
{_HEAD} void f(void) {{ for (int i = 0; i < 50; i++) {{ int t[{length}]; t[0] = i; a[i] = t[0]; }} }}"""
        kernel = loops_of(text)[0].kernel
        assert kernel is not None and not kernel.obstacles


PARTS = {
    "an element": "for (int i = 0; i < n; i++) a[i] = sizeof a[0] + sizeof *a + sizeof(int);",
    "a row": "for (int i = 0; i < 6; i++) m[i][0] = sizeof m[0] + sizeof(row);",
    "the address of an element": "for (int i = 0; i < n; i++) a[i] = *&b[i];",
    "a pointer": "for (int i = 0; i < n; i++) a[i] = sizeof p + p[i];",
    "an array of the loop": "for (int i = 0; i < n; i++) { int t[9]; t[0] = i; a[i] = t[0] + sizeof t; }",
    "a size that was asked for before": "int k = sizeof a / 4; for (int i = 0; i < k; i++) a[i] = b[i];",
    "a number": "for (int i = 0; i < n; i++) a[i] = sizeof n;",
}


@pytest.mark.parametrize("body", PARTS.values(), ids=PARTS.keys())
def test_a_kernel_knows_the_size_of_parts(body: str) -> None:
    loop = loops_of(f"{_HEAD} void f(int n, const int *restrict p) {{ {body} }}")[0]
    assert loop.verdict is Verdict.PARALLEL
    assert loop.kernel is not None
    assert not any("as a whole" in reason.message for reason in loop.kernel.obstacles)


OTHER_SIZES = {
    "a text": 'a[i + sizeof p] = a[i + sizeof "abc"]',
    "a text of codes": 'a[i + sizeof p] = a[i + sizeof "\\x41" ]',
    "a character that is promoted": "a[i + sizeof(char)] = a[i + sizeof -c]",
    "a choice": "a[i + sizeof(char)] = a[i + sizeof(i ? c : c)]",
    "a long constant": "a[i + sizeof 1] = a[i + sizeof 1L]",
    "an array that decays": "a[i + sizeof m[0]] = a[i + sizeof(0, m[0])]",
}


@pytest.mark.parametrize("body", OTHER_SIZES.values(), ids=OTHER_SIZES.keys())
def test_operands_have_the_size_of_what_they_are_brought_to(body: str) -> None:
    loop = loops_of(f"{_HEAD} void f(int *p, char c) {{ for (int i = 0; i < 20; i++) {body}; }}")[0]
    assert loop.verdict is not Verdict.PARALLEL


def test_a_text_has_a_length() -> None:
    (loop,) = loops_of(
        'char t[99]; void f(void) { for (int i = 0; i < (int)sizeof("a\\n# 12"); i++) t[i] = 1; }'
    )
    assert str(loop.species) == "void -> t[0:6]|element"
