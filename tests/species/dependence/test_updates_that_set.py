"""Sums of what a statement sets on the way, `s += y[i] = e`: reductions, where nothing set is the sum."""

from __future__ import annotations

import pytest

from tests.support.analysing import outermost

PARALLEL = {
    "an assignment": "s += y[i] = exp(x[i]);",
    "in parentheses": "s += (y[i] = exp(x[i]));",
    "one that combines": "s += y[i] *= x[i];",
    "a variable of the iteration": "double e; s += (e = x[i] * 2); y[i] = e;",
    "a product": "s *= y[i] = x[i] + 1;",
    "as a term": "s = s + (y[i] = x[i]);",
}
SERIAL = {
    "the sum itself is set": "s += (s = x[i]);",
    "it reads the sum": "s += y[i] = s + x[i];",
    "another sum on the way": "s += (t += x[i]);",
    "of the element before": "s += y[i] = y[i - 1] + x[i];",
    "at a place that moves": "s += y[m++] = x[i];",
}


def parallel(body: str) -> bool:
    loop = outermost(f"""#include <math.h>
        double f(int n, int m, double *restrict y, const double *restrict x) {{ double s = 0, t = 0;
        for (int i = 1; i < n; i++) {{ {body} }} return s + t + m; }}""")
    return loop.verdict.is_parallel and [r.variable for r in loop.reductions] == ["s"]


@pytest.mark.parametrize("name", PARALLEL)
def test_is_a_reduction(name: str) -> None:
    assert parallel(PARALLEL[name])


@pytest.mark.parametrize("name", SERIAL)
def test_is_none(name: str) -> None:
    assert not parallel(SERIAL[name])
