"""Pointers that are set inside a loop, to something that stays where it is: what they lead to has names before it."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

HEAD = """#include <stddef.h>
typedef struct { int h, w; ptrdiff_t pitch; double *base; } plane;
typedef struct { plane source, recon[2]; int rows, now; plane *list; } coder;
#define AT(p, y, x) ((p)->base + (ptrdiff_t)(y) * (p)->pitch + (x))
static void fill(double *d, int w) { for (int i = 0; i < w; i++) d[i] = i; }
static void row(coder *c, int y) { plane *p = &c->source; fill(AT(p, y, 0), c->source.w); }
"""
ROW = "for (int x = 0; x < c->source.w; x++) p->base[y * p->pitch + x] = 1;"


@pytest.mark.parametrize(
    "body",
    [
        f"plane *p = &c->source; {ROW}",
        f"plane *p = c->recon; {ROW}",
        f"const plane *q = &c->recon[1]; const plane *p = q; {ROW}",
        f"plane *p; p = &c->recon[c->now & 1]; {ROW}",
        "row(c, y);",
        "plane *p = &c->source; double *b = p->base; ptrdiff_t t = p->pitch; for (int x = 0; x < c->source.w; x++) b[y * t + x] = 1;",
    ],
)
def test_conditions_name_what_pointers_lead_to(body: str) -> None:
    text = f"{HEAD}void f(coder *c) {{ for (int y = 0; y < c->rows; y++) {{ {body} }} }}\n"
    (loop,) = [each for each in loops_of(text) if each.function == "f" and not each.parent]
    assert loop.verdict is Verdict.CONDITIONAL and any("pitch" in condition for condition in loop.conditions)


@pytest.mark.parametrize(
    "body",
    [
        f"plane *p = &c->recon[y & 1]; {ROW}",  # two planes, which may be one
        f"plane *p = c->list; {ROW} c->list = c->list + 1;",
        "plane *p = &c->source; p->base[p->now] = y; p->now++;".replace("now", "h"),
        f"plane *p = &c->source; {ROW} p->pitch++;",
    ],
)
def test_what_moves_has_none(body: str) -> None:
    text = f"{HEAD}void f(coder *c) {{ for (int y = 0; y < c->rows; y++) {{ {body} }} }}\n"
    (loop,) = [each for each in loops_of(text) if each.function == "f" and not each.parent]
    assert loop.verdict is not Verdict.PARALLEL
    assert not any("pitch" in condition and "recon" not in condition for condition in loop.conditions)
