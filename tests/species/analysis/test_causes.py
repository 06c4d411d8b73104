"""Loops as application programmers write them: parallel, plainly or on a condition that their data meets.

Each has a sibling that differs in what decides, and must not be parallel.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from species import AnalysisOptions, analyse
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of

HEAD = """#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int w, h, pitch; float *px; uint8_t *byte; int *cell; } image;
#define AT(a, b, c) (((size_t)(a) * m + (b)) * m + (c))
"""
EACH = """typedef void (*visit)(int i, int k, void *to);
static void each(int i, int m, visit f, void *to) { for (int k = 0; k < m; k++) if (k != i) f(i, k, to); }
static void all(int i, visit f, void *to) { each(i, 9, f, to); }
"""
BOTH = {
    "a function that a helper is given": (
        EACH + "static void add(int i, int k, void *to) { *(double *)to += i * k; }"
        " void f(double *o, int n) { for (int i = 0; i < n; i++) { double t = 0; each(i, 7, add, &t); o[i] = t; } }",
        EACH + "static double t; static void add(int i, int k, void *to) { *(double *)to += i * k; }"
        " void f(double *o, int n) { for (int i = 0; i < n; i++) { each(i, 7, add, &t); o[i] = t; } }",
    ),
    "a function that two helpers are given": (
        EACH + "static void add(int i, int k, void *to) { double *t = to; t[0] += i; t[1] += k; }"
        " void f(double *o, int n) { for (int i = 0; i < n; i++) { double t[2] = { 0 }; all(i, add, t); o[i] = t[1]; } }",
        EACH + "static double *out; static void add(int i, int k, void *to) { (void)to; out[k] = i; }"
        " void f(double *o, int n) { out = o; for (int i = 0; i < n; i++) { double t[2] = { 0 }; all(i, add, t); o[i] = t[1]; } }",
    ),
    "one of two functions, called as *f": (
        "static int up(int v) { return v + 1; } static int down(int v) { return v - 1; }"
        " static int by(int v, int (*g)(int)) { return (*g)(v) + g(v); }"
        " void f(int *o, int n) { for (int i = 0; i < n; i++) o[i] = by(i, up) + by(i, &down); }",
        "static int last; static int up(int v) { return last = v + last; } static int down(int v) { return v - 1; }"
        " static int by(int v, int (*g)(int)) { return (*g)(v) + g(v); }"
        " void f(int *o, int n) { for (int i = 0; i < n; i++) o[i] = by(i, up) + by(i, &down); }",
    ),
    "a difference under a cast, in three dimensions": (
        "void f(double *o, const double *s, int m) { for (int a = 2; a < m - 2; a++) for (int b = 0; b < m; b++) for (int c = 0; c < m; c++) {"
        " double t = 0; for (int q = 1; q <= 2; q++) t += s[AT(a - q, b, c)]; o[AT(a, b, c)] = t; } }",
        "void f(double *o, int m) { for (int a = 2; a < m - 2; a++) for (int b = 0; b < m; b++) for (int c = 0; c < m; c++) {"
        " double t = 0; for (int q = 1; q <= 2; q++) t += o[AT(a - q, b, c)]; o[AT(a, b, c)] = t; } }",
    ),
    "rows that wrap around": (
        "void f(float *o, const float *s, int n, int m) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {"
        " int up = (i + 1) % n, left = (j + m - 1) % m; o[i * m + j] = s[up * m + j] + s[i * m + left]; } }",
        "void f(float *o, int n, int m) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {"
        " int up = (i + 1) % n, left = (j + m - 1) % m; o[i * m + j] = o[up * m + j] + o[i * m + left]; } }",
    ),
    "a masked subscript of a table": (
        "void f(float *o, const float *t, const unsigned *k, int n, int mask) { for (int i = 0; i < n; i++) o[i] = t[k[i] & mask]; }",
        "void f(float *o, const float *t, const unsigned *k, int n, int mask) { for (int i = 0; i < n; i++) o[k[i] & mask] = t[i]; }",
    ),
    "a cell chosen at the border, in three dimensions": (
        "void f(int nx, int ny, int nz, float *s, float *o) { for (int z = 0; z < nz; z++) for (int y = 0; y < ny; y++) for (int x = 0; x < nx; x++) {"
        " int c = x + y * nx + z * nx * ny, w = x == 0 ? c : c - 1; o[c] = s[c] + s[w]; } }",
        "void f(int nx, int ny, int nz, float *o) { for (int z = 0; z < nz; z++) for (int y = 0; y < ny; y++) for (int x = 0; x < nx; x++) {"
        " int c = x + y * nx + z * nx * ny, w = z == 0 ? c : c - nx * ny; o[c] = o[c] + o[w]; } }",
    ),
    "bytes beside their size": (
        "void f(const image *s, image *d) { long n = (long)s->w * s->h; for (long i = 0; i < n; i++) d->byte[i] = 255 - s->byte[i]; }",
        "void f(const image *s, image *d) { long n = (long)s->w * s->h; for (long i = 1; i < n; i++) d->byte[i] = 255 - d->byte[i - 1]; }",
    ),
    "rows beside their number, all but one": (
        "void f(image *g, int k) { const int *t = g->cell + (size_t)k * g->w; const int n = g->w; for (int i = 0; i < n; i++) {"
        " if (i == k) continue; int *m = g->cell + (size_t)i * g->w; for (int j = 0; j < n; j++) m[j] += t[j]; } }",
        "void f(image *g, int k) { const int n = g->w; for (int i = 0; i < n; i++) { const int *t = g->cell + (size_t)(i + 1) * g->w;"
        " if (i == k) continue; int *m = g->cell + (size_t)i * g->w; for (int j = 0; j < n; j++) m[j] += t[j]; } }",
    ),
    "a callee with a loop over a member": (
        "static void filter(const image *t, float *v) { for (int i = 1; i < t->w; i++) v[i] += v[i - 1] * t->px[i]; }"
        " void f(const image *t, float *g) { int n = t->w; for (int c = 0; c < n; c++) { float v[256]; for (int r = 0; r < n; r++) v[r] = g[(size_t)r * n + c];"
        " filter(t, v); for (int r = 0; r < n; r++) g[(size_t)r * n + c] = v[r]; } }",
        "static void filter(image *t, float *v) { for (int i = 1; i < t->w; i++) t->px[i] += v[i - 1] * t->px[i]; }"
        " void f(image *t, float *g) { int n = t->w; for (int c = 0; c < n; c++) { float v[256]; for (int r = 0; r < n; r++) v[r] = g[(size_t)r * n + c];"
        " filter(t, v); for (int r = 0; r < n; r++) g[(size_t)r * n + c] = v[r]; } }",
    ),
    "a pointer that moves on, up to a member": (
        "void f(const float *s, image *o) { float *d = o->px; for (int y = 0; y < o->h; y++) for (int x = 0; x < o->w; x++) *d++ = s[y * 9 + x]; }",
        "void f(const float *s, image *o) { int *d = o->cell; for (int y = 0; y < o->h; y++) for (int x = 0; x < o->w; x++) *d++ = d == &o->w ? 3 : 4; }",
    ),
    "planes that are another size apart": (
        "void f(const float *restrict k, float *restrict o, int n, int oc, int h, int w, int OC, int H, int W) { for (int i = 0; i < n; i++) for (int c = 0; c < oc; c++) {"
        " float *d = o + ((size_t)i * OC + c) * H * W; for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y * w + x] += k[c]; } }",
        "void f(const float *restrict k, float *restrict o, int n, int oc, int h, int w, int OC, int H, int W) { for (int i = 0; i < n; i++) for (int c = 0; c < oc; c++) {"
        " float *d = o + ((size_t)i * OC + c) * H * W; for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y * w + x] += d[y * w + x + OC * H * W]; } }",
    ),
    "lanes of a structure": (
        "struct lanes { double *lane[4], *back[4]; int len; }; void f(struct lanes *p) { for (int i = 0; i < p->len; i++) for (int q = 0; q < 4; q++) p->back[q][i] = p->lane[q][i]; }",
        "struct lanes { double *lane[4], *back[4]; int len; }; void f(struct lanes *p) { for (int i = 1; i < p->len; i++) for (int q = 0; q < 4; q++) p->back[q][i] = p->back[q][i - 1]; }",
    ),
    "rows of bytes": (
        "void f(unsigned char **to, unsigned char **from, int h, int w) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) to[y][x] = from[y][x] / 2; }",
        "void f(unsigned char **to, const int *pick, int h, int w) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) to[pick[y]][x] += y; }",
    ),
    "vectors by value": (
        "typedef struct { double x, y, z; } vec; typedef struct { vec pos, force; } body; static vec add(vec a, vec b) { vec t = { a.x + b.x, a.y + b.y, a.z + b.z }; return t; }"
        " static vec pull(const body *a, const body *b) { vec t = { b->pos.x - a->pos.x, 0, 0 }; return t; }"
        " void f(body *b, int n) { for (int i = 1; i < n; i++) b[i].force = add(b[i].force, pull(&b[i], &b[i - 1])); }",
        "typedef struct { double x, y, z; } vec; typedef struct { vec pos, force; } body; static vec add(vec a, vec b) { vec t = { a.x + b.x, a.y + b.y, a.z + b.z }; return t; }"
        " static vec pull(const body *a, const body *b) { vec t = { b->force.x - a->pos.x, 0, 0 }; return t; }"
        " void f(body *b, int n) { for (int i = 1; i < n; i++) b[i].force = add(b[i].force, pull(&b[i], &b[i - 1])); }",
    ),
    "complex numbers in rows": (
        "void f(size_t n, size_t m, double complex **a) { for (size_t p = 0; p < n; p++) { double complex *r = a[p]; for (size_t g = 0; g < m; g++) r[g] = p + g; } }",
        "void f(size_t n, size_t m, double complex **a) { for (size_t p = 0; p < n; p++) { double complex *r = a[p / 2]; for (size_t g = 0; g < m; g++) r[g] = p + g; } }",
    ),
    "an allocation that may fail": (
        'void f(float *o, int n) { for (int i = 0; i < n; i++) { float *t = malloc(64 * sizeof *t); if (t == NULL) { perror("f"); exit(1); }'
        " for (int k = 0; k < 64; k++) t[k] = i * k; o[i] = t[i % 64]; free(t); } }",
        'void f(float *o, int n) { for (int i = 0; i < n; i++) { float *t = malloc(64 * sizeof *t); if (o[i] < 0) { perror("f"); exit(1); }'
        " for (int k = 0; k < 64; k++) t[k] = i * k; o[i] = t[i % 64]; free(t); } }",
    ),
    "an allocator of the file": (
        "static void *get(size_t n) { void *p = malloc(n); if (!p) exit(1); return p; }"
        " void f(float *o, int n) { for (int i = 0; i < n; i++) { float *t = get(64 * sizeof *t); for (int k = 0; k < 64; k++) t[k] = i * k; o[i] = t[i % 64]; free(t); } }",
        "static void *kept; static void *get(size_t n) { void *p = kept ? kept : malloc(n); kept = p; return p; }"
        " void f(float *o, int n) { for (int i = 0; i < n; i++) { float *t = get(64 * sizeof *t); for (int k = 0; k < 64; k++) t[k] = i * k; o[i] = t[i % 64]; } }",
    ),
}
MAIN = """#define COUNT 64
static float *make(int n) { float *p = calloc(n, sizeof *p); if (p == NULL) { fputs("no memory", stderr); exit(2); } return p; }
"""
WHOLE = {
    "blocks of rows that are copied": (
        "static void run(float **row) { for (int y = 0; y < COUNT; y++) { float b[8]; memcpy(b, row[y] + 8, sizeof b); b[0] = y; memcpy(row[y] + 8, b, sizeof b); } }"
        ' int main(void) { float *row[COUNT + 1]; for (int y = 0; y <= COUNT; y++) row[y] = make(COUNT); run(row); printf("%f", row[3][8]); }',
        "static void run(float **row) { for (int y = 0; y < COUNT; y++) { float b[8]; memcpy(b, row[y] + 8, sizeof b); b[0] = y; memcpy(row[y + 1] + 8, b, sizeof b); } }"
        ' int main(void) { float *row[COUNT + 1]; for (int y = 0; y <= COUNT; y++) row[y] = make(COUNT); run(row); printf("%f", row[3][8]); }',
    ),
    "layers called by pointers": (
        "struct layer { void (*run)(const struct layer *, const float *, float *); float *weight; };"
        " static void dense(const struct layer *l, const float *x, float *y) { for (int o = 0; o < COUNT; o++) { float s = 0; for (int i = 0; i < COUNT; i++) s += l->weight[o * COUNT + i] * x[i]; y[o] = s; } }"
        " int main(void) { struct layer net[2] = {{dense, make(COUNT * COUNT)}, {dense, make(COUNT * COUNT)}}; float *x = make(COUNT), *y = make(COUNT);"
        ' for (int i = 0; i < 2; i++) net[i].run(&net[i], x, y); printf("%f", y[3]); }',
        "struct layer { void (*run)(const struct layer *, const float *, float *); float *weight; };"
        " static void dense(const struct layer *l, const float *x, float *y) { for (int o = 1; o < COUNT; o++) { y[o] = l->weight[o] * x[o - 1]; } }"
        " int main(void) { struct layer net[2] = {{dense, make(COUNT * COUNT)}, {dense, make(COUNT * COUNT)}}; float *x = make(COUNT), *y = make(COUNT);"
        ' for (int i = 0; i < 2; i++) net[i].run(&net[i], x, x); printf("%f", y[3]); }',
    ),
    "a callback that writes what it is given": (
        "typedef void (*vote)(const float *, float *); static void hard(const float *s, float *v) { v[s[0] > s[1]] += 1; } static void soft(const float *s, float *v) { v[0] += s[0]; }"
        " static void run(const float *x, float *o, vote how) { for (int r = 0; r < COUNT; r++) { float v[4] = {0}; for (int t = 0; t < 4; t++) how(x + t, v); o[r] = v[0]; } }"
        ' int main(int argc, char **argv) { float *x = make(COUNT + 9), *o = make(COUNT); run(x, o, argc > 1 ? hard : soft); printf("%f", o[3]); }',
        "typedef void (*vote)(const float *, float *); static void hard(const float *s, float *v) { v[s[0] > s[1]] += 1; } static void soft(const float *s, float *v) { v[0] += s[0]; }"
        " static void run(const float *x, float *o, vote how) { float v[4] = {0}; for (int r = 0; r < COUNT; r++) { for (int t = 0; t < 4; t++) how(x + t, v); o[r] = v[0]; } }"
        ' int main(int argc, char **argv) { float *x = make(COUNT + 9), *o = make(COUNT); run(x, o, argc > 1 ? hard : soft); printf("%f", o[3]); }',
    ),
    "names in a structure beside its data": (
        "struct channel { char name[16]; float *line; }; int main(void) { struct channel *rack = calloc(COUNT, sizeof *rack);"
        ' for (int c = 0; c < COUNT; c++) { snprintf(rack[c].name, sizeof rack[c].name, "ch%d", c); rack[c].line = make(COUNT); }'
        " for (int c = 0; c < COUNT; c++) { float *d = rack[c].line; for (int i = 1; i < COUNT; i++) d[i] = d[i - 1] + c; } puts(rack[3].name); }",
        "struct channel { char name[16]; float *line; }; int main(void) { struct channel *rack = calloc(COUNT, sizeof *rack);"
        ' for (int c = 0; c < COUNT; c++) { snprintf(rack[c].name, sizeof rack[c].name, "ch%d", c); rack[c].line = c ? rack[0].line : make(COUNT); }'
        " for (int c = 0; c < COUNT; c++) { float *d = rack[c].line; for (int i = 1; i < COUNT; i++) d[i] = d[i - 1] + c; } puts(rack[3].name); }",
    ),
}


def _loop(text: str) -> LoopFacts:
    """The last outermost loop with another one, or a call, inside, or the last one."""
    outer = [
        loop for loop in loops_of(text) if loop.depth == 0 and loop.function in ("f", "dense", "run", "main")
    ]
    named = [loop for loop in outer if loop.function != "main"] or outer
    return named[-1]


@pytest.mark.parametrize("name", BOTH)
def test_a_loop_is_parallel(name: str) -> None:
    """Plainly, or on a condition."""
    assert _loop(HEAD + BOTH[name][0]).verdict.is_parallel


@pytest.mark.parametrize("name", BOTH)
def test_its_sibling_is_not(name: str) -> None:
    """At least not without a condition that tells the two apart."""
    loop = _loop(HEAD + BOTH[name][1])
    assert loop.verdict is Verdict.SERIAL, loop.conditions


@pytest.mark.parametrize("name", WHOLE)
def test_a_loop_of_a_program_is_parallel(name: str) -> None:
    loop = _loop(HEAD + MAIN + WHOLE[name][0])
    assert loop.verdict is Verdict.PARALLEL, (loop.reasons, loop.conditions)


@pytest.mark.parametrize("name", WHOLE)
def test_its_sibling_in_a_program_is_not(name: str) -> None:
    assert _loop(HEAD + MAIN + WHOLE[name][1]).verdict is not Verdict.PARALLEL


ENDING = """#include <stdio.h>
#include <stdlib.h>
static void die(const char *what, int i) { fprintf(stderr, "%s: %d\\n", what, i); exit(2); }
void f(const int *w, double *b, int n) {
  for (int i = 0; i < 100; i++) { if (w[i] > 1000) BODY b[i] = i; }
}
"""


@pytest.mark.parametrize("body", ['die("large", i);', '{ fprintf(stderr, "%d", i); abort(); }', "exit(i);"])
def test_errors_may_be_told_in_any_order(body: str) -> None:
    """On the user's word; what else a branch does still counts."""
    verdicts = []
    for text, kept in ((body, True), (body, False), (f'{{ printf("%d", i); {body} }} else rand();', False)):
        unit = read_translation_unit("test.c", PreprocessOptions(), text=ENDING.replace("BODY", text))
        verdicts.append(analyse(unit, AnalysisOptions(error_order=kept)).loops[0].verdict.is_parallel)
    assert verdicts == [False, True, False]


NOT_THERE = {
    "another case": "switch (n) { case 1: s += p->w; break; case 0: LOOP }",
    "another branch": "if (n == 1) { s += p->w; } else LOOP",
    "a block that is left": "do { if (!p) break; s += p->w; } while (0); LOOP",
    "a jump": "if (!p) goto skip; s += p->w; skip:; LOOP",
    "a later iteration": "for (int k = 0; k < 1; k += p->w) { LOOP }",
    "freed": "s += p->w; if (n == 0) free((void *)p); LOOP",
    "freed by another name": "s += p->w; image *q = p; if (n == 0) free(q); LOOP",
}


@pytest.mark.parametrize("name", NOT_THERE)
def test_a_condition_asks_for_no_member_that_may_not_be_there(name: str) -> None:
    """Or only where the loop makes an iteration."""
    body = "for (int i = 0; i < n; i++) { if (o[i] > 3) continue; p->px[i] = o[i]; }"
    text = f"float f(image *p, const float *o, int n) {{ float s = 0; {NOT_THERE[name].replace('LOOP', body)} return s; }}"
    loop = max(loops_of(HEAD + text), key=lambda each: each.position.column)
    assert all("p->" not in condition or "n >= 1" in condition for condition in loop.conditions)


ROWS = """#include <stddef.h>
    typedef struct { unsigned w, h; size_t pitch; short *px; } map; void f(map *m, map *k) {
        START for (unsigned x = 0; x < m->w; x++) m->px[ROW * m->pitch + x] = 1; }"""


def test_what_the_start_reads_may_be_asked_for() -> None:
    """`m` is read when the loop is reached; `k` says that the loop, which reads `m`, makes an iteration."""
    for name in ("m", "k"):
        text = ROWS.replace("START", f"for (size_t y = {name}->h; y-- > 0;)").replace("ROW", "y")
        (condition,) = loops_of(text)[0].conditions
        assert "m->w" in condition and ("k->h" in condition) == (name == "k")


def test_another_variable_of_the_name_is_not_read() -> None:
    text = ROWS.replace("START", "for (map *m = k, *q = k + m->h; q > m; q--)").replace("ROW", "(q - m)")
    assert all("m->" not in condition for condition in loops_of(text)[0].conditions)
