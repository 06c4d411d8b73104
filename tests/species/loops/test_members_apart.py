"""Members of one structure are apart: writing one changes no other, unless they are not apart after all."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

HEAD = """struct P { int n; double x[100], y[100]; int v[100]; struct { int k, w[9]; } in[20]; float *p; };
struct P G, H; union U { int n; int v[100]; } U; struct B { unsigned n : 7, m : 9; int v[100]; } B;
struct A { union { int n; int v[10]; }; int w[10]; } A; struct C { char n; char text[99]; } C;
"""

PARALLEL = [
    "void f(void) { for (int i = 0; i < G.n; i++) G.x[i] += G.y[i]; }",
    "void f(void) { for (int i = 0; i < G.n; i++) G.v[i] = i; }",
    "void f(void) { for (int i = 0; i < G.n; i++) G.in[i].k = i; }",
    "void f(void) { for (int i = 0; i < G.in[3].k; i++) G.in[3].w[i] = i; }",
    "void f(void) { for (int i = 0; i < C.n; i++) C.text[i] = ' '; }",
    "void f(struct P *s) { for (int i = 0; i < s->n; i++) s->x[i] += s->y[i]; }",
    "void f(struct P *s) { for (int i = 0; i < s->n; i++) s->v[i] = i; }",
    "void f(struct P *s, int k) { for (int i = 0; i < s->n; i++) s[k].v[i] = i; }",
    "void f(struct P s) { for (int i = 0; i < s.n; i++) s.v[i] = i; G = s; }",
]

SERIAL = [
    "void f(void) { for (int i = 0; i < G.v[3]; i++) G.v[i] = 7; }",
    "void f(void) { for (int i = 0; i < U.n; i++) U.v[i] = 7; }",
    "void f(union U *u) { for (int i = 0; i < u->n; i++) u->v[i] = 7; }",
    "void f(void) { for (int i = 0; i < A.n; i++) A.v[i] = 7; }",
    "void f(void) { for (int i = 0; i < G.in[3].k; i++) G.in[i].k = 7; }",
    "void f(void) { for (int i = 0; i < G.n; i++) { G.v[i] = 7; G.n = 9 - i; } }",
    "void f(struct P *s) { for (int i = 0; i < s->n; i++) { *s = H; G.v[i] = 1; } }",
    "void f(struct P *s, struct P *t) { for (int i = 0; i < s->n; i++) { t->n = 3; G.y[i] = 1; } }",
    "void f(struct P *s) { int *q = &s->n; for (int i = 0; i < s->n; i++) q[i] = 7; }",
    "void f(struct P *s) { int *q = (int *)s; for (int i = 0; i < s->n; i++) q[i] = 7; }",
    "void f(struct P *s) { for (int i = 0; i < s->n; i++) ((int *)s)[i] = 7; }",
    "void f(struct P *s) { for (int i = 0; i < s->n; i++) { G.y[i] = 7; s = &H; } }",
]


@pytest.mark.parametrize("text", PARALLEL)
def test_the_bound_is_another_member(text: str) -> None:
    assert loops_of(HEAD + text)[0].verdict is Verdict.PARALLEL


@pytest.mark.parametrize("text", SERIAL)
def test_the_bound_may_be_what_is_written(text: str) -> None:
    assert loops_of(HEAD + text)[0].verdict is Verdict.SERIAL
