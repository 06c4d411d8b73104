"""Members of unions: where a function names one member alone, they are as those of any structure."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

HEAD = """
struct tensor { int rows, cols; float *data; };
struct layer { struct tensor out; int kind;
  union { struct { float *bias; int n; } dense; struct { float rate; float *mask; } drop; int raw[6]; } u; };
static void reset(struct layer *l) { l->u.drop.rate = 0; }
static void quiet(struct layer *l) { l->u.dense.n = 3; }
static int many(const struct layer *l) { return l->u.dense.n; }
static int raw(const struct layer *l) { return l->u.raw[2]; }
typedef void act(struct layer *); static act *const acts[2] = { reset, quiet };
"""
FOR = "for (int r = 0; r < l->out.rows; r++) for (int c = 0; c < "


def verdict(body: str) -> Verdict:
    return loops_of(f"{HEAD}void f(struct layer *l, const float *x, struct layer *m) {{ {body} }}")[0].verdict


@pytest.mark.parametrize(
    "body",
    [
        f"{FOR}l->u.dense.n; c++) l->out.data[r * l->out.cols + c] = l->u.dense.bias[c] + x[c];",
        f"{FOR}many(l); c++) l->out.data[r * l->out.cols + c] = l->u.dense.bias[c];",
        f"float *b = l->u.dense.bias; {FOR}9; c++) b[r * 9 + c] += x[c];",
        "for (int k = 0; k < l->u.dense.n; k++) l->u.dense.bias[k] *= 0.5f;",
    ],
)
def test_alone(body: str) -> None:
    assert verdict(body).is_parallel


@pytest.mark.parametrize(
    "body",
    [
        f"{FOR}l->u.dense.n; c++) {{ l->out.data[r * l->out.cols + c] = x[c]; l->u.drop.rate = c; }}",
        f"{FOR}l->u.dense.n; c++) {{ l->out.data[r * l->out.cols + c] = x[c]; reset(l); }}",
        f"{FOR}l->u.dense.n; c++) {{ l->out.data[r * l->out.cols + c] = x[c]; acts[c & 1](l); }}",
        "for (int k = 0; k < 6; k++) l->u.raw[k] = l->u.dense.n;",
        "for (int k = 0; k < 6; k++) l->u.raw[k] = raw(l);",
        "for (int k = 0; k < 6; k++) l->u.raw[k] = many(l);",
    ],
)
def test_not_alone(body: str) -> None:
    assert not verdict(body).is_parallel
