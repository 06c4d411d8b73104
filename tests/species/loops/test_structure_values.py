"""The values of structures, member by member; pointers in unions, and those that are null now and then."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from species.facts.loops import LoopFacts, Verdict
from tests.support.analysing import loops_of

VIEW = """#include <stddef.h>
#include <string.h>
#include <stdlib.h>
typedef struct { float *data; size_t rows, cols, stride; } view;
typedef struct { view a; int k; } nested;
static view columns(const view *v, size_t first, size_t n) { return (view){ .data = v->data + first, .rows = v->rows, .cols = n, .stride = v->stride }; }
static view by_position(float *p, size_t n, size_t w) { view v = { p, n, w, w }; return v; }
static nested inside(view *v) { nested x = { .a = { v->data, v->rows, v->cols, v->stride }, .k = 3 }; return x; }
"""
BODY = "for (size_t i = 0; i < n; i++) for (size_t c = 0; c < hd; c++) t.data[i * t.stride + c] = h;"
HEADS = "void f(view *y, size_t heads, size_t hd, size_t n) { for (size_t h = 0; h < heads; h++) {"
WORDS = "'y->stride' is at least 'hd*heads'"
KNOWN = {
    "an initialiser": f"{HEADS} view t = {{ .data = y->data + h * hd, .rows = n, .cols = hd, .stride = y->stride }}; {BODY} }} }}",
    "a literal": f"{HEADS} view t = (view){{ .stride = y->stride, .data = y->data + h * hd }}; {BODY} }} }}",
    "an assignment": f"{HEADS} view t; t = (view){{ y->data + h * hd, n, hd, y->stride }}; {BODY} }} }}",
    "a function": f"{HEADS} view t = columns(y, h * hd, hd); {BODY} }} }}",
    "a copy": f"{HEADS} view s = columns(y, h * hd, hd), t = s; {BODY} }} }}",
    "a pointer first": f"{HEADS} float *d = y->data + h * hd; view t = {{ d, n, hd, y->stride }}; {BODY} }} }}",
}  # fmt: skip


def _first(text: str) -> LoopFacts:
    return next(loop for loop in loops_of(VIEW + text) if loop.function == "f" and loop.depth == 0)


@pytest.mark.parametrize("name", KNOWN)
def test_members_of_local_structures_are_known(name: str) -> None:
    loop = _first(KNOWN[name])
    assert loop.verdict is Verdict.CONDITIONAL and WORDS in loop.condition_words


OTHERS = {
    "changed": KNOWN["a literal"].replace(BODY, f"t.data = y->data; {BODY}"),
    "changed by a function": KNOWN["a literal"].replace(BODY, f"memset(&t.stride, 0, 8); {BODY}"),
    "another one": KNOWN["a literal"].replace(BODY, f"if (h == 3) t = *y; {BODY}"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_members_that_change_are_not(name: str) -> None:
    assert not _first(OTHERS[name]).verdict.is_parallel


def test_structures_by_position_and_inside_of_others() -> None:
    text = "void f(float *p, size_t n, size_t w) { for (size_t i = 0; i < n; i++) { view t = by_position(p, n, w); for (size_t c = 0; c < w; c++) t.data[i * t.stride + c] = c; } }"
    assert _first(text).verdict is Verdict.PARALLEL
    text = "void f(view *v, size_t n) { for (size_t i = 0; i < n; i++) { nested t = inside(v); for (size_t c = 0; c < v->cols; c++) t.a.data[i * t.a.stride + c] = c; } }"
    assert "'v->stride' is at least 'v->cols'" in _first(text).condition_words


ELIDED = """typedef struct { int stride, off; } so;
void f(int *y, int n, int *ok, so s, so t) { for (int i = 0; i < n; i++) { %s for (int c = 0; c < 8; c++) y[i * u.stride + c + u.off] = i; } }
"""
UNKNOWN = {
    "one of two": "so u = ok[i] ? t : s;",
    "one of two literals": "so u = ok[i] ? (so){ 8, 0 } : (so){ 1, 0 };",
    "braces that an array has not": "struct { int d[2]; int stride, off; } u = { 0, 8, 1 };",
    "braces that characters have not": "struct { char d[4]; int stride, off; } u = { 'a', 8 };",
    "braces that a union has not": "struct { union { struct { int a, b; } s; long z; } d; int stride, off; } u = { 0, 8, 1 };",
}  # fmt: skip


@pytest.mark.parametrize("made", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_members_that_are_not_clear_are_not_known(made: str) -> None:
    assert not loops_of(ELIDED % made)[0].verdict.is_parallel
    known = "struct { int d[2]; int stride, off; } u = { { 0, 8 }, 8 };"
    assert loops_of(ELIDED % known)[0].verdict is Verdict.PARALLEL


UNION = """#include <stdlib.h>
#include <stdint.h>
typedef struct { size_t n; union { int32_t *i; double *d; void *raw; } as; double *low; } column;
static double get(const column *c, size_t r, int k) { return k ? c->as.i[r] : c->as.d[r]; }
static void f(column *c, int k) { for (size_t z = 0; z < c->n / 8; z++) { double least = 1e9; for (size_t r = 8 * z; r < 8 * z + 8; r++) { double x = get(c, r, k); if (x < least) least = x; } c->low[z] = least; } }
int main(int argc, char **argv) { size_t n = argc * 1000; column *c = malloc(sizeof *c); if (!c) return 1; %s; if (!c->low) return 1; f(c, argc); return c->low[3] > 2; }
"""
MADE = "*c = (column){ .n = n, .as.raw = calloc(n, 8), .low = calloc(n, 8) }"


def test_a_union_of_pointers_is_one_pointer() -> None:
    assert loops_of(UNION % MADE)[0].verdict is Verdict.PARALLEL


def test_a_union_of_pointers_may_lead_to_what_another_member_does() -> None:
    same = "c->n = n; c->low = calloc(n, 8); c->as.d = c->low"
    assert loops_of(UNION % same)[0].verdict is not Verdict.PARALLEL
    numbers = UNION.replace("void *raw;", "uintptr_t raw;") % MADE
    assert loops_of(numbers)[0].verdict is not Verdict.PARALLEL


NULL = """#include <stdlib.h>
typedef double (*act)(double);
static double half(double x) { return x / 2; } static double twice(double x) { return 2 * x; }
static void f(double *y, const double *x, const double *dx, act a, int n) { for (int i = 0; i < n; i++) { double t = x[i]; if (dx) t += dx[n - 1 - i]; if (a) t = a(t); y[i] = t; } }
int main(int argc, char **argv) { int n = argc * 1000; double *p = malloc(n * 8), *q = malloc(n * 8), *r = malloc(n * 8); if (!p || !q || !r) return 1; for (int i = 0; i < n; i++) p[i] = q[i] = i; %s return r[3] > 1; }
"""


def test_pointers_are_null_in_some_calls() -> None:
    assert (
        loops_of(NULL % "f(r, p, q, half, n); f(r, p, NULL, NULL, n); f(r, p, 0, twice, n);")[0].verdict
        is Verdict.PARALLEL
    )
    assert loops_of(NULL % "f(r, p, NULL, NULL, n); f(r, p, r, twice, n);")[0].verdict is not Verdict.PARALLEL


def test_a_flexible_array_is_behind_all_other_members() -> None:
    text = """#include <stddef.h>
#include <string.h>
struct vault { size_t stripes; unsigned char code[4], blob[]; };
void f(struct vault *v, size_t n) { for (size_t s = 0; s < n; s++) { memset(v->blob + s * 64, 0, 64); v->blob[s * 64 + 3] = v->code[2]; } }
"""
    assert loops_of(text)[0].verdict is Verdict.PARALLEL
    assert (
        loops_of(text.replace("blob + s * 64, 0, 64", "blob + s * 64, 0, 65"))[0].verdict
        is not Verdict.PARALLEL
    )
