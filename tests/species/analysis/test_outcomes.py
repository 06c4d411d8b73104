"""What calls write by what they return: results that are there only if a function says so.

Each loop is parallel; its sibling reads what an earlier iteration may have left.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from tests.support.analysing import loops_of, outermost

HEAD = """#include <math.h>
enum status { DONE, LOST, LATE = -1 };
static double xs[1000], ys[1000]; static int ok[1000];
static int root(double a, double b, double *x) {
  double fa = a * a - 2, fb = b * b - 2, fm;
  if (fa * fb > 0) { *x = 0.5 * (a + b); return 0; }
  do { *x = 0.5 * (a + b); fm = *x * *x - 2; if (fm == 0) return 1; if (fa * fm < 0) b = *x; else { a = *x; fa = fm; } } while (b - a > 1e-4);
  return 1; }
static int sample(double t, double *val) { int i = (int)t; if (i < 0 || i >= 999) return 0; *val = xs[i] + t * (xs[i + 1] - xs[i]); return 1; }
static enum status find(double t, double *val) { if (t < 0) return LOST; if (t > 900) return LATE; *val = xs[(int)t]; return DONE; }
static int solve(double r, double *sw) {
  double s = 1, ds; int it = 0;
  do { ds = (s * s - r) / (2 * s); s -= ds; if (++it > 30) { *sw = 1; return -1; } } while (fabs(ds) > 1e-9);
  *sw = s; return it; }
static int either(double t, double *val) { if (t < 0) return -1; *val = t; return (int)t & 1; }
static char signs(double t, double *val) { if (t < 0) return 200; *val = t; return 1; }
static unsigned char narrow(double t, double *val) { if (t < 0) return 256 * 2; *val = t; return 1; }
static int twice(double t, double *val) { return sample(2 * t, val); }
static int kind(double t, double *val) { switch ((int)t) { case 0: *val = 1; return 1; case 1: *val = 2; return 2; default: return 0; } }
"""
LOOP = "for (int k = 0; k < n; k++)"
PAIRS = {
    "on every way": (
        f"void f(int n) {{ double t; {LOOP} {{ ok[k] = root(xs[k], xs[k] + 1, &t); ys[k] = t; }} }}",
        f"void f(int n) {{ double t; {LOOP} {{ ok[k] = sample(xs[k], &t); ys[k] = t; }} }}",
    ),
    "where it is not zero": (
        f"void f(int n) {{ double t; {LOOP} {{ if (!sample(xs[k], &t)) continue; ys[k] = t; }} }}",
        f"void f(int n) {{ double t; {LOOP} {{ if (sample(xs[k], &t)) continue; ys[k] = t; }} }}",
    ),
    "in one branch": (
        f"void f(int n) {{ double t; {LOOP} if (sample(xs[k], &t)) ys[k] = t; else ys[k] = 0; }}",
        f"void f(int n) {{ double t; {LOOP} if (sample(xs[k], &t)) ys[k] = 0; else ys[k] = t; }}",
    ),
    "compared": (
        f"void f(int n) {{ double t; {LOOP} if (find(xs[k], &t) == DONE) ys[k] = t; }}",
        f"void f(int n) {{ double t; {LOOP} if (find(xs[k], &t) != LOST) ys[k] = t; }}",
    ),
    "the other way round": (
        f"void f(int n) {{ double t; {LOOP} if (DONE == find(xs[k], &t)) ys[k] = t; }}",
        f"void f(int n) {{ double t; {LOOP} if (DONE <= find(xs[k], &t)) ys[k] = t; }}",
    ),
    "one of two": (
        f"void f(int n) {{ double t; {LOOP} if (ok[k] && sample(xs[k], &t)) ys[k] = t; }}",
        f"void f(int n) {{ double t; {LOOP} if (ok[k] || sample(xs[k], &t)) ys[k] = t; }}",
    ),
    "in a variable": (
        f"void f(int n) {{ double t; int r; {LOOP} {{ r = sample(xs[k], &t); if (r) ys[k] = t; }} }}",
        f"void f(int n) {{ double t; int r; {LOOP} {{ r = sample(xs[k], &t); r++; if (r) ys[k] = t; }} }}",
    ),
    "in a variable of the iteration": (
        f"void f(int n) {{ double t; {LOOP} {{ int r = find(xs[k], &t); if (r != 0) continue; ys[k] = t; }} }}",
        f"void f(int n) {{ double t; {LOOP} {{ int r = find(xs[k], &t); if (r != 1) continue; ys[k] = t; }} }}",
    ),
    "in a loop's condition": (
        f"void f(int n) {{ double t, s; {LOOP} {{ s = 0; for (int j = 0; sample(xs[k] + j, &t); j++) s += t; ys[k] = s; }} }}",
        f"void f(int n) {{ double t, s; {LOOP} {{ s = 0; for (int j = 0; !sample(xs[k] + j, &t); j++) s += t; ys[k] = s; }} }}",
    ),
    "and it breaks": (
        f"void f(int n) {{ double t, s; {LOOP} {{ s = 0; for (int j = 0; j < 9; j++) {{ if (!sample(xs[k] + j, &t)) break; s += t; }} ys[k] = s; }} }}",
        f"void f(int n) {{ double t, s; {LOOP} {{ s = 0; for (int j = 0; j < 9; j++) {{ if (!sample(xs[k] + j, &t)) s++; s += t; }} ys[k] = s; }} }}",
    ),
    "out of a loop": (
        f"void f(int n) {{ double t; {LOOP} {{ int it = solve(xs[k], &t); ok[k] = it; if (it < 0) {{ ys[k] = 1; continue; }} ys[k] = t; }} }}",
        f"void f(int n) {{ double t; {LOOP} {{ int it = solve(xs[k], &t); ok[k] = it; if (it < 0) {{ ys[k] = 1; continue; }} ys[k] = t; t = 3; }} ys[2] = t; }}".replace("solve(", "narrow("),
    ),
    "handed on": (
        f"void f(int n) {{ double t; {LOOP} if (twice(xs[k], &t)) ys[k] = t; }}",
        f"void f(int n) {{ double t; {LOOP} if (!twice(xs[k], &t)) ys[k] = t; }}",
    ),
    "by cases": (
        f"void f(int n) {{ double t; {LOOP} if (kind(xs[k], &t) > 0) ys[k] = t; }}",
        f"void f(int n) {{ double t; {LOOP} if (kind(xs[k], &t) < 2) ys[k] = t; }}",
    ),
    "of a type that does not hold the value": (
        f"void f(int n) {{ double t; {LOOP} if (sample(xs[k], &t) == 1) ys[k] = t; else ys[k] = 3; }}",
        f"void f(int n) {{ double t; {LOOP} if (narrow(xs[k], &t) < 2) ys[k] = t; }}",
    ),
    "compared with a number without a sign": (
        f"void f(int n) {{ double t; {LOOP} if (either(xs[k], &t) >= 0) ys[k] = t; }}",
        f"void f(int n) {{ double t; {LOOP} if (either(xs[k], &t) >= 0u) ys[k] = t; }}",
    ),
    "a number without a sign compared": (
        f"void f(int n) {{ double t; {LOOP} if (-1 < either(xs[k], &t)) ys[k] = t; }}",
        f"void f(int n) {{ double t; {LOOP} if (0xffffffff == either(xs[k], &t)) ys[k] = t; }}",
    ),
    "characters": (
        f"void f(int n) {{ double t; {LOOP} if (either(xs[k], &t) == 1) ys[k] = t; }}",
        f"void f(int n) {{ double t; {LOOP} if (signs(xs[k], &t) < 2) ys[k] = t; }}",
    ),
    "dead after the loop": (
        f"double f(int n) {{ double t, s = 0; {LOOP} {{ if (ok[k]) continue; sample(xs[k], &t); if (sample(xs[k], &t)) s += t; }} t = 2; return s + t; }}",
        f"double f(int n) {{ double t, s = 0; {LOOP} {{ if (ok[k]) continue; if (sample(xs[k], &t)) s += t; }} return s + t; }}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_written_where_a_call_says_so(name: str) -> None:
    assert outermost(HEAD + PAIRS[name][0]).verdict.is_parallel


@pytest.mark.parametrize("name", PAIRS)
def test_what_may_be_of_an_earlier_iteration(name: str) -> None:
    assert not outermost(HEAD + PAIRS[name][1]).verdict.is_parallel


ARRAYS = {
    "written by a function": "struct o { int a, b; double v; }; static double lin(struct o *p, double c[3], int u[3]) { c[1] = p->v; c[2] = -c[1]; u[1] = p->a; u[2] = p->b; return c[1] + c[2]; } double f(struct o *p, int n) { double c[3], s = 0; int u[3]; for (int k = 0; k < n; k++) { double e = lin(&p[k], c, u); s += e * e; } return s; }",
    "written, and never read": "static void set(int *at, int k) { at[0] = k; at[1] = k + 1; } void f(double *x, int n) { int last[2]; for (int k = 0; k < n; k++) { set(last, k); x[k] = k; } }",
}  # fmt: skip


@pytest.mark.parametrize("text", ARRAYS.values(), ids=ARRAYS.keys())
def test_arrays_that_nobody_reads_after_the_loop_are_private(text: str) -> None:
    assert loops_of(text)[0].verdict.is_parallel


def test_arrays_that_are_read_after_the_loop_keep_the_last_iteration() -> None:
    text = ARRAYS["written, and never read"].replace("x[k] = k; }", "x[k] = k; } x[0] = last[1];")
    assert not loops_of(text)[0].verdict.is_parallel
