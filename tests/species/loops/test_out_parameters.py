"""Functions that give back elements by address: `both(x, &s.a[i], &s.b[i])` in a loop to `s.n`."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

HEAD = """#include <math.h>
struct points { int n; double x[99], y[99]; int zone[99]; union { int n; float f; } u; } s;
static void both(double a, double *x, double *y) { *x = cos(a); *y = sin(a); }
static void zoned(double a, int *z, double *x) { *z = (int)a; *x = a - *z; }
static void next(int *z) { z[1] = 3; }
static void real(float *f) { *f = 2; }
"""


def verdict(loop: str) -> Verdict:
    return loops_of(f"{HEAD}void f(void) {{ {loop} }}")[-1].verdict


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < s.n; i++) both(i, &s.x[i], &s.y[i]);",
        "for (int i = 0; i < s.n; i++) zoned(i, &s.zone[i], &s.y[i]);",
        "for (int i = 0; i < s.n; i++) { double t; both(i, &s.x[i], &t); s.y[i] = t; }",
    ],
)
def test_the_bound_stays(loop: str) -> None:
    assert verdict(loop) is Verdict.PARALLEL


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < s.n; i++) zoned(i, &s.n, &s.y[i]);",
        "for (int i = 0; i < s.u.n; i++) real(&s.u.f);",
        "for (int i = 0; i < s.n; i++) zoned(i, &s.zone[3], &s.y[i]);",
        "for (int i = 0; i < s.n; i++) next(&s.zone[i]), s.zone[i] = i;",
    ],
)
def test_it_may_not(loop: str) -> None:
    assert verdict(loop) is not Verdict.PARALLEL
