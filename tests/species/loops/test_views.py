"""Numbers in memory of another type are known by their bytes: pitches in bytes, records in a buffer.

Each loop is parallel on the sizes that are named, or plainly; its sibling differs in what decides, and is not so.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.species.dependence.test_delinearise import holds
from tests.support.analysing import loops_of

HEAD = """#include <stddef.h>
#include <stdint.h>
#include <string.h>
typedef struct { uint8_t *base; int w, h; ptrdiff_t pitch; } image;
#define ROW(im, y) ((uint16_t *)((im)->base + (y) * (im)->pitch))
"""
ROWS = {
    "a row of its own": (
        "void f(image *im) { for (int y = 0; y < im->h; y++) { float *row = (float *)(im->base + y * im->pitch);"
        " for (int x = 0; x < im->w; x++) row[x] = y; } }",
        "'im->pitch' is at least 'im->w*4'",
    ),
    "rows by a macro": (
        "void f(image *im) { for (int y = 0; y < im->h; y++) for (int x = 0; x < im->w; x++)"
        " ROW(im, y)[x] = ROW(im, y)[x] >> 1; }",
        "'im->pitch' is at least 'im->w*2'",
    ),
    "void in between": (
        "void f(char *p, int n, int m, long k) { for (int i = 0; i < n; i++) {"
        " int *z = (int *)(void *)(p + i * k); for (int j = 0; j < m; j++) z[j] += i; } }",
        "'k' is at least 'm*4'",
    ),
}
PLAIN = {
    "pitches that are known": (
        "void f(char *p, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) ((int *)(p + i * 16))[j] = j; }",
        "void f(char *p, int n) { for (int i = 0; i < n; i++) for (int j = 0; j < 5; j++) ((int *)(p + i * 16))[j] = j; }",
    ),
    "records": (
        "void f(char *p, int n) { for (int i = 0; i < n; i++) { *(int *)(p + 6 * i) = i; *(short *)(p + 6 * i + 4) = 1; } }",
        "void f(char *p, int n) { for (int i = 0; i < n; i++) { *(int *)(p + 6 * i) = i; *(int *)(p + 6 * i + 4) = 1; } }",
    ),
    "every other half": (
        "void f(double *d) { int *w = (int *)d; for (int i = 0; i < 100; i++) w[2 * i] = w[2 * i + 1]; }",
        "void f(double *d) { int *w = (int *)d; for (int i = 1; i < 100; i++) w[2 * i] = w[2 * i - 2]; }",
    ),
    "a type in place of another": (
        "void f(double *d) { float *w = (float *)d; for (int i = 0; i < 50; i++) w[i] = d[i + 50]; }",
        "void f(double *d) { float *w = (float *)d; for (int i = 0; i < 100; i++) w[i] = d[i]; }",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_apart_where_the_pitch_holds_them(name: str) -> None:
    text, words = ROWS[name]
    outer, inner = loops_of(HEAD + text)
    assert inner.verdict is Verdict.PARALLEL
    assert outer.verdict is Verdict.CONDITIONAL and words in outer.condition_words


def test_the_condition_counts_bytes() -> None:
    (condition,) = loops_of(HEAD + ROWS["void in between"][0])[0].conditions
    assert [holds(condition, k=k, m=3) for k in (11, 12, 13)] == [False, True, True]


@pytest.mark.parametrize("name", PLAIN)
def test_is_parallel(name: str) -> None:
    assert loops_of(HEAD + PLAIN[name][0])[0].verdict is Verdict.PARALLEL


@pytest.mark.parametrize("name", PLAIN)
def test_its_sibling_is_not(name: str) -> None:
    assert not loops_of(HEAD + PLAIN[name][1])[0].verdict.is_parallel


def test_bytes_of_sums_are_no_reduction() -> None:
    (loop,) = loops_of(HEAD + "void f(char *p, int n) { for (int i = 0; i < n; i++) *(int *)p += i; }")
    assert not loop.verdict.is_parallel and not loop.reductions
