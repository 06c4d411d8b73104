"""A structure that is read behind a loop, whenever the program comes to it, may be read before it, too."""

from __future__ import annotations

import pytest

from tests.support.analysing import loops_of

HEAD = """
#include <stdlib.h>
#include <stdio.h>
typedef struct { int rows, cols, pitch; float *v; } field;
typedef struct { field *now, *old; } sim;
void other(field *f);
static double first(const field *f) { double e = 0; if (f->rows > 0) e = f->v[0]; return e; }
static void perhaps(int m, field *f) { if (m) f->v[0] = 1; }
static void ends(field *f) { if (!f->v) exit(1); }
static void lets_go(field *f) { free(f->v); free(f); }
static void forever(field *f) { for (;;) { } }
"""
NEST = """for (int r = 0; r < a->rows; r++) for (int c = 0; c < a->cols; c++)
    if (a->v[r * a->pitch + c] > 0) b->v[r * b->pitch + c] = 2;"""
READ = {
    "a member": f"{NEST} b->rows = 1;",
    "in a function": f"{NEST} first(b);",
    "in an expression": f'{NEST} s->now = b; printf("%f", 1 + first(b));',
    "behind a swap": f"{NEST} s->now = b; s->old = a; first(b);",
    "in a block": f"{{ {NEST} }} {{ int k = m; m = b->cols + k; }}",
    "behind a branch": f"if (m > 3) {{ {NEST} }} b->rows++;",
    "in a condition": f"{NEST} if (b->rows > m) return;",
    "before": f"m = b->cols; {NEST}",
    "before, around it": f"if (b->cols > 3) for (int k = 0; k < m; k++) {{ {NEST} }}",
    "behind another loop": f"{NEST} for (int k = 0; k < m; k++) a->v[k] = 1; a->rows = b->rows;",
}
LEFT = {
    "nowhere": NEST,
    "not in any case": f"{NEST} if (m) b->rows = 1;",
    "not in any case, in a function": f"{NEST} perhaps(m, b);",
    "behind a return": f"{NEST} if (m) return; b->rows = 1;",
    "behind a return in a block": f"{NEST} {{ if (m) return; b->rows = 1; }}",
    "behind what may end the program": f"{NEST} ends(a); b->rows = 1;",
    "behind what nobody knows": f"{NEST} other(a); b->rows = 1;",
    "before what nobody knows": f"m = b->cols; other(a); {NEST}",
    "before what frees": f"m = b->cols; lets_go(a); {NEST}",
    "before what frees later": f"m = b->cols; for (int k = 0; k < 3; k++) {{ {NEST} free(b); }}",
    "behind what frees": f"{NEST} lets_go(a); b->rows = 1;",
    "behind what never ends": f"{NEST} forever(a); b->rows = 1;",
    "by a name of something else": f"{NEST} {{ field *b = a; b->rows = 1; }}",
    "of what it is later": f"{NEST} b = a; b->rows = 1;",
    "by an address": f"{NEST} m = (int)(size_t)&b->rows;",
    "in a loop": f"for (int k = 0; k < m; k++) {{ {NEST} }} b->rows = 1;",
    "not at all by sizeof": f"{NEST} m = sizeof(b->rows);",
    "by a static variable of that name": f"static void (*first)(field *) = other; {NEST} first(b);",
    "behind a variable that is called": f"void (*puts)(field *) = other; {NEST} puts(a); b->rows = 1;",
    "by a function of the name of a variable": f"void (*first)(field *) = other; {NEST} first(b);",
}


def _is_conditional(body: str) -> bool:
    text = f"{HEAD} void f(sim *s, int m) {{ field *a = s->now, *b = s->old; {body} }}"
    loops = [each for each in loops_of(text) if each.function == "f"]
    around = {each.parent for each in loops}
    return [each for each in loops if each.id in around][-1].verdict.is_parallel


@pytest.mark.parametrize("name", READ)
def test_reads(name: str) -> None:
    assert _is_conditional(READ[name])


@pytest.mark.parametrize("name", LEFT)
def test_does_not_read(name: str) -> None:
    assert not _is_conditional(LEFT[name])


def test_parameters() -> None:
    text = HEAD + f"void f(field *a, field *b) {{ {NEST} first(b); }} void g(field *a, field *b) {{ {NEST} }}"
    outer = {each.function: each for each in loops_of(text) if each.parent is None}
    assert outer["f"].verdict.is_parallel
    assert not outer["g"].verdict.is_parallel
