"""Arguments that may be null pointers: what a call does in its own case.

Each loop is parallel; its sibling is not shown to be.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from tests.support.analysing import loops_of, outermost

HEAD = """#include <stddef.h>
static double xs[1000], ys[1000]; static int ok[1000];
static double at(double t, double *slope) { if (slope) *slope = 2 * t; return t * t; }
static double test(double t, double *slope) { if (slope != NULL && t > 0) *slope = 2 * t; return t * t; }
static double none(double t, double *slope) { if (!slope) return t; *slope = t + 1; return t * t; }
static double both(double t, double *a, double *b) { if (a != 0) *a = t; if (b == NULL) return t; *b = t; return 2 * t; }
static double sum(const double *w, int n, double *most) { double s = 0; for (int i = 0; i < n; i++) { s += w[i]; if (most && w[i] > *most) *most = w[i]; } return s; }
static double twice(double t, double *slope) { return at(2 * t, slope); }
static double and(double t, double *slope) { int is_there = slope != NULL; slope && (*slope = t); return is_there ? *slope : t; }
static int chosen(int t, int *at) { int k = at ? *at : t; return (at || t > 3) + k; }
static double kept(double t, double *slope) { double own; if (!slope) slope = &own; *slope = t; return *slope; }
"""
LOOP = "for (int k = 0; k < n; k++)"
PAIRS = {
    "none": (
        f"void f(int n, double *d) {{ {LOOP} ys[k] = at(xs[k], NULL); }}",
        f"void f(int n, double *d) {{ {LOOP} ys[k] = at(xs[k], d); }}",
    ),
    "none, by a number": (
        f"void f(int n) {{ {LOOP} ys[k] = test(xs[k], 0); }}",
        f"void f(int n) {{ double t = 0; {LOOP} {{ ys[k] = test(xs[k], &t); ys[k] += t; }} }}",
    ),
    "one that is written": (
        f"void f(int n) {{ double t; {LOOP} {{ ys[k] = at(xs[k], &t); ys[k] += t; }} }}",
        f"void f(int n) {{ double t = 0; {LOOP} {{ if (ok[k]) ys[k] = at(xs[k], &t); ys[k] += t; }} }}",
    ),
    "written unless there is none": (
        f"void f(int n) {{ double t; {LOOP} {{ ys[k] = none(xs[k], &t); ys[k] += t; }} }}",
        f"void f(int n) {{ double t = 0; {LOOP} {{ ys[k] = none(xs[k], NULL); ys[k] += t; t = ys[k]; }} }}",
    ),
    "one of two": (
        f"void f(int n) {{ double t; {LOOP} {{ ys[k] = both(xs[k], &t, NULL); ys[k] += t; }} }}",
        f"void f(int n) {{ double t = 0; {LOOP} {{ ys[k] = t; ys[k] += both(xs[k], NULL, &t); }} }}",
    ),
    "in a loop": (
        f"void f(int n) {{ {LOOP} ys[k] = sum(xs, 9, NULL); }}",
        f"void f(int n) {{ {LOOP} ys[k] = sum(xs, 9, &ys[0]); }}",
    ),
    "handed on": (
        f"void f(int n) {{ double t; {LOOP} {{ ys[k] = twice(xs[k], NULL) + twice(xs[k], &t); ys[k] += t; }} }}",
        f"void f(int n) {{ {LOOP} {{ ys[k] = twice(xs[k], NULL) + twice(xs[k], &ys[n]); }} }}",
    ),
    "in an expression": (
        f"void f(int n) {{ {LOOP} ys[k] = and(xs[k], NULL) + and(2 * xs[k], 0); }}",
        f"void f(int n) {{ {LOOP} ys[k] = and(xs[k], NULL) + and(xs[k], &ys[n]); }}",
    ),
    "in a choice": (
        f"void f(int n) {{ {LOOP} ok[k] = chosen(k, NULL); }}",
        f"void f(int n) {{ {LOOP} ok[k] = chosen(k, &ok[0]); }}",
    ),
    "one of its own instead": (
        f"void f(int n) {{ {LOOP} ys[k] = kept(xs[k], NULL); }}",
        f"void f(int n) {{ {LOOP} ys[k] = kept(xs[k], &ys[3]); }}",
    ),
}  # fmt: skip


def test_an_address_is_no_null_pointer() -> None:
    text = "void f(int n, unsigned long a) { for (int k = 0; k < n; k++) *(int *)((char *)0 + a) = k; }"
    assert not loops_of(text)[0].verdict.is_parallel


@pytest.mark.parametrize("name", PAIRS)
def test_what_calls_do_with_and_without_an_argument(name: str) -> None:
    assert outermost(HEAD + PAIRS[name][0]).verdict.is_parallel


@pytest.mark.parametrize("name", PAIRS)
def test_what_they_may_do(name: str) -> None:
    assert not outermost(HEAD + PAIRS[name][1]).verdict.is_parallel
