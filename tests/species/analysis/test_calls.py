"""Calls: callees in the caller's place, the library by its table, callers of static functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.base.errors import UserError
from cuvier.cli import build_app
from species import analyse
from species.analysis.options import AnalysisOptions
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from species.symbols.effect_table import EffectsError, library, read_table
from tests.support.analysing import facts_of, loops_of

PARALLEL = {
    "a callee that writes one row": """double g[9][9];
        static void row(int i) { for (int j = 0; j < 9; j++) g[i][j] = i; }
        void f(void) { for (int i = 0; i < 9; i++) row(i); }""",
    "a callee that reads": """double g[9][9], s[9];
        double sum(int i) { double t = 0; for (int j = 0; j < 9; j++) t += g[i][j]; return t; }
        void f(void) { for (int i = 0; i < 9; i++) s[i] = sum(i); }""",
    "an element through a pointer": """double a[90];
        static void scale(double *p, int i) { p[i] *= 2; }
        void f(void) { for (int i = 0; i < 90; i++) scale(a, i); }""",
    "a stretch of an array": """double a[160];
        static void scale(double *p, int n) { for (int k = 0; k < n; k++) p[k] *= 2; }
        void f(void) { for (int i = 0; i < 10; i++) scale(&a[i * 16], 16); }""",
    "a stretch by pointer arithmetic": """double a[160];
        static void scale(double *p, int n) { for (int k = 0; k < n; k++) p[k] *= 2; }
        void f(void) { for (int i = 0; i < 10; i++) scale(a + i * 16, 16); }""",
    "a row of a matrix": """double a[10][16];
        static void scale(double *p, int n) { for (int k = 0; k < n; k++) p[k] *= 2; }
        void f(void) { for (int i = 0; i < 10; i++) scale(a[i], 16); }""",
    "the middle of a row": """double a[10][16];
        static void scale(double *p, int n) { for (int k = 0; k < n; k++) p[k] *= 2; }
        void f(void) { for (int i = 0; i < 10; i++) scale(&a[i][4], 12); }""",
    "a member of a structure": """struct P { double x, v; } p[90];
        static void move(struct P *q) { q->x += q->v; }
        void f(void) { for (int i = 0; i < 90; i++) move(&p[i]); }""",
    "an index that a function computes": """double a[100];
        static int at(int i, int j) { return i * 10 + j; }
        void f(void) { for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) a[at(i, j)] = 1; }""",
    "a pointer that a function computes": """double a[100];
        static double *row(double *p, int i) { return p + i * 10; }
        void f(void) { for (int i = 0; i < 10; i++) row(a, i)[3] = 1; }""",
    "results through pointers": """double a[90], b[90];
        static void split(double x, double *h, double *l) { *h = x / 2; *l = x - *h; }
        void f(void) { for (int i = 0; i < 90; i++) { double h, l; split(a[i], &h, &l); b[i] = h * l; } }""",
    "results in variables of the function": """double a[90], b[90];
        static void split(double x, double *h, double *l) { *h = x / 2; *l = x - *h; }
        double f(void) { double h = 0, l = 0;
            for (int i = 0; i < 90; i++) { split(a[i], &h, &l); b[i] = h * l; } return h; }""",
    "results passed on": """double a[90], b[90];
        static void set(double *to, double x) { *to = x; }
        static void twice(double *to, double x) { set(to, x); *to = *to * 2; }
        double f(void) { double t = 0;
            for (int i = 0; i < 90; i++) { twice(&t, a[i]); b[i] = t; } return t; }""",
    "a sum through a pointer": """double a[90];
        static void add(double *s, double x) { s[0] += x; }
        double f(void) { double s = 0; for (int i = 0; i < 90; i++) add(&s, a[i]); return s; }""",
    "calls of calls": """double a[90];
        static int g(int i) { return i + 1; }
        static void h(int i) { a[i] = i; }
        void f(void) { for (int i = 0; i < 80; i++) h(g(g(i))); }""",
    "a parameter that changes": """double a[90];
        static void h(int i) { i += 2; a[i] = i; }
        void f(void) { for (int i = 0; i < 80; i++) h(i); }""",
    "an early return": """double a[90];
        static void h(int i) { if (i < 3) return; a[i] = i; }
        void f(void) { for (int i = 0; i < 80; i++) h(i); }""",
    "a return out of a loop": """double a[90][9]; int b[90];
        static int find(int i) { for (int j = 0; j < 9; j++) if (a[i][j] > 0) return j; return -1; }
        void f(void) { for (int i = 0; i < 90; i++) b[i] = find(i); }""",
    "a loop in a callee that is left": """double a[90][9]; int b[90];
        static int find(int i) { int j; for (j = 0; j < 9; j++) if (a[i][j] > 0) break; return j; }
        void f(void) { for (int i = 0; i < 90; i++) b[i] = find(i); }""",
    "one function, called twice": """double a[90], b[90];
        static void h(double *p, int i) { double t = p[i]; p[i] = t * t; }
        void f(void) { for (int i = 0; i < 90; i++) { h(a, i); h(b, i); } }""",
    "old style": """double a[90];
        static h(p, i) double *p; int i; { p[i] = i; return 0; }
        void f(void) { for (int i = 0; i < 90; i++) h(a, i); }""",
    "a table that never changes": """static const int t[4] = {1, 2, 3, 4}; int a[90];
        static int look(int i) { return t[i & 3]; }
        void f(void) { for (int i = 0; i < 90; i++) a[i] = look(i); }""",
    "arrays of the callee's own": """double a[90];
        static double h(double x) { double t[4]; for (int k = 0; k < 4; k++) t[k] = x * k; return t[3]; }
        void f(void) { for (int i = 0; i < 90; i++) a[i] = h(a[i]); }""",
    "recursion without memory": """int a[20];
        static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        void f(void) { for (int i = 0; i < 20; i++) a[i] = fib(i); }""",
    "a condition with a call": """double a[90]; int b[90];
        static int is_big(int i) { return a[i] > 3; }
        void f(void) { for (int i = 0; i < 90; i++) if (i > 3 && is_big(i)) b[i] = 1; }""",
    "a bound that a function computes": """double a[900];
        static int least(int a, int b) { return a < b ? a : b; }
        void f(int n) {
            for (int k = 0; k < n; k += 16) for (int i = k; i < least(k + 16, n); i++) a[i] = 1; }""",
    "a stretch of a length that varies": """#include <string.h>
        void f(int n, int m, double *a) {
            for (int i = 0; i < n; i++) memset(a + i * m, 0, m * sizeof *a); }""",
    "memset of a row": """#include <string.h>
        double a[10][16];
        void f(void) { for (int i = 0; i < 10; i++) memset(a[i], 0, sizeof a[i]); }""",
    "memset of a stretch": """#include <string.h>
        double a[160];
        void f(void) { for (int i = 0; i < 10; i++) memset(a + i * 16, 0, 16 * sizeof *a); }""",
    "memcpy of rows": """#include <string.h>
        double a[10][16], b[10][16];
        void f(void) { for (int i = 0; i < 10; i++) memcpy(a[i], b[i], 16 * sizeof(double)); }""",
    "sorting rows": """#include <stdlib.h>
        static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
        int a[10][16];
        void f(void) { for (int i = 0; i < 10; i++) qsort(a[i], 16, sizeof(int), less); }""",
    "comparing rows": """#include <string.h>
        int a[10][16], b[16], c[10];
        void f(void) { for (int i = 0; i < 10; i++) c[i] = memcmp(a[i], b, sizeof b); }""",
    "sincos": """#define _GNU_SOURCE
        #include <math.h>
        double a[90], b[90];
        void f(void) { double s, c; for (int i = 0; i < 90; i++) { sincos(a[i], &s, &c); b[i] = s * c; } }""",
    "modf": """#include <math.h>
        double a[90], b[90];
        void f(void) { for (int i = 0; i < 90; i++) { double w; a[i] = modf(a[i], &w); b[i] = w; } }""",
    "strlen": """#include <string.h>
        char *name[90]; unsigned long n[90];
        void f(void) { for (int i = 0; i < 90; i++) n[i] = strlen("constant"); }""",
    "float and long double": """#include <math.h>
        float a[90]; long double b[90];
        void f(void) { for (int i = 0; i < 90; i++) { a[i] = tanhf(a[i]); b[i] = atan2l(b[i], 2); } }""",
    "an attribute after the declarator": """int score(int) __attribute__((const)); int a[90];
        void f(void) { for (int i = 0; i < 90; i++) a[i] = score(i); }""",
    "an attribute before the declarator": """__attribute__((__const__, nothrow)) int score(int); int a[90];
        void f(void) { for (int i = 0; i < 90; i++) a[i] = score(i); }""",
    "a pure function, and only the function's own writes": """double score(int) __attribute__((pure));
        double f(void) { double s = 0; for (int i = 0; i < 90; i++) s += score(i); return s; }""",
    "distinct arrays at every call": """static double a[90], b[90], c[90];
        static void h(double *p, double *q) { for (int i = 0; i < 90; i++) p[i] = q[i]; }
        void f(void) { h(a, b); h(b, c); }""",
    "distinct arrays, passed on": """static double a[90], b[90];
        static void h(double *p, double *q) { for (int i = 0; i < 90; i++) p[i] = q[i]; }
        static void g(double *x, double *y) { h(x, y); }
        void f(void) { g(a, b); g(b, a); }""",
    "a parameter and another array": """static double a[90], b[90];
        static void h(double *p) { for (int i = 0; i < 90; i++) p[i] = b[i + 1]; }
        void f(void) { h(a); h(a + 1); }""",
    "distinct allocations": """#include <stdlib.h>
        static void h(int n, double *p, double *q) { for (int i = 0; i < n; i++) p[i] = q[i]; }
        void f(int n) { double *a = malloc(n * 8), *b = malloc(n * 8); h(n, a, b); free(a); free(b); }""",
    "a number that is the same at every call": """static double a[900];
        static void h(int n) { for (int i = 0; i < 100; i++) a[i] = a[i + n]; }
        void f(void) { h(300); h(300); }""",
}


@pytest.mark.parametrize("text", PARALLEL.values(), ids=PARALLEL.keys())
def test_is_parallel(text: str) -> None:
    assert outermost(text).verdict is Verdict.PARALLEL, outermost(text).reasons


def outermost(text: str) -> LoopFacts:
    """The only loop that is not inside another of `f`; of a file where f has none, that of `h`."""
    loops = loops_of(text)
    own = [loop for loop in loops if loop.function == "f"] or [loop for loop in loops if loop.function == "h"]
    return next(loop for loop in own if loop.depth == 0)


SERIAL = {
    "a callee that writes what the loop reads": """double g, a[90];
        static void set(double x) { g = x; }
        void f(void) { for (int i = 0; i < 90; i++) { a[i] = g; set(i); } }""",
    "a global that the callee reads": """double g, a[90];
        static double get(void) { return g + 1; }
        void f(void) { for (int i = 0; i < 90; i++) { g = i; a[i] = get(); } }""",
    "a global that is the iterator": """int i; double a[90];
        static double get(void) { return i; }
        void f(void) { for (i = 0; i < 90; i++) { a[i] = get(); } }""",
    "a global temporary of the callee": """double g, a[90];
        static double square(double x) { g = x; return g * g; }
        void f(void) { for (int i = 0; i < 90; i++) { a[i] = square(i); } }""",
    "a global sum": """double g, a[90];
        static void add(double x) { g += x; }
        void f(void) { for (int i = 0; i < 90; i++) add(a[i]); }""",
    "a static counter": """int a[90];
        static int next(void) { static int n; return n++; }
        void f(void) { for (int i = 0; i < 90; i++) a[i] = next(); }""",
    "a static buffer": """double a[90];
        static double h(int i) { static double t[4]; t[i & 3] = i; return t[0]; }
        void f(void) { for (int i = 0; i < 90; i++) a[i] = h(i); }""",
    "two pointers that are one array": """double a[91];
        static void move(double *p, double *q, int i) { p[i] = q[i + 1]; }
        void f(void) { for (int i = 0; i < 90; i++) move(a, a, i); }""",
    "stretches that overlap": """double a[176];
        static void scale(double *p, int n) { for (int k = 0; k < n; k++) p[k] = p[k] * 2 + 1; }
        void f(void) { for (int i = 0; i < 10; i++) scale(&a[i * 16], 17); }""",
    "a row that is left": """double a[11][16];
        static void scale(double *p, int n) { for (int k = 0; k < n; k++) p[k] *= 2; }
        void f(void) { for (int i = 0; i < 10; i++) scale(a[i], 17); }""",
    "recursion with memory": """int a[20];
        static void walk(int n) { if (n) { a[n - 1] += a[n]; walk(n - 1); } }
        void f(void) { for (int i = 0; i < 20; i++) walk(i); }""",
    "mutual recursion": """int a[20];
        static void h(int n); static void g(int n) { if (n) h(n - 1); }
        static void h(int n) { a[0] += n; g(n); }
        void f(void) { for (int i = 0; i < 20; i++) g(i); }""",
    "output in a callee": """#include <stdio.h>
        int a[90];
        static void log_step(int i) { printf("%d", i); }
        void f(void) { for (int i = 0; i < 90; i++) { a[i] = i; log_step(i); } }""",
    "a function pointer": """int a[90];
        void f(int (*g)(int)) { for (int i = 0; i < 90; i++) a[i] = g(i); }""",
    "a variable that is a function pointer": """int a[90]; static int g(int i) { return i; }
        int (*p)(int) = g;
        void f(void) { for (int i = 0; i < 90; i++) a[i] = p(i); }""",
    "an unknown function": """int a[90]; int g(int);
        void f(void) { for (int i = 0; i < 90; i++) a[i] = g(i); }""",
    "a call in the header": """int a[90], n;
        static int step(void) { n--; return n; }
        void f(void) { for (int i = 0; i < step(); i++) a[i] = i; }""",
    "a call that is skipped": """int a[91], b[91];
        static int set(int i) { a[i] = 1; return 1; }
        void f(void) { for (int i = 0; i < 90; i++) if (b[i] && set(i + 1)) b[i] = a[i]; }""",
    "the address of a variable and the variable": """double a[90];
        static void set(double *p, double x) { *p = x; }
        void f(void) { double x = 0; for (int i = 0; i < 90; i++) { a[i] = x; set(&x, i); } }""",
    "a variable that is set sometimes": """double a[90];
        static void set(double *p, double x) { if (x > 3) *p = x; }
        void f(void) { double x = 0; for (int i = 0; i < 90; i++) { set(&x, a[i]); a[i] = x; } }""",
    "a variable that is set unless it returns": """double a[90];
        static void set(double *p, double x) { if (x > 3) return; *p = x; }
        void f(void) { double x = 0; for (int i = 0; i < 90; i++) { set(&x, a[i]); a[i] = x; } }""",
    "a pointer from before the loop": """double a[90];
        static void add(double *s, double x) { s[0] += x; }
        double f(void) { double s = 0, *p = &s; for (int i = 0; i < 90; i++) add(p, a[i]); return s; }""",
    "a temporary by its address from before the loop": """double a[90];
        double f(void) { double s = 0, *p = &s;
            for (int i = 0; i < 90; i++) { s = a[i]; *p = s + 1; a[i] = s; } return s; }""",
    "a static variable of the body": """int a[90];
        void f(void) { for (int i = 0; i < 90; i++) { static int y; y = i; a[i] = y; } }""",
    "a static array of the body": """int a[90];
        void f(void) { for (int i = 0; i < 90; i++) { static int y[2]; y[0] = i; a[i] = y[0]; } }""",
    "a bound that a function narrows": """double a[300];
        static int least(unsigned char a, unsigned char b) { return a < b ? a : b; }
        void f(int n) { for (int i = 0; i < least(n, 300); i++) a[i & 15] = 1; }""",
    "a sum that is read": """double a[90];
        static double add(double *s, double x) { s[0] += x; return s[0]; }
        double f(void) { double s = 0; for (int i = 0; i < 90; i++) a[i] = add(&s, a[i]); return s; }""",
    "a pointer kept in a global": """double a[90], b[90], *kept;
        static void keep(double *p) { kept = p; }
        void f(void) { for (int i = 0; i < 90; i++) { b[i] = *kept; keep(&a[i]); } }""",
    "a callee that ends the program": """#include <stdlib.h>
        int a[90];
        static void check(int i) { if (a[i] < 0) exit(1); }
        void f(void) { for (int i = 0; i < 90; i++) { check(i); a[i] = i; } }""",
    "a generator of random numbers": """#include <stdlib.h>
        int a[90];
        static int die(void) { return rand() % 6; }
        void f(void) { for (int i = 0; i < 90; i++) a[i] = die(); }""",
    "an array that grows": """#include <stdlib.h>
        double *a;
        void f(void) { for (int i = 0; i < 90; i++) { a = realloc(a, 8 * i + 8); a[i] = i; } }""",
    "memset of too much": """#include <string.h>
        double a[176];
        void f(void) { for (int i = 0; i < 10; i++) memset(a + i * 16, i, 17 * sizeof *a); }""",
    "memset of a row and more": """#include <string.h>
        double a[11][16];
        void f(void) { for (int i = 0; i < 10; i++) memset(a[i], i, 17 * sizeof(double)); }""",
    "memset of parts of elements": """#include <string.h>
        double a[176];
        void f(void) { for (int i = 0; i < 10; i++) memset(a + i * 16, i, 16 * sizeof *a + 1); }""",
    "memset behind a cast": """#include <string.h>
        double a[176];
        void f(void) { for (int i = 0; i < 10; i++) memset((char *)a + i * 16, i, 17); }""",
    "memcpy of the next row": """#include <string.h>
        double a[11][16];
        void f(void) { for (int i = 0; i < 10; i++) memcpy(a[i], a[i + 1], sizeof a[i]); }""",
    "sorting with a comparison that counts": """#include <stdlib.h>
        static int n; static int less(const void *a, const void *b) { n++; return *(int *)a - *(int *)b; }
        int a[10][16];
        void f(void) { for (int i = 0; i < 10; i++) qsort(a[i], 16, sizeof(int), less); }""",
    "sorting with a comparison by a pointer": """#include <stdlib.h>
        static int less(const int *a, const int *b) { return *a - *b; }
        static int (*const order[])(const int *, const int *) = { less };
        static int compare(const void *x, const void *y) { return order[0](x, y); }
        static int a[16]; void f(void) { for (int i = 0; i < 10; i++) qsort(a, 16, sizeof(int), compare); }
        int main(void) { f(); return a[3]; }""",
    "sorting with any comparison": """#include <stdlib.h>
        int a[10][16];
        void f(int (*less)(const void *, const void *)) {
            for (int i = 0; i < 10; i++) qsort(a[i], 16, sizeof(int), less); }""",
    "sorting by a table that changes": """#include <stdlib.h>
        static int key[16];
        static int less(const void *a, const void *b) { return key[*(int *)a] - key[*(int *)b]; }
        int a[10][16];
        void f(void) { for (int i = 0; i < 10; i++) { key[i] = i; qsort(a[i], 16, sizeof(int), less); } }""",
    "sorting overlapping stretches": """#include <stdlib.h>
        static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
        int a[170];
        void f(void) { for (int i = 0; i < 10; i++) qsort(a + i * 16, 17, sizeof(int), less); }""",
    "a function of one's own with a library name": """int calls; double a[90];
        double sqrt(double x) { calls++; return x; }
        void f(void) { for (int i = 0; i < 90; i++) a[i] = sqrt(i); }""",
    "a library name with another type": """void log(const char *, int); double a[90];
        void f(void) { for (int i = 0; i < 90; i++) { a[i] = i; log("x", i); } }""",
    "a library name, but of floats": """float sin(float); float a[90];
        void f(void) { for (int i = 0; i < 90; i++) a[i] = sin(a[i]); }""",
    "a weak function": """__attribute__((weak)) int hook(int i) { return i; } int a[90];
        void f(void) { for (int i = 0; i < 90; i++) a[i] = hook(i); }""",
    "a pure function that may read what is written": """int score(int) __attribute__((pure)); int a[90];
        void f(void) { for (int i = 0; i < 90; i++) a[i] = score(i); }""",
    "a pure function and a global variable": """int score(void) __attribute__((pure)); int g;
        int f(void) { int s = 0; for (int i = 0; i < 90; i++) { g = i; s += score(); } return s; }""",
    "an attribute of a parameter": """int score(int x __attribute__((const))); static int a[90];
        void f(void) { for (int i = 0; i < 90; i++) a[i] = score(i); }""",
    "an attribute of one of two": """int g(int) __attribute__((const)), score(int); static int a[90];
        void f(void) { for (int i = 0; i < 90; i++) a[i] = score(i); }""",
    "a swap": """int a[91];
        static void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }
        void f(void) { for (int i = 0; i < 90; i++) swap(&a[i], &a[i + 1]); }""",
    "a table that a callee overwrites": """double t[4], a[90];
        static double h(double x) { for (int k = 0; k < 4; k++) t[k] = x * k; return t[3]; }
        void f(void) { for (int i = 0; i < 90; i++) a[i] = h(a[i]); }""",
    "a volatile in a callee": """volatile int port; int a[90];
        static int get(void) { return port; }
        void f(void) { for (int i = 0; i < 90; i++) a[i] = get(); }""",
    "varargs": """#include <stdarg.h>
        int a[90];
        static int pick(int n, ...) { va_list l; va_start(l, n); a[n] = va_arg(l, int); va_end(l); return 0; }
        void f(void) { for (int i = 0; i < 90; i++) a[i] = pick(i, 3); }""",
    "an old function that gets something else": """double a[91];
        static void h(p, i) double *p; int i; { p[i] = i; }
        void f(void) { for (int i = 0; i < 90; i++) h(a, 2.0); }""",
    "a global hidden by a local": """int i; double a[90];
        static void h(void) { a[i] = 1; }
        void f(void) { for (int i = 0; i < 90; i++) h(); }""",
    "a matrix as a vector": """double g[10][4];
        void f(void) { double *p = (double *)g; for (int i = 0; i < 9; i++) p[i] = g[1][i & 3]; }""",
}


@pytest.mark.parametrize("text", SERIAL.values(), ids=SERIAL.keys())
def test_stays_serial(text: str) -> None:
    assert outermost(text).verdict is Verdict.SERIAL


CONDITIONAL = {
    "one array at one of the calls": """static double a[90], b[90];
        static void h(double *p, double *q) { for (int i = 0; i < 90; i++) p[i] = q[i + 1]; }
        void f(void) { h(a, b); h(a, a); }""",
    "the address is taken": """static double a[90], b[90]; void give(void (*)(double *, double *));
        static void h(double *p, double *q) { for (int i = 0; i < 90; i++) p[i] = q[i + 1]; }
        void f(void) { h(a, b); give(h); }""",
    "a function for everyone": """static double a[90], b[90];
        void h(double *p, double *q) { for (int i = 0; i < 90; i++) p[i] = q[i + 1]; }
        void f(void) { h(a, b); }""",
    "stretches of one array": """static double a[90];
        static void h(double *p, double *q) { for (int i = 0; i < 9; i++) p[i] = q[i + 1]; }
        void f(void) { h(a, a + 9); }""",
    "what somebody else's pointer points to": """double a[90];
        static void h(double *p, double *q) { for (int i = 0; i < 90; i++) p[i] = q[i + 1]; }
        void f(double *x) { h(a, x); }""",
    "a parameter that is moved": """static double a[90], b[90];
        static void h(double *p, double *q, int c) { if (c) p = q;
            for (int i = 0; i < 89; i++) p[i] = q[i + 1]; }
        void f(void) { h(a, b, 1); h(a, b, 0); }""",
    "recursion that crosses over": """static double a[90], b[90];
        static void h(double *p, double *q, int n) {
            for (int i = 0; i < 89; i++) p[i] = q[i + 1];
            if (n) h(p, p, n - 1); }
        void f(void) { h(a, b, 3); }""",
    "a row that was taken": """void f(int c) { double A[10][10]; double *q = A[1]; if (c) q = A[2];
        for (int i = 0; i < 9; i++) A[1][i + 1] = q[i]; }""",
}


@pytest.mark.parametrize("text", CONDITIONAL.values(), ids=CONDITIONAL.keys())
def test_is_not_parallel_for_certain(text: str) -> None:
    found = next(loop for loop in loops_of(text) if loop.function in ("h", "f"))
    assert found.verdict is not Verdict.PARALLEL


def test_numbers_that_differ_between_calls() -> None:
    text = """static double a[900];
        static void h(int n) { for (int i = 0; i < 100; i++) a[i] = a[i + n]; }
        void f(void) { h(300); h(3); }"""
    assert outermost(text).verdict is not Verdict.PARALLEL


def test_output_names_the_chain_of_calls() -> None:
    text = """#include <stdio.h>
        static void log_step(int i) { printf("%d", i); }
        static void step(int i) { log_step(i); }
        void f(void) {
            for (int i = 0; i < 9; i++)
                step(i);
        }"""
    reason = outermost(text).reasons[0]
    assert reason.code == "CV305"
    assert "'printf' (called by 'log_step', called by 'step') writes output" in reason.message
    assert reason.position.line == 6


def test_output_inside_of_a_recursion_names_the_chain_of_calls() -> None:
    text = """#include <stdio.h>
        static void down(int i) { if (i) down(i - 1); else puts("done"); }
        void f(void) { for (int i = 0; i < 9; i++) down(i); }"""
    assert "'puts' (called by 'down') writes output" in outermost(text).reasons[0].message


def test_an_allocation_has_a_reason_of_its_own() -> None:
    text = """#include <stdlib.h>
        void f(double **a) { for (int i = 0; i < 9; i++) free(a[i]); }"""
    assert any("'free' allocates or frees memory" in r.message for r in outermost(text).reasons)


def test_loops_of_callees_are_not_the_callers() -> None:
    facts = loops_of(PARALLEL["a callee that writes one row"])
    assert [loop.id for loop in facts] == ["row/1", "f/1"]


def test_a_sum_through_a_pointer_is_named_as_the_caller_names_it() -> None:
    assert [r.variable for r in outermost(PARALLEL["a sum through a pointer"]).reductions] == ["s"]


def test_what_a_callee_touches_is_no_kernel_for_an_accelerator() -> None:
    kernel = outermost(PARALLEL["a callee that writes one row"]).kernel
    assert kernel is not None
    assert "used by 'row', which is called" in kernel.obstacles[0].message


def test_a_static_variable_of_a_callee_is_named_nowhere() -> None:
    text = """static int look(int i) { static int t[4]; return t[i & 3]; } int a[90];
        void f(void) { for (int i = 0; i < 90; i++) a[i] = look(i); }"""
    loop = outermost(text)
    assert loop.verdict is Verdict.PARALLEL and loop.kernel is not None
    assert "only a function knows 't'" in loop.kernel.obstacles[0].message


# Tables


def analysed(tmp_path: Path, text: str, table: str) -> LoopFacts:
    unit = read_translation_unit(str(tmp_path / "t.c"), PreprocessOptions(), text=text)
    return analyse(unit, AnalysisOptions(effects=read_table(table, "mine.yaml"))).loops[0]


CALLS_SCORE = (
    "int score(int); static int a[90]; void f(void) { for (int i = 0; i < 90; i++) a[i] = score(i); }"
)


@pytest.mark.parametrize(
    ("table", "verdict"),
    [
        ("- {functions: [score], effect: pure}", Verdict.PARALLEL),
        ("- {functions: [score], effect: errno, type: int(int)}", Verdict.PARALLEL),
        ("- {functions: [score], effect: pure, type: double(int)}", Verdict.SERIAL),
        ("- {functions: [score], effect: state}", Verdict.SERIAL),
        ("- {functions: [other], effect: pure}", Verdict.SERIAL),
        ("", Verdict.SERIAL),
    ],
)
def test_a_table_of_the_user(tmp_path: Path, table: str, verdict: Verdict) -> None:
    assert analysed(tmp_path, CALLS_SCORE, table).verdict is verdict


def test_a_table_with_regions(tmp_path: Path) -> None:
    text = """void fill(double *, int); double a[160];
        void f(void) { for (int i = 0; i < 10; i++) fill(a + 16 * i, 16 * 8); }"""
    assert analysed(tmp_path, text, "- {functions: fill, effect: pure, writes: {1: [2]}}").verdict.is_parallel
    assert not analysed(
        tmp_path, text, "- {functions: fill, effect: pure, writes: {1: any}}"
    ).verdict.is_parallel


def test_a_definition_wins_over_a_table(tmp_path: Path) -> None:
    text = CALLS_SCORE.replace("int score(int);", "int n; int score(int i) { return n++ + i; }")
    assert analysed(tmp_path, text, "- {functions: [score], effect: pure}").verdict is Verdict.SERIAL


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("- functions: [f]\n  efect: pure", "mine.yaml:2: error: unknown key 'efect'; use one of functions"),
        ("- functions: [f]", "mine.yaml:1: error: key 'effect' is missing"),
        (
            "\n- {functions: [f], effect: clean}",
            "mine.yaml:2: error: unknown effect 'clean'; use one of pure",
        ),
        ("- {functions: [f+], effect: pure}", "'f+' is no name of a function"),
        ("- {functions: [f], effect: pure, writes: {0: one}}", "'0' is no argument; count"),
        ("- {functions: [f], effect: pure, writes: {1: two}}", "unknown region 'two'; use one"),
        ("- {functions: [f], effect: pure, writes: 1}", "no mapping; write"),
        ("- {functions: [f], effect: pure, type: complex(int)}", "unknown type 'complex'; use void"),
        ("functions: [f]", "mine.yaml:1: error: not a list"),
        ("- f", "a group is no mapping"),
        ("- {functions: [f], effect: [pure]}", "a list or mapping where a word is expected"),
        ("- {functions: [f], functions: [g], effect: pure}", "key 'functions' given twice"),
        ("- {functions: [f", "mine.yaml:1: error: not YAML"),
    ],
)
def test_what_is_wrong_with_a_table(table: str, message: str) -> None:
    with pytest.raises(EffectsError) as caught:
        read_table(table, "mine.yaml")
    assert message in str(caught.value)


def test_the_command_reads_a_table(tmp_path: Path) -> None:
    source, table = tmp_path / "t.c", tmp_path / "mine.yaml"
    source.write_text(CALLS_SCORE)
    table.write_text("- {functions: [score], effect: pure}")
    arguments = ["report", "--effects", str(table), str(source)]
    assert "parallel" in CliRunner().invoke(build_app(), arguments).output
    table.write_text("- {functions: [score], effect: clean}")
    error = CliRunner().invoke(build_app(), arguments).exception
    assert isinstance(error, UserError) and "mine.yaml:1: error: unknown effect 'clean'" in str(error)


def test_the_library_knows_variants_and_what_is_unsafe() -> None:
    table = library()
    assert {table[n].kind for n in ("sin", "sinf", "sinl", "__builtin_sinf", "memset")} == {"pure"}
    assert {table[n].kind for n in ("rand", "strtok", "localtime", "time")} == {"state"}
    assert table["malloc"].kind == table["free"].kind == "allocation"


def test_calls_that_double_do_not_take_long_and_are_named_once() -> None:
    doubling = "".join(f"static void g{k}(int i) {{ g{k - 1}(i); g{k - 1}(i); }}\n" for k in range(1, 25))
    text = f"""int a[90]; static void g0(int i) {{ a[i] = i; }}
        {doubling} void f(void) {{ for (int i = 0; i < 90; i++) g24(i); }}"""
    assert [r.message for r in outermost(text).reasons] == ["'g24' is called, and its effects are not known"]


def test_what_kind_of_character_it_is_may_be_asked_for() -> None:
    """glibc's macros look it up in a table, to which a function leads."""
    nest = "for (int i = 0; i < n; i++) if (isalpha(p[i])) c++;"
    body = f"int f(int n, const char *p) {{ int c = 0; {nest} return c; }}"
    loop = loops_of(f"#include <ctype.h>\n{body}")[0]
    assert loop.verdict is Verdict.PARALLEL and [r.variable for r in loop.reductions] == ["c"]


def test_functions_of_complex_numbers() -> None:
    nest = "for (int i = 0; i < n; i++) m[i] = cabs(z[i]) + creal(z[i] * I);"
    text = f"#include <complex.h>\ndouble complex z[99]; double m[99]; void f(int n) {{ {nest} }}"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions())
    assert facts.loops[0].verdict is Verdict.PARALLEL and not facts.diagnostics


@pytest.mark.parametrize("kids", [1, 6])
def test_functions_that_call_each_other_by_pointers(kids: int) -> None:
    """(With as many copies as there are ways through them, nothing would come to an end.)"""
    calls = " ".join(f"if (n->kid[{k}]) f(n->kid[{k}], to, deep);" for k in range(kids))
    facts = facts_of(f"""typedef struct node {{ struct node *kid[6]; double v; }} node; static int seen;
    typedef void (*visit)(node *n, void *to, int deep);
    static void each(node *n, visit f, void *to, int deep) {{ {calls} }}
    static void add(node *n, void *to, int deep)
    {{ seen++; *(double *)to += n->v; if (deep > 0) each(n, add, to, deep - 1); }}
    void f(node *r, double *o, int *k, int n)
    {{ for (int i = 0; i < n; i++) {{ double s = 0; each(&r[i], add, &s, 5); o[i] = s; k[i] = seen; }} }}""")
    assert not facts.diagnostics
    (loop,) = facts.loops
    assert loop.verdict is Verdict.SERIAL and "CV309" not in {reason.code for reason in loop.reasons}
