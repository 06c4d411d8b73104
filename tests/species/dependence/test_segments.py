"""Loops over segments that data bounds: whether these are in order is tested before the loop."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from species.facts.loops import IN_ORDER, Verdict
from tests.support.analysing import loops_of
from tests.support.places import TESTS
from tests.support.three_ways import same_three_ways

HEAD = """#include <stddef.h>
typedef struct { int from, to; float sum; } part; struct csr { size_t n; size_t *off; double *val; };
int helper(int *x);
"""
EACH = "for (int v = 0; v < n; v++)"
CONDITIONAL = {
    "offsets": f"void f(const int *off, double *val, int n) {{ {EACH} for (int e = off[v]; e < off[v + 1]; e++) val[e] += v; }}",
    "sizes in a structure": "void f(struct csr *g) { for (size_t v = 0; v < g->n; v++) for (size_t e = g->off[v]; e < g->off[v + 1]; e++) g->val[e] /= 2; }",
    "ends in structures": f"void f(part *p, double *val, int n) {{ {EACH} for (int e = p[v].from; e < p[v].to; e++) val[e] = e; }}",
    "pointers": f"void f(const int *off, double *val, int n) {{ {EACH} {{ double *p = val + off[v], *e = val + off[v + 1]; while (p < e) *p++ = v; }} }}",
    "lengths": f"void f(const int *off, double *val, int n) {{ {EACH} {{ int m = off[v + 1] - off[v]; for (int k = 0; k < m; k++) val[off[v] + k] = k; }} }}",
    "rows by pointers": f"void f(const int *off, double *val, int n) {{ {EACH} {{ double *p = val + off[v]; for (int k = 1; k < off[v + 1] - off[v]; k++) p[k] += p[k - 1]; }} }}",
    "backwards": "void f(const int *off, double *val, int n) { for (int v = n - 1; v >= 0; v--) for (int e = off[v]; e < off[v + 1]; e++) val[e] += v; }",
    "behind a guard": f"void f(const int *off, double *val, int n) {{ {EACH} {{ int b = off[v], e = off[v + 1]; if (v % 3) for (; b < e; b++) val[b] = v; }} }}",
}  # fmt: skip
OTHERS = {
    "one cell more": f"void f(const int *off, double *val, int n) {{ {EACH} for (int e = off[v]; e <= off[v + 1]; e++) val[e] = v; }}",
    "offsets that change": f"void f(int *off, double *val, int n) {{ {EACH} {{ for (int e = off[v]; e < off[v + 1]; e++) val[e] = v; off[v + 1]++; }} }}",
    "offsets that a call changes": f"void f(int *off, double *val, int n) {{ {EACH} {{ for (int e = off[v]; e < off[v + 1]; e++) val[e] = v; helper(off); }} }}",
    "offsets that are read where data says": f"void f(const int *off, double *val, int n) {{ {EACH} if (val[v] > 3) for (int e = off[v]; e < off[v + 1]; e++) val[e] = v; }}",
    "two segments further": f"void f(const int *off, double *val, int n) {{ {EACH} for (int e = off[v]; e < off[v + 2]; e++) val[e] = v; }}",
    "places that data chooses": f"void f(const int *off, const int *at, double *val, int n) {{ {EACH} for (int e = off[v]; e < off[v + 1]; e++) val[at[e]] = v; }}",
    "the offset before": f"void f(const int *off, double *val, double *t, int n) {{ {EACH} {{ t[v] = off[v]; if (v > 0) for (int e = off[v - 1]; e < off[v]; e++) val[e] = v; }} }}",
    "a cell before": f"void f(const int *off, double *val, int n) {{ {EACH} for (int e = off[v]; e < off[v + 1]; e++) val[e] = val[e - 1]; }}",
}  # fmt: skip


@pytest.mark.parametrize("name", CONDITIONAL)
def test_asks_whether_segments_are_in_order(name: str) -> None:
    loop = loops_of(HEAD + CONDITIONAL[name])[0]
    assert loop.verdict is Verdict.CONDITIONAL and any(IN_ORDER in c for c in loop.conditions)
    assert any("ascend" in words or "no less" in words for words in loop.condition_words)


@pytest.mark.parametrize("name", OTHERS)
def test_others_stay_as_they_are(name: str) -> None:
    assert not loops_of(HEAD + OTHERS[name])[0].verdict.is_parallel


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_programs_over_segments(tmp_path: Path) -> None:
    """Also where they overlap, are empty, or stand in another order."""
    marked, made = same_three_ways(TESTS / "segments.c", tmp_path)
    assert marked.count(f"{IN_ORDER}(") > 5 and made.count(f"{IN_ORDER}(") > 5
