"""Elements of a few cells in rows: `a[y*pitch + x*channels + c]`, where nothing is known of the lengths."""

from __future__ import annotations

from itertools import product

import pytest

from species.facts.loops import Verdict
from tests.species.dependence.test_delinearise import claims
from tests.support.analysing import loops_of

NESTS = {  # C text of what is written, by the numbers of a cell in its element
    "a[y*s + x*c] = 1; a[y*s + x*c + 1] = 2;": (0, 1),
    "a[y*s + x*c] = x; a[y*s + x*c + 1] = y; a[y*s + x*c + 2] = (x + y) % 3 ? 1 : 2;": (0, 1, 2),
    "for (int k = 0; k < 3; k++) a[y*s + x*c + k] = k;": (0, 1, 2),
    "double *p = a + y*s + x*c; p[2] = x; p[0] = p[2] + y;": (0, 2),
    "a[y*s + x*c - 1] = 1; a[y*s + x*c + 1] = 2;": (-1, 1),
}


@pytest.mark.parametrize("text", NESTS)
def test_conditions_agree_with_enumeration(text: str) -> None:
    outer = loops_of(
        "void f(int s, int c, int w, double *restrict a) {\n"
        f"  for (int y = 0; y < 4; y++) for (int x = 0; x < w; x++) {{ {text} }} }}"
    )[0]
    assert outer.verdict is Verdict.CONDITIONAL
    claimed = 0
    for s, c, w in product(range(-3, 12), range(-2, 5), range(4)):
        if claims(outer, s=s, c=c, w=w):
            cells = [{y * s + x * c + k for x in range(w) for k in NESTS[text]} for y in range(4)]
            claimed += w > 1
            assert not any(cells[a] & cells[b] for a in range(4) for b in range(a)), (s, c, w)
    assert claimed > 10  # those of which people make pictures: c cells of an element, s >= c*w


def test_the_condition_is_met_by_pictures() -> None:
    (outer, *_) = loops_of(
        "struct p { unsigned char *at; int width, height, pitch, n; };\n"
        "void f(struct p *p) { for (int y = 0; y < p->height; y++) for (int x = 0; x < p->width; x++) {\n"
        "  unsigned char *to = p->at + y * p->pitch + x * p->n; to[0] = x; to[1] = y; to[2] = x & y; } }"
    )
    assert outer.verdict is Verdict.CONDITIONAL
    assert any(">= 3" in condition for condition in outer.conditions), outer.conditions
