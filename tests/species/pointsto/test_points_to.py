"""Points-to analysis: pointers to memory of their own make loops parallel, others do not."""

# ruff: noqa: E501  (programs in one line)
from __future__ import annotations

from pathlib import Path

import pytest

from species.facts.loops import Verdict
from tests.pointers.fuzz import checked
from tests.support.analysing import loops_of

HEAD = """#include <stdlib.h>
#include <string.h>
typedef struct { int n; double *a, *b; } pair;
typedef struct { int n; pair *part; double **rows; } bank;
static double *numbers(int n) { double *p = malloc(n * sizeof *p); if (!p) exit(1); return p; }
static pair made(int n) { pair p = { n, numbers(n), numbers(n) }; return p; }
static int at(const double *p, int i) { return p[i] > 0; }
"""
F = "static void f(pair *p, const int *at, int n) { for (int i = 0; i < n; i++) p->b[i] = p->a[at[i]]; }\n"
MAIN = "int main(int argc, char **argv) {{ int at[9] = {{0}}; {} return 0; }}\n"
PARALLEL = {
    "members that are allocated": F
    + MAIN.format("pair p; p.a = numbers(9); p.b = numbers(9); f(&p, at, 9);"),
    "a structure that is returned": F + MAIN.format("pair p = made(9); f(&p, at, 9);"),
    "the same function for both orders": """static void f(double *x, const double *y, const int *at, int n)
        { for (int i = 0; i < n; i++) x[i] = y[at[i]]; }\n"""
    + MAIN.format("double *x = numbers(9), *y = numbers(9); f(x, y, at, 9); f(y, x, at, 9);"),
    "not static, in a whole program": F.replace("static", "")
    + MAIN.format("pair p = made(9); f(&p, at, 9);"),
    "bytes beside the structure": """typedef struct { unsigned w, h; unsigned char *px; } image;
        static void f(image *m) { for (unsigned x = 0; x < m->w; x++) m->px[x] = x ^ m->h; }\n"""
    + MAIN.format("image m = {9, 9, malloc(81)}; f(&m);"),
    "bytes in the structure": """typedef struct { unsigned char name[8]; double *a, *b; } named;
        static void f(named *p, const int *at, int n) { for (int i = 0; i < n; i++) p->b[i] = p->a[at[i]]; }\n"""
    + MAIN.format(
        "named p = {{0}, numbers(9), numbers(9)}; p.name[argc % 8] = argc; p.name[1] = *argv[0]; "
        "if (p.name[argc] == 7) return 1; f(&p, at, 9);"
    ),
    "members of structures in structures": """typedef struct { double *v; } part; typedef struct { part one, two; } whole;
        static void fill(part *p) { p->v = numbers(9); }
        static void f(whole *w, const int *at, int n) { for (int i = 0; i < n; i++) w->one.v[i] = w->two.v[at[i]]; }\n"""
    + MAIN.format("whole w; fill(&w.one); fill(&w.two); f(&w, at, 9);"),
    "rows that are allocated one by one": """static void f(bank *b, int m)
        { for (int i = 0; i < b->n; i++) for (int j = 0; j < m; j++) b->rows[i][j] = j; }\n"""
    + MAIN.format(
        "bank b = {.n = 9, .rows = malloc(72)}; for (int i = 0; i < 9; i++) b.rows[i] = numbers(9); f(&b, 9);"
    ),
    "members of elements": """static void f(bank *b, const int *at)
        { for (int i = 0; i < b->n; i++) for (int j = 0; j < b->part[i].n; j++) b->part[i].b[at[j]] = j; }\n"""
    + MAIN.format(
        "bank b = {.n = 9}; b.part = malloc(9 * sizeof(pair)); "
        "for (int i = 0; i < 9; i++) { b.part[i].n = 9; b.part[i].b = numbers(9); } f(&b, at);"
    ),
    "a function that writes its own variables": """static void split(double x, double *whole, double *rest)
        { *whole = (int)x; *rest = x - *whole; while (*rest > 0.5) *rest -= 0.5; }
        static double rest(double x, int depth)
        { double whole, rest_; split(x, &whole, &rest_); return depth ? rest(rest_ * 2, depth - 1) : rest_; }
        static void f(double *x, int n) { for (int i = 0; i < n; i++) x[i] = rest(i, 3); }\n"""
    + MAIN.format("f(numbers(9), 9);"),
    "a callback": """static double twice(double x) { double t[2]; t[0] = x; return t[0] * 2; }
        static void f(double *x, int n, double (*g)(double)) { for (int i = 0; i < n; i++) x[i] = g(i); }\n"""
    + MAIN.format("f(numbers(9), 9, twice);"),
    "a function that writes a structure in an element": """typedef struct { int n; struct { double sum; int rc; } found; } job;
        static void run(job *j) { double *x = numbers(j->n); x[0] = j->n; j->found.sum = x[0]; j->found.rc = at(x, 0); free(x); }
        static void f(job *j, int n) { for (int i = 0; i < n; i++) run(&j[i]); }\n"""
    + MAIN.format("job *j = calloc(9, sizeof(job)); for (int i = 0; i < 9; i++) j[i].n = i + 1; f(j, 9);"),
    "a table of functions with designators": """typedef struct { const char *name; double (*g)(double); } way;
        static double twice(double x) { return x * 2; } static double same(double x) { return x; }
        static const way ways[2] = { [1] = { "twice", twice }, [0] = { "same", same } };
        static void f(double *x, int n, int k) { const way *w = &ways[k]; for (int i = 0; i < n; i++) x[i] = w->g(i); }\n"""
    + MAIN.format("f(numbers(9), 9, argc & 1);"),
    "a structure by value": """static double sum(pair p, int i) { double s = 0; int k = i;
        while (k > 0) { s += p.a[k]; k /= 2; } return s; }
        static void f(pair p) { for (int i = 0; i < p.n; i++) p.b[i] = sum(p, i); }\n"""
    + MAIN.format("f(made(9));"),
}
OTHERS = {
    "one block for both": F + MAIN.format("pair p = {9, numbers(9)}; p.b = p.a; f(&p, at, 9);"),
    "one of two calls": F
    + MAIN.format("pair p = made(9), q = made(9); f(&p, at, 9); q.a = q.b; f(&q, at, 9);"),
    "a copy of the structure, changed": F
    + MAIN.format("pair p = made(9), q = p; q.b = p.a; p = q; f(&p, at, 9);"),
    "a structure that a callee changes and gives back": "static pair with(pair s, double *x) { s.b = x; return s; }\n"
    + F
    + MAIN.format("pair p = made(9); p = with(p, p.a); f(&p, at, 9);"),
    "copied byte by byte": """static void copy(void *to, const void *from, size_t n)
        { char *t = to; const char *s = from; while (n--) *t++ = *s++; }\n"""
    + F
    + MAIN.format("pair p = made(9); copy(&p.a, &p.b, sizeof p.a); f(&p, at, 9);"),
    "by the address of a member": F
    + MAIN.format("pair p = made(9); double **q = &p.b; *q = p.a; f(&p, at, 9);"),
    "by bytes in structures": "typedef struct { unsigned char room[8]; pair p; } kept;\n"
    + F
    + MAIN.format(
        "kept k, l; k.p = made(9); *(double **)k.room = k.p.a; for (int i = 0; i < 8; i++) l.room[i] = k.room[i]; "
        "k.p.b = *(double **)l.room; f(&k.p, at, 9);"
    ),
    "by a structure in bytes": "typedef struct { unsigned char room[16]; pair p; } kept; typedef struct { double *q; } one;\n"
    + F
    + MAIN.format(
        "kept k; k.p = made(9); void *v = k.room; one *o = v; o->q = k.p.a; unsigned char t[8]; "
        "for (int i = 0; i < 8; i++) t[i] = k.room[i]; void *w = t; k.p.b = *(double **)w; f(&k.p, at, 9);"
    ),
    "by bytes behind the array": "typedef struct { double *a, *b; unsigned char room[]; } open;\n"
    + F.replace("pair *p", "open *p")
    + MAIN.format(
        "open *p = malloc(40); p->a = numbers(9); *(double **)p->room = p->a; unsigned char t[8]; "
        "for (int i = 0; i < 8; i++) t[i] = p->room[i]; for (int i = 0; i < 8; i++) p->room[8 + i] = t[i]; "
        "p->b = *(double **)(p->room + 8); f(p, at, 9);"
    ),
    "from one structure in a structure to another": """typedef struct { double *v; } part; typedef struct { part one, two; } whole;
        static void fill(part *p) { p->v = numbers(9); }
        static void f(whole *w, const int *at, int n) { for (int i = 0; i < n; i++) w->one.v[i] = w->two.v[at[i]]; }\n"""
    + MAIN.format("whole w; fill(&w.one); w.two = w.one; f(&w, at, 9);"),
    "by a copy of two structures that lie side by side": """typedef struct { double *v; } part; typedef struct { part one, two; } whole;
        static void fill(part *p) { p->v = numbers(9); }
        static void f(whole *w, whole *u, const int *at, int n) { for (int i = 0; i < n; i++) w->two.v[i] = u->two.v[at[i]]; }\n"""
    + MAIN.format(
        "whole u, w; fill(&u.one); fill(&u.two); fill(&w.one); fill(&w.two); "
        "memcpy(&w.one, &u.one, 2 * sizeof(part)); f(&w, &u, at, 9);"
    ),
    "by memcpy": F + MAIN.format("pair p = made(9); memcpy(&p.b, &p.a, sizeof p.b); f(&p, at, 9);"),
    "by a number": F + MAIN.format("pair p = made(9); p.b = (double *)(size_t)p.a; f(&p, at, 9);"),
    "by a union": "static union { double *p; size_t n; } u;\n"
    + F
    + MAIN.format("pair p = made(9); u.n = (size_t)p.a; p.b = u.p; f(&p, at, 9);"),
    "not static, and no program": F.replace("static", ""),
    "other files are called": "void other(void);\n"
    + F.replace("static", "")
    + MAIN.format("pair p = made(9); f(&p, at, 9); other();"),
    "one row twice": """static void f(bank *b, int m)
        { for (int i = 0; i < b->n; i++) for (int j = 0; j < m; j++) b->rows[i][j] += j; }\n"""
    + MAIN.format(
        "bank b = {.n = 9, .rows = malloc(72)}; double *p = numbers(9); for (int i = 0; i < 9; i++) b.rows[i] = p; "
        "f(&b, 9);"
    ),
    "a row that goes round": """static double *kept(double *old) { return old ? old : numbers(9); }
        static void f(bank *b, int m)
        { for (int i = 0; i < b->n; i++) for (int j = 0; j < m; j++) b->rows[i][j] += j; }\n"""
    + MAIN.format(
        "bank b = {.n = 8, .rows = calloc(9, 8)}; for (int i = 0; i < 8; i++) b.rows[i + 1] = kept(b.rows[i]); f(&b, 9);"
    ),
    "a callback that writes": """static double last; static double keep(double x) { double t = last; last = x; return t; }
        static void f(double *x, int n, double (*g)(double)) { for (int i = 0; i < n; i++) x[i] = g(i); }\n"""
    + MAIN.format("f(numbers(9), 9, keep);"),
    "a callback that reads what is written": """static double *all; static double before(double i) { return all[(int)i - 1]; }
        static void f(double *x, int n, double (*g)(double)) { for (int i = 1; i < n; i++) x[i] = g(i); }\n"""
    + MAIN.format("all = numbers(9); f(all, 9, before);"),
    "a structure of a callee, another one in each call": """static void add(bank *b, int i) { pair v = b->part[i]; v.a[i] += i; }
        static void f(bank *b) { for (int i = 0; i < b->n; i++) add(b, i); }\n"""
    + MAIN.format(
        "bank b = {.n = 9}; double *p = numbers(20); b.part = malloc(9 * sizeof(pair)); "
        "for (int i = 0; i < 9; i++) b.part[i].a = p + (9 - i); f(&b);"
    ),
    "pointers of a callee, others in each call": """static void add(bank *b, int i) { double *v[2] = {b->part[i].a, 0}; v[0][i] += i; }
        static void f(bank *b) { for (int i = 0; i < b->n; i++) add(b, i); }\n"""
    + MAIN.format(
        "bank b = {.n = 9}; double *p = numbers(20); b.part = malloc(9 * sizeof(pair)); "
        "for (int i = 0; i < 9; i++) b.part[i].a = p + (9 - i); f(&b);"
    ),
    "a static variable behind a pointer": """static double *memory(void) { static double m; return &m; }
        static double next(double x) { double *m = memory(); *m += x; return *m; }
        static void f(double *x, int n) { for (int i = 0; i < n; i++) x[i] = next(i); }\n"""
    + MAIN.format("f(numbers(9), 9);"),
}


def _verdicts(text: str) -> list[Verdict]:
    return [loop.verdict for loop in loops_of(HEAD + text) if loop.function == "f" and not loop.parent]


@pytest.mark.parametrize("text", PARALLEL.values(), ids=PARALLEL.keys())
def test_memory_of_their_own(text: str) -> None:
    assert _verdicts(text) == [Verdict.PARALLEL]


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_memory_that_others_have(text: str) -> None:
    assert _verdicts(text) and Verdict.PARALLEL not in _verdicts(text)


@pytest.mark.parametrize("seed", range(8))
def test_executions_agree(seed: int, tmp_path: Path) -> None:
    assert not checked(seed, tmp_path).wrong


@pytest.mark.parametrize("seed", range(12))
def test_structures_in_structures(seed: int, tmp_path: Path) -> None:
    """Members of the same name, of structures that are members, are told apart, and whatever moves is found."""
    found = checked(seed, tmp_path, inside=True)
    assert not found.wrong and (found.apart > 0 or seed in (3, 9, 11))  # in these, pointers go through bytes
