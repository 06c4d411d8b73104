"""Values with limits: clamped by branches, by functions with early returns, and sizes in bytes.

Each loop is parallel; its sibling leaves its share in some iteration.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from tests.support.analysing import loops_of, outermost

HEAD = """#include <stddef.h>
#include <stdint.h>
#include <string.h>
static int map[512 * 512]; static uint32_t day[1 << 20];
typedef struct { unsigned n; uint64_t h[65]; } sketch;
static int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }
static int limited(int v, int lo, int hi) { if (v < lo) return lo; if (v > hi) return hi; return v; }
static int low(int v, int lo) { if (v < lo) return lo; return v; }
static void put(sketch *s, uint64_t v) { unsigned k; for (k = s->n; k > 0 && s->h[k - 1] > v; --k); if (s->n < 64) ++s->n;
  memmove(s->h + k + 1, s->h + k, (s->n - 1 - k) * sizeof(uint64_t)); s->h[k] = v; }
"""
TILE = "void f(const int *restrict a, int n) { for (int t = 0; t < 16; t++) for (int k = 0; k < n; k++) {"
ROWS = "void f(float *restrict h, const float *restrict a, int n, int w) { for (int y = 0; y < n; y++) for (int x = 0; x < w; x++) {"
BLOCKS = "void f(const uint64_t *restrict w, size_t n, size_t m) { for (size_t b = 0; b < m; b++) {"
PAIRS = {
    "by branches": (
        f"{TILE} int x = a[k], e = a[k + n]; if (x < t * 32) x = t * 32; if (e > t * 32 + 31) e = t * 32 + 31; for (; x <= e; x++) map[x] = t; }} }}",
        f"{TILE} int x = a[k], e = a[k + n]; if (x < t * 32) x = t * 32; if (e > t * 32 + 32) e = t * 32 + 32; for (; x <= e; x++) map[x] = t; }} }}",
    ),
    "by one branch or the other": (
        f"{TILE} int x = a[k]; if (x < t * 32) x = t * 32; else if (x > t * 32 + 31) x = t * 32 + 31; map[x] = t; }} }}",
        f"{TILE} int x = a[k]; if (x < t * 32) x = t * 32; else if (x > t * 32 + 31) x = t * 32 + 33; map[x] = t; }} }}",
    ),
    "a value that is not the one compared": (
        f"{TILE} int x = a[k]; if (x < t * 32) x = t * 32; if (x > t * 32 + 31) x = t * 32 + 31; map[x] = t; }} }}",
        f"{TILE} int x = a[k]; if (a[k] < t * 32) x = t * 32; if (a[k + 1] > t * 32 + 31) x = t * 32 + 31; map[x] = t; }} }}",
    ),
    "by a function": (
        f"{TILE} for (int x = clamp(a[k], t * 32, t * 32 + 31); x <= clamp(a[k + n], t * 32, t * 32 + 31); x++) map[x] = t; }} }}",
        f"{TILE} for (int x = clamp(a[k], t * 32, t * 32 + 31); x <= clamp(a[k + n], t * 32, t * 32 + 33); x++) map[x] = t; }} }}",
    ),
    "by early returns": (
        f"{TILE} int x = limited(a[k], t * 32, t * 32 + 31); map[x] = t; }} }}",
        f"{TILE} int x = limited(a[k], t * 31, t * 32 + 31); map[x] = t; }} }}",
    ),
    "from one side": (
        f"{TILE} int x = low(a[k], t * 32); if (x > t * 32 + 31) continue; map[x] = t; }} }}",
        f"{TILE} int x = low(a[k], t * 32); if (x > 512) continue; map[x] = t; }} }}",
    ),
    "in two dimensions": (
        f"{TILE} int x0 = clamp(a[k], 0, 31), x1 = clamp(a[k + 1], 0, 31), y0 = limited(a[k], t * 32, t * 32 + 31), y1 = limited(a[k + 1], t * 32, t * 32 + 31); for (int y = y0; y <= y1; y++) for (int x = x0; x <= x1; x++) map[y * 512 + x] += 2; }} }}",
        f"{TILE} int x0 = clamp(a[k], 0, 31), x1 = clamp(a[k + 1], 0, 31), y0 = limited(a[k], t * 32, t * 32 + 31), y1 = limited(a[k + 1], t * 32, t * 32 + 32); for (int y = y0; y <= y1; y++) for (int x = x0; x <= x1; x++) map[y * 512 + x] = t; }} }}",
    ),
    "bins of a row": (
        f"{ROWS} int k = (int)(a[y * w + x] * 255); if (k < 0) k = 0; else if (k > 255) k = 255; h[y * 256 + k] += 1; }} }}",
        f"{ROWS} int k = (int)(a[y * w + x] * 255); if (k < 0) k = 0; else if (k > 255) k = 255; h[y * 255 + k] = x; }} }}",
    ),
    "the last block": (
        f"{BLOCKS} size_t lo = b * 1024, hi = lo + 1024; if (hi > n) hi = n; for (size_t i = lo; i < hi; i++) day[i] = (uint32_t)w[i]; }} }}",
        f"{BLOCKS} size_t lo = b * 1024, hi = lo + 1025; if (hi > n) hi = n; for (size_t i = lo; i < hi; i++) day[i] = (uint32_t)w[b]; }} }}",
    ),
    "what is left": (
        f"{BLOCKS} uint32_t *d = day + b * 1024; size_t left = n - b * 1024; if (left > 1024) left = 1024; while (left--) *d++ = (uint32_t)w[left]; }} }}",
        f"{BLOCKS} uint32_t *d = day + b * 1024; size_t left = n - b * 1024; if (left > 1025) left = 1025; while (left--) *d++ = (uint32_t)w[b]; }} }}",
    ),
    "bytes of a product": (
        "void f(float *g, int m, int a, int k) { for (int o = 0; o < m; o++) { float *r = g + o * a * k * k; memset(r, 0, sizeof(float) * a * k * k); r[0] = o; } }",
        "void f(float *g, int m, int a, int k) { for (int o = 0; o < m; o++) { float *r = g + o * a * k * k; memset(r, 0, sizeof(float) * (a + 1) * k * k); r[0] = o; } }",
    ),
    "bytes within a structure": (
        "void f(sketch *s, int n, const uint64_t *restrict v, int m) { for (int i = 0; i < n; i++) { s[i].n = 0; for (int j = 0; j < m; j++) put(&s[i], v[j]); } }",
        "void f(sketch *s, int n, const uint64_t *restrict v, int m) { for (int i = 0; i < n; i++) { s[i].n = 0; for (int j = 0; j < m; j++) put(&s[i / 2], v[j]); } }",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_values_between_limits(name: str) -> None:
    assert outermost(HEAD + PAIRS[name][0]).verdict.is_parallel


@pytest.mark.parametrize("name", PAIRS)
def test_values_beyond_them(name: str) -> None:
    assert not outermost(HEAD + PAIRS[name][1]).verdict.is_parallel


def test_bytes_of_a_product_may_be_fewer() -> None:
    """The product may have wrapped around: what a private array has from before may be read."""
    text = "#include <string.h>\nstatic int w[64]; void f(int *p, int n, int a, int b, int c) { for (int i = 0; i < n; i++) { memset(w, 0, sizeof(int) * a * b * c); p[i] = w[0]; w[i] = 3; } }"
    assert not loops_of(text)[0].verdict.is_parallel
