"""Steps and subscripts that no affine function describes: strides, colours, unsigned sums, tables of constants.

Each loop is parallel, plainly or on a condition; its sibling differs in what decides, and is not so, or not
plainly.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.species.dependence.test_delinearise import holds
from tests.support.analysing import loops_of

HEAD = """#include <stddef.h>
#include <stdint.h>
typedef struct { unsigned w, h; size_t pitch; uint8_t *px; } image;
static const int edge[5] = { 0, 8, 16, 32, 64 };
static const signed char dx[8] = { 1, 1, 0, -1, -1, -1, 0, 1 };
static int table[5] = { 0, 8, 16, 32, 64 };
"""
PLAIN = {
    "the other half": (
        "float f[2][99][99]; void g(int now, int n) { for (int y = 0; y < n; y++) for (int x = 0; x < 98; x++) f[!now][y][x] = f[now][98 - y][x + 1]; }",
        "float f[2][99][99]; void g(int now, int n) { for (int y = 0; y < n; y++) for (int x = 0; x < 98; x++) f[!!now][y][x] = f[now][98 - y][x + 1]; }",
    ),
    "halves by a comparison": (
        "float f[2][99][99]; void g(int t, int n) { for (int y = 0; y < n; y++) for (int x = 0; x < 98; x++) f[t == 0][y][x] = f[t != 0][98 - y][x + 1]; }",
        "float f[2][99][99]; void g(int t, int n) { for (int y = 0; y < n; y++) for (int x = 0; x < 98; x++) f[t == 0][y][x] = f[t != 1][98 - y][x + 1]; }",
    ),
    "halves of the iterations": (
        "void g(float *a, int n) { for (int i = 0; i < n; i++) a[i + n * (i < 7)] = i; }",
        "void g(float *a, int n) { for (int i = 0; i < n; i++) a[i + (i < 7)] = i; }",
    ),
    "columns by strides": (
        "void f(float *a, int h, int w) { for (int c = 0; c < w; c++) for (int i = c; i < h * w; i += w) a[i] = a[i] * a[i] + c; }",
        "void f(float *a, int h, int w) { for (int c = 0; c <= w; c++) for (int i = c; i < h * w; i += w) a[i] = a[i] * a[i] + c; }",
    ),
    "butterflies": (
        "void f(float *a, int n, int len) { for (int i = 0; i < n; i += len) for (int j = 0; j < len / 2; j++) { float t = a[i + j + len / 2]; a[i + j + len / 2] = a[i + j] - t; a[i + j] += t; } }",
        "void f(float *a, int n, int len) { for (int i = 0; i < n; i += len) for (int j = 0; j < len / 2 + 1; j++) { float t = a[i + j + len / 2]; a[i + j + len / 2] = a[i + j] - t; a[i + j] += t; } }",
    ),
    "tiles": (
        "void f(float *a, int n, int s) { for (int i = 0; i < n; i += s) for (int j = 0; j < 512; j += s) for (int y = i; y < i + s && y < n; y++) for (int x = j; x < j + s && x < 512; x++) a[y * 512 + x] *= a[y * 512 + x]; }",
        "void f(float *a, int n, int s) { for (int i = 0; i < n; i += s) for (int j = 0; j < 512; j += s) for (int y = i; y < i + s + 1 && y < n; y++) for (int x = j; x < j + s && x < 512; x++) a[y * 512 + x] *= a[y * 512 + x]; }",
    ),
    "red and black": (
        "void f(double *u, int n, int red) { for (int i = 1; i < n - 1; i++) for (int j = 1 + (i + red) % 2; j < n - 1; j += 2) u[i * n + j] = u[(i - 1) * n + j] + u[i * n + j + 1]; }",
        "void f(double *u, int n, int red) { for (int i = 1; i < n - 1; i++) for (int j = 1 + (i + red) % 2; j < n - 1; j += 2) u[i * n + j] = u[(i - 1) * n + j - 1] + u[i * n + j + 1]; }",
    ),
    "red and black by masks": (
        "void f(double *u, int n, int red) { for (int i = 1; i < n - 1; i++) for (int j = 1 + ((i ^ red) & 1); j < n - 1; j += 2) u[i * n + j] = u[(i - 1) * n + j] + u[i * n + j + 1]; }",
        "void f(double *u, int n, int red) { for (int i = 1; i < n - 1; i++) for (int j = 1 + ((i | red) & 1); j < n - 1; j += 2) u[i * n + j] = u[(i - 1) * n + j] + u[i * n + j + 1]; }",
    ),
    "the other colour is left out": (
        "void f(double *u, int n, int red) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) { if ((i + j + red) % 2) continue; u[i * n + j] = u[(i - 1) * n + j] + u[i * n + j + 1]; } }",
        "void f(double *u, int n, int red) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) { if ((i + j + red) % 3) continue; u[i * n + j] = u[(i - 1) * n + j] + u[(i - 2) * n + j - 1]; } }",
    ),
    "strides that are differences": (
        "void f(float *a, int h, int w, int k, int r) { int oh = h - r + 1, ow = w - r + 1; for (int o = 0; o < k; o++) for (int y = 0; y < oh; y++) for (int x = 0; x < ow; x++) a[(o * oh + y) * ow + x] = o; }",
        "void f(float *a, int h, int w, int k, int r) { int oh = h - r + 1, ow = w - r + 1; for (int o = 0; o < k; o++) for (int y = 0; y < oh; y++) for (int x = 0; x < w; x++) a[(o * oh + y) * ow + x] = o; }",
    ),
    "tiles of a quotient": (
        "void f(float *a, int h, int w, int t) { for (int i = 0; i < h / t; i++) for (int j = 0; j < w / t; j++) for (int y = 0; y < t; y++) for (int x = 0; x < t; x++) a[(i * t + y) * w + j * t + x] = i; }",
        "void f(float *a, int h, int w, int t) { for (int i = 0; i < h / t; i++) for (int j = 0; j <= w / t; j++) for (int y = 0; y < t; y++) for (int x = 0; x < t; x++) a[(i * t + y) * w + j * t + x] = i; }",
    ),
    "a ring": (
        "void f(float *a, const int *restrict b, unsigned head) { for (int i = 0; i < 16; i++) a[(head + i) & 15u] = a[(head + i) & 15u] * b[i] + 1; }",
        "void f(float *a, const int *restrict b, unsigned head) { for (int i = 0; i < 17; i++) a[(head + i) & 15u] = a[(head + i) & 15u] * b[i] + 1; }",
    ),
    "bands of a table": (
        "void f(short *q, int n) { for (int b = 0; b < n; b++) for (int s = 0; s < 4; s++) for (int k = edge[s]; k < edge[s + 1]; k++) q[b * 64 + k] = q[b * 64 + k] + k; }",
        "void f(short *q, int n) { for (int b = 0; b < n; b++) for (int s = 0; s < 4; s++) for (int k = edge[s]; k < edge[s + 1]; k++) q[b * 63 + k] = q[b * 63 + k] * k + 1; }",
    ),
    "a table that may change": (
        "void f(short *q, int n) { for (int b = 0; b < n; b++) for (int s = 0; s < 4; s++) for (int k = edge[s]; k < edge[s + 1]; k++) q[b * 64 + k] = 3 * q[b * 64 + k] + k; }",
        "void f(short *q, int n) { for (int b = 0; b < n; b++) for (int s = 0; s < 4; s++) for (int k = table[s]; k < table[s + 1]; k++) q[b * 64 + k] = 3 * q[b * 64 + k] + k; } void set(int v) { table[4] = v; }",
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_is_parallel(name: str) -> None:
    assert loops_of(HEAD + PLAIN[name][0])[0].verdict is Verdict.PARALLEL


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PLAIN)
def test_its_sibling_is_not(name: str) -> None:
    assert loops_of(HEAD + PLAIN[name][1])[0].verdict is not Verdict.PARALLEL


OTHER_TYPES = {  # in which the step is another number modulo 2^32, or may be
    "a wide stride": "void f(float *a, int n, long w, int m) { for (int c = 0; c < m; c++) for (int p = c; p < n; p += w) a[p] = a[p] * 3 + c; }",
    "an unsigned stride of an int": "void f(float *a, int n, unsigned w, int m) { for (int c = 0; c < m; c++) for (int p = c; p < n; p += w) a[p] = a[p] * 3 + c; }",
    "a size as the stride of a long": "void f(float *a, long n, size_t w, int m) { for (int c = 0; c < m; c++) for (long p = c; p < n; p += w) a[p] = a[p] * 3 + c; }",
}


@pytest.mark.parametrize("text", OTHER_TYPES.values(), ids=OTHER_TYPES.keys())
def test_beyond_affine_of_other_types_are_not_counted_on(text: str) -> None:
    outer, inner = loops_of(HEAD + text)
    assert not outer.verdict.is_parallel and "CV307" in {reason.code for reason in inner.reasons}


CONDITIONAL = {
    "neighbours in a table": (
        "void f(int *o, const int *z, int h, int w) { for (int y = 1; y < h - 1; y++) for (int x = 1; x < w - 1; x++) { int s = 0; for (int k = 0; k < 8; k++) s += z[(y + dx[k]) * w + x + dx[7 - k]]; o[y * w + x] = s; } }",
        "'z' and 'o' do not overlap",
    ),
    "unsigned subscripts": (
        "void f(float *c, uint32_t n) { for (uint32_t f = 0; f < n; f++) for (unsigned k = 0; k < 13; k++) c[f * 13 + k] = k; }",
        "'n*13' is at most 4294967296",
    ),
    "unsigned subscripts in rows": (
        "void f(float *c, unsigned n, unsigned w) { for (unsigned f = 0; f < n; f++) for (unsigned k = 0; k < w; k++) c[f * w + k] = k; }",
        "'n*w' is at most 4294967296",
    ),
    "a bound beside bytes": (
        "void f(image *m) { for (unsigned y = 0; y < m->h; y++) for (unsigned x = 0; x < m->w; x++) m->px[y * m->pitch + x] = x; }",
        "'m' and 'm->px' do not overlap",
    ),
    "blocks of a fixed size": (
        "void f(float *a, int h, int w) { for (int i = 0; i < h; i += 8) for (int j = 0; j < w; j += 8) for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) a[(i + y) * w + j + x] = i; }",
        "'w' is a multiple of 8",
    ),
    "red and black in rows of another size": (
        "void f(double *u, int n, int m, int ld, int red) { for (int i = 1; i < n - 1; i++) for (int j = 1 + ((i + red) & 1); j < m - 1; j += 2) u[i * ld + j] = u[(i - 1) * ld + j] + u[i * ld + j + 1]; }",
        "'ld + 1' is at least 'm'",
    ),
    "an offset of the other colour": (
        "void f(double *u, const double *w, int n, int red) { for (int i = 1; i < n - 1; i++) for (int j = 1 + (i + red) % 2; j < n - 1; j += 2) u[i * n + j] = w[i * n + j]; }",
        "'w' and 'u' do not overlap",
    ),
    "strides of a size": (
        "void f(float *a, size_t n, size_t s) { for (size_t i = 0; i < n; i += s) for (size_t k = i; k < i + s && k < n; k++) a[k] = a[k] * 2 + 1; }",
        "'s' is at most 2147483647",
    ),
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_asks(name: str) -> None:
    text, words = CONDITIONAL[name]
    loop = loops_of(HEAD + text)[0]
    assert loop.verdict is Verdict.CONDITIONAL and words in loop.condition_words


def test_products_of_unsigned_sizes_are_computed_in_a_type_that_holds_them() -> None:
    (condition,) = loops_of(HEAD + CONDITIONAL["unsigned subscripts in rows"][0])[0].conditions
    assert "(__int128)n*(__int128)w" in condition


def test_no_subscript_wraps_around_where_the_condition_holds() -> None:
    (condition,) = loops_of(HEAD + CONDITIONAL["unsigned subscripts"][0])[0].conditions
    most = 2**32 // 13
    assert [holds(condition, n=n) for n in (0, 1, most, most + 1, 2**32 - 1)] == [True] * 3 + [False] * 2
