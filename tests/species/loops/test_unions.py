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


DIGESTS = """
union digest { unsigned w[8]; unsigned char b[32]; };
struct block { union digest sum; unsigned weak; };
static void mix(unsigned *state, const unsigned char *in) { state[0] += in[0]; state[7] ^= in[1]; }
static void sum(union digest *out, const unsigned char *in, int n) {
  static const unsigned start[8] = { 1, 2, 3 };
  __builtin_memcpy(out->w, start, sizeof start);
  for (; n > 0; n -= 2, in += 2) mix(out->w, in);
}
"""


@pytest.mark.parametrize(
    ("parallel", "body"),
    [
        (True, "for (int i = 0; i < n; i++) { for (int k = 0; k < 8; k++) d[i].w[k] = k; mix(d[i].w, x); }"),
        (True, "for (int i = 0; i < n; i++) { sum(&s[i].sum, x, 64); s[i].weak = 3; }"),
        (False, "for (int i = 1; i < n; i++) { mix(d[i].w, x); mix(d[i - 1].w, x); }"),
        (False, "for (int i = 0; i < n; i++) mix(d[0].w + i, d[1].b + i);"),
    ],
)
def test_an_array_in_a_union_is_handed_down(parallel: bool, body: str) -> None:
    given = "union digest *restrict d, struct block *restrict s, const unsigned char *restrict x, int n"
    found = next(loop for loop in loops_of(f"{DIGESTS}void f({given}) {{ {body} }}") if loop.function == "f")
    assert found.verdict.is_parallel == parallel
