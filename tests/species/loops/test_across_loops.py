"""Loops that are for vectors across their iterations (`LoopFacts.across`)."""

from __future__ import annotations

import pytest

from tests.support.analysing import outermost

HEAD = """
#include <math.h>
enum { TAPS = 9 };
struct cell { float x, y; };
static float weighed(const float *w, const float *v) {
  float s = 0; for (int k = 0; k < TAPS; k++) s += w[k] * v[k]; return s; }
static float plain(float v) { return v > 0 ? v : -v; }
"""
PARAMETERS = """int n, int m, float *restrict y, const float *restrict x, const int *restrict at,
  struct cell *restrict c"""
ACROSS = {
    "nothing inside": ("y[i] = 2 * x[i];", 1),
    "neighbours": ("y[i] = x[i] + x[i + 1] + x[3];", 1),
    "a sum of a few": ("float s = 0; for (int k = -2; k <= 2; k++) s += x[i + k]; y[i] = s;", 5),
    "a window": ("for (int k = i - 3; k <= i + 3; k++) y[i] += x[k];", 7),
    "while": ("int k = 40; float s = 0; const float *p = x + i; while (k--) s += *p++; y[i] = s;", 40),
    "two loops": ("for (int k = 0; k < 3; k++) for (int l = 0; l < 4; l++) y[i] += x[i + k + m * l];", 12),
    "one behind the other": (
        "for (int k = 0; k < 3; k++) y[i] += x[k]; for (int k = 0; k < 5; k++) y[i] *= x[k];",
        5,
    ),
    "a function": ("y[i] = weighed(x, x + i) + plain(x[i]);", 9),
    "a choice": ("if (x[i] > 0) y[i] = sqrtf(x[i]);", 1),
}
NOT_ACROSS = {
    "of unknown length": "for (int k = 0; k < m; k++) y[i] += x[k];",
    "a triangle": "for (int k = 0; k < i; k++) y[i] += x[k];",
    "with gaps": "y[2 * i] = x[i];",
    "reads with gaps": "y[i] = x[m * i];",
    "chosen by data": "y[i] = x[at[i]];",
    "members": "c[i].x = 2;",
    "an array of its own": "float t[4]; for (int k = 0; k < 4; k++) t[k] = x[i + k]; y[i] = t[1] + t[3];",
    "a function of the library": "y[i] = expf(x[i]);",
    "a jump": "if (x[i] > 0) continue; y[i] = 1;",
    "an inner loop that is left": "for (int k = 0; k < 4; k++) { if (x[k] > 1) break; y[i] += x[k]; }",
    "a reduction": "m += at[i];",
}


def across(body: str) -> int:
    loop = outermost(f"{HEAD} int f({PARAMETERS}) {{ for (int i = 9; i < n; i++) {{ {body} }} return m; }}")
    assert loop.verdict.is_parallel
    return loop.across


@pytest.mark.parametrize("name", ACROSS)
def test_across(name: str) -> None:
    body, iterations = ACROSS[name]
    assert across(body) == iterations


@pytest.mark.parametrize("name", NOT_ACROSS)
def test_not_across(name: str) -> None:
    assert across(NOT_ACROSS[name]) == 0


def test_a_variable_that_is_declared_outside() -> None:
    loop = outermost(f"""{HEAD} void f({PARAMETERS}) {{ float s; int k; for (int i = 0; i < n; i++) {{
        s = 0; for (k = 0; k < 3; k++) s += x[i + k]; y[i] = s; }} }}""")
    assert loop.verdict.is_parallel and loop.across == 3
