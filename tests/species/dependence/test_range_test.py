"""Triangular arrays: rows of growing length, packed one behind the other (the range test).

Each loop is parallel, plainly or on a condition; its sibling differs in what decides.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.species.dependence.test_delinearise import holds
from tests.support.analysing import loops_of

HEAD = """#include <stddef.h>
static size_t at(size_t i, size_t j) { return i * (i - 1) / 2 + j; }
#define TRI(i, j) ((i) >= (j) ? (i) * ((i) + 1) / 2 + (j) : (j) * ((j) + 1) / 2 + (i))
"""
PLAIN = {
    "the lower half": (
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) s[i * (i + 1) / 2 + j] = j; }",
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = 0; j <= i + 1; j++) s[i * (i + 1) / 2 + j] = j; }",
    ),
    "from one on": (
        "void f(double *s, int n) { for (int i = 1; i <= n; i++) for (int j = 1; j <= i; j++) s[i * (i - 1) / 2 + j] = j; }",
        "void f(double *s, int n) { for (int i = 1; i <= n; i++) for (int j = 0; j <= i; j++) s[i * (i - 1) / 2 + j] = j; }",
    ),
    "the upper half": (
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s[i * n - i * (i - 1) / 2 + j - i] = j; }",
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = i; j <= n; j++) s[i * n - i * (i - 1) / 2 + j - i] = j; }",
    ),
    "another way to write it": (
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s[i * (2 * n - i - 1) / 2 + j] = j; }",
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = i; j < n; j++) s[i * (2 * n - i - 3) / 2 + j] = j; }",
    ),
    "downwards": (
        "void f(double *s, int n) { for (int i = n - 1; i >= 0; i--) for (int j = 0; j <= i; j++) s[(i * (i + 1) >> 1) + j] = j; }",
        "void f(double *s, int n) { for (int i = n - 1; i >= -3; i--) for (int j = 0; j <= i + 2; j++) s[(i * (i + 1) >> 1) + j] = j; }",
    ),
    "a row's pointer": (
        "void f(double *s, int n) { for (int i = 0; i < n; i++) { double *r = s + (size_t)i * (i + 1) / 2; for (int j = 1; j <= i; j++) r[j] += r[j - 1]; } }",
        "void f(double *s, int n) { for (int i = 0; i < n; i++) { double *r = s + (size_t)i * (i + 1) / 2; for (int j = 1; j <= i; j++) r[j] += r[j - i]; } }".replace("j - i", "j - 2"),
    ),
    "a pyramid": (
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) for (int k = 0; k <= j; k++) s[i * (i + 1) * (i + 2) / 6 + j * (j + 1) / 2 + k] = k; }",
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = 0; j <= i + 1; j++) for (int k = 0; k <= j; k++) s[i * (i + 1) * (i + 2) / 6 + j * (j + 1) / 2 + k] = k; }",
    ),
    "odd numbers": (
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < 2 * i + 1; j++) s[i * i + j] = j; }",
        "void f(double *s, int n) { for (int i = -4; i < n; i++) for (int j = 0; j < 2 * i + 1; j++) s[i * i + j] = j; }".replace("2 * i + 1", "5"),
    ),
    "a choice that is made": (
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) s[TRI(i, j)] = j; }",
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s[TRI(i, j)] = j; }",
    ),
    "rounded": (
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) s[i * (i + 3) / 2 + j] = j; }",
        "void f(double *s, int n) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) s[i * (i + 2) / 2 + j] = j; }",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_rows_that_follow_one_another_are_apart(name: str) -> None:
    assert loops_of(HEAD + PLAIN[name][0])[0].verdict is Verdict.PARALLEL


@pytest.mark.parametrize("name", PLAIN)
def test_rows_that_may_meet_are_not(name: str) -> None:
    assert not loops_of(HEAD + PLAIN[name][1])[0].verdict.is_parallel


CONDITIONAL = {
    "sizes": (
        "void f(double *s, size_t n) { for (size_t i = 0; i < n; i++) for (size_t j = 0; j <= i; j++) s[i * (i + 1) / 2 + j] = j; }",
        2**30,
        2**33,
    ),
    "a helper": (
        "void f(double *s, size_t n) { for (size_t i = 0; i < n; i++) for (size_t j = 0; j < i; j++) s[at(i, j)] = j; }",
        2**30,
        2**33,
    ),
    "unsigned": (
        "void f(double *s, unsigned n) { for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j <= i; j++) s[i * (i + 1) / 2 + j] = j; }",
        30_000,
        70_000,
    ),
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_sizes_are_asked_where_products_may_wrap_around(name: str) -> None:
    text, met, unmet = CONDITIONAL[name]
    loop = loops_of(HEAD + text)[0]
    assert loop.verdict is Verdict.CONDITIONAL
    assert [all(holds(c, n=n) for c in loop.conditions) for n in (met, unmet)] == [True, False]
