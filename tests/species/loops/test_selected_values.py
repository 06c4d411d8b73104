"""Variables that some iterations assign, such as the index of the largest element: where their values lie.

Each outer loop is parallel, perhaps on a condition; its sibling meets what another iteration writes.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from species.loops.walk.selected_indices import Assigned, is_complete, known_of
from species.sets.affine import Affine, Counter, Value, constant
from species.sets.conditions import Both, Compare, Fact
from species.symbols.types import INT
from tests.support.analysing import outermost

ROWS = "void f(double *restrict a, double *restrict o, const int *restrict q, int n, int m) { for (int i = 0; i < n; i++) { double *r = a + i * m; int best = 0, j;"
IMAGES = "void f(float *restrict img, float *restrict o, int n, int h, int w) { for (int k = 0; k < n; k++) { float *p = img + (long)k * h * w; int at = 0;"
SEARCH = "for (j = 1; j < m; j++) if (r[j] > r[best]) best ="
PAIRS = {
    "the largest of a row": (
        f"{ROWS} {SEARCH} j; o[i] = r[best]; r[best] = 0; }} }}",
        f"{ROWS} {SEARCH} j + 1; o[i] = r[best]; r[best] = 0; }} }}",
    ),
    "not the first one": (
        f"{ROWS} best = 1; if (m < 2) continue; for (j = 2; j < m; j++) if (r[j] > r[best]) best = j; r[best] = 0; r[best - 1] = 1; }} }}",
        f"{ROWS} best = 1; if (m < 2) continue; for (j = 0; j < m; j++) if (r[j] > r[best]) best = j; r[best] = 0; r[best - 1] = 1; }} }}",
    ),
    "one of two": (
        f"{ROWS} if (m < 4) continue; for (j = 1; j < m - 2; j++) {{ if (r[j] > 5) best = j; else if (r[j] < 1) best = j + 2; }} r[best] = 0; }} }}",
        f"{ROWS} if (m < 4) continue; for (j = 1; j < m - 2; j++) {{ if (r[j] > 5) best = j; else if (r[j] < 1) best = j + 3; }} r[best] = 0; }} }}",
    ),
    "from memory": (
        f"{ROWS} if (m < 1) continue; for (j = 0; j < m; j++) if (q[j] > 2) {{ int c = j; best = c; }} r[best] = 0; }} }}",
        f"{ROWS} if (m < 1) continue; for (j = 0; j < m; j++) if (q[j] > 2) {{ int c = q[j]; best = c; }} r[best] = 0; }} }}",
    ),
    "counted as well": (
        f"{ROWS} if (m < 1) continue; for (j = 0; j < m; j++) if (q[j] > 2) best = j; r[best] = 0; }} }}",
        f"{ROWS} if (m < 1) continue; for (j = 0; j < m; j++) {{ if (q[j] > 2) best = j; best++; }} r[best] = 0; }} }}",
    ),
    "backwards": (
        f"{ROWS} if (m < 1) continue; for (j = m - 1; j >= 0; j--) if (r[j] > r[best]) best = j; r[best] = 0; }} }}",
        f"{ROWS} if (m < 1) continue; for (j = m; j >= 0; j--) if (r[j] > r[best]) best = j; r[best] = 0; }} }}",
    ),
    "of an image": (
        f"{IMAGES} for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) if (p[y * w + x] > p[at]) at = y * w + x; o[k] = p[at]; p[at] = 0; }} }}",
        f"{IMAGES} for (int y = 0; y < h; y++) for (int x = 0; x <= w; x++) if (p[y * w + x] > p[at]) at = y * w + x; o[k] = p[at]; p[at] = 0; }} }}",
    ),
    "a pivot": (
        "void f(double *restrict a, int n, int m) { for (int s = 0; s < m; s++) { double *A = a + s * n * n; for (int k = 0; k < n; k++) { int p = k; for (int i = k + 1; i < n; i++) if (A[i * n + k] > A[p * n + k]) p = i; for (int j = 0; j < n; j++) { double t = A[k * n + j]; A[k * n + j] = A[p * n + j]; A[p * n + j] = t; } } } }",
        "void f(double *restrict a, int n, int m) { for (int s = 0; s < m; s++) { double *A = a + s * n * n; for (int k = 0; k < n; k++) { int p = k; for (int i = k + 1; i <= n; i++) if (A[i * n + k] > A[p * n + k]) p = i; for (int j = 0; j < n; j++) { double t = A[k * n + j]; A[k * n + j] = A[p * n + j]; A[p * n + j] = t; } } } }",
    ),
    "a pivot of type size_t, in a helper": (
        "typedef unsigned long size_t; static void lu(double *a, size_t n) { for (size_t k = 0; k < n; k++) { size_t p = k; for (size_t i = k + 1; i < n; i++) if (a[i * n + k] > a[p * n + k]) p = i; for (size_t j = 0; j < n; j++) { double t = a[k * n + j]; a[k * n + j] = a[p * n + j]; a[p * n + j] = t; } } } void f(double *restrict a, size_t n, size_t m) { for (size_t s = 0; s < m; s++) lu(a + s * n * n, n); }",
        "typedef unsigned long size_t; static void lu(double *a, size_t n) { for (size_t k = 0; k < n; k++) { size_t p = k; for (size_t i = k + 1; i <= n; i++) if (a[i * n + k] > a[p * n + k]) p = i; for (size_t j = 0; j < n; j++) { double t = a[k * n + j]; a[k * n + j] = a[p * n + j]; a[p * n + j] = t; } } } void f(double *restrict a, size_t n, size_t m) { for (size_t s = 0; s < m; s++) lu(a + s * n * n, n); }",
    ),
}


@pytest.mark.parametrize(("parallel", "serial"), PAIRS.values(), ids=PAIRS.keys())
def test_where_they_lie(parallel: str, serial: str) -> None:
    assert outermost(parallel).verdict.value in ("parallel", "conditional")
    assert outermost(serial).verdict.value == "serial"


def test_what_is_not_looked_at_may_assign_anything() -> None:
    """Of two assignments, one alone was seen: the other may stand in a loop that was too much work."""
    j, first = Affine.of(Counter(1)), constant(0)
    one, other = object(), object()
    seen = [Assigned(one, j, (Compare(-j + 9),))]
    assert is_complete([one], seen)
    assert not is_complete([one, other], seen)
    best = Affine.of(Value(("new", 1), frozenset(), "best", INT))
    fact = known_of(best, first, seen, 1)
    assert fact is not None
    assert fact == Fact((Both((Compare(best, True),)), Both((Compare(best), Compare(-best + 9)))), fact.value)
    assert known_of(best, None, seen, 1) is None
    assert known_of(best, first, [*seen, Assigned(other, None, ())], 1) is None
    assert known_of(best, first, [Assigned(one, j, ())], 1) is None  # without an end
