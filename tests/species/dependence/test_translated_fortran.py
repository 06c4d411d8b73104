"""C made from Fortran, as f2c writes it: sizes behind pointers, shifted arrays, locals that are `static`."""

# ruff: noqa: E501  (programs in few lines)

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import outermost

HEAD = "void f(double *z, double *old, int *ld, int *nx, int *ny, double *r, int n, int m) { int i, j, last, width, dim = *ld;"
SHIFTED = "z -= 1 + dim; old -= 1 + dim;"
LOOPS = "last = *ny - 1; for (j = 2; j <= last; ++j) { width = *nx - 1; for (i = 2; i <= width; ++i)"
CONDITIONS = {
    "sizes behind pointers": (
        f"{HEAD} {LOOPS} old[i + j * dim] = 1; }} }}",
        ["'dim + 2' is at least 'nx[0]'"],
    ),
    "shifted arrays": (
        f"{HEAD} {SHIFTED} {LOOPS} old[i + j * dim] = z[i + j * dim]; }} }}",
        ["'dim + 2' is at least 'nx[0]'", "'z' and 'old' do not overlap"],
    ),
    "a row that another iteration writes": (
        f"{HEAD} {LOOPS} old[i + j * dim] = old[i + (j - 1) * dim]; }} }}",
        None,
    ),
    "a size that the loop changes": (
        f"{HEAD} {LOOPS} old[i + j * dim] = 1; *nx += 1; }} }}",
        None,
    ),
}


@pytest.mark.parametrize(("text", "conditions"), CONDITIONS.values(), ids=CONDITIONS.keys())
def test_sizes_have_names_before_the_loop(text: str, conditions: list[str] | None) -> None:
    loop = outermost(text)
    assert loop.verdict is (Verdict.SERIAL if conditions is None else Verdict.CONDITIONAL)
    assert conditions is None or list(loop.condition_words) == conditions


STATIC = "double g(void); void f(double *restrict a, const double *restrict b, int n, int m) { static int i, j; static double t;"
LOCALS = {
    "private": (f"{STATIC} for (i = 0; i < n; i++) {{ t = b[i] * 2; a[i] = t + t * t; }} }}", True),
    "private, in an inner loop": (
        f"{STATIC} for (i = 0; i < n; i++) for (j = 0; j < m; j++) {{ t = b[i] * j; a[i * m + j] = t; }} }}",
        True,
    ),
    "read by the next call": (
        f"{STATIC} if (m) a[0] = t; for (i = 1; i < n; i++) if (b[i] > 0) {{ t = b[i] * 2; a[i] = t; }} }}",
        False,
    ),
    "read behind an inner loop": (
        f"{STATIC} for (i = 0; i < n; i++) for (j = 0; j < m; j++) {{ t = b[i] * j; a[i * m + j] = t; }} a[0] = t; }}",
        False,
    ),
    "read by the next call, with a first value": (
        f"{STATIC.replace('double t;', 'double t = 0;')} a[0] = t; for (i = 1; i < n; i++) if (b[i] > 0) {{ t = b[i] * 2; a[i] = t; }} }}",
        False,
    ),
    "private, with a first value": (
        f"{STATIC.replace('double t;', 'double t = 0;')} for (i = 0; i < n; i++) for (j = 0; j < m; j++) {{ t = b[i] * j; a[i * m + j] = t; }} }}",
        True,
    ),
    "declared in the loop": (
        f"{STATIC} for (i = 0; i < n; i++) {{ static int c = 0; c++; a[i] = c; }} }}",
        False,
    ),
    "declared in the loop, and only set": (
        f"{STATIC} for (i = 0; i < n; i++) {{ static double c = 1; if (b[i] > 0) c = b[i]; a[i] = c; }} }}",
        False,
    ),
    "from an earlier iteration": (
        f"{STATIC} for (i = 0; i < n; i++) {{ if (b[i] > 0) t = b[i]; a[i] = t; }} }}",
        False,
    ),
    "by its address": (
        f"{STATIC} double *p = &t; for (i = 0; i < n; i++) for (j = 0; j < m; j++) {{ t = j; a[i * m + j] = t; }} g(); *p = 0; }}",
        False,
    ),
}


@pytest.mark.parametrize(("text", "parallel"), LOCALS.values(), ids=LOCALS.keys())
def test_locals_that_are_static(text: str, parallel: bool) -> None:
    assert outermost(text).verdict.is_parallel == parallel
