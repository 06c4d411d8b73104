"""Pointers that are one of two into the same object: `up = r > 0 ? row - w : row`."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import outermost

IMAGE = "struct image { int w, h; float *p; float **line; };"


@pytest.mark.parametrize(
    ("verdict", "body"),
    [
        (
            Verdict.PARALLEL,
            "const float *p = a + i * w, *up = i > 0 ? p - w : p, *dn = i + 1 < h ? p + w : p;"
            " for (int x = 0; x < w; x++) b[i * w + x] = up[x] + p[x] + dn[x];",
        ),
        (Verdict.PARALLEL, "const float *p = i & 1 ? a : a + w; b[i] = p[i];"),
        (Verdict.PARALLEL, "float *p = i > 3 ? b + 2 * i : b + 2 * i + 1; *p = i;"),
        (
            Verdict.UNKNOWN,
            "float *p = b + i * w; const float *up = i > 0 ? p - w : p;"
            " for (int x = 0; x < w; x++) p[x] = up[x] + 1;",
        ),
        (Verdict.UNKNOWN, "float *p = i & 1 ? b + i : b + i + 1; *p = i;"),
        (Verdict.UNKNOWN, "float *p = i & 1 ? b : c; p[0] += a[i];"),
        (
            Verdict.CONDITIONAL,
            "const float *p = in->line[i], *up = i ? in->line[i - 1] : p; float *q = out->line[i];"
            " for (int x = 0; x < w; x++) q[x] = up[x] + p[x];",
        ),
        (
            Verdict.UNKNOWN,
            "float *p = out->line[i]; const float *up = i ? out->line[i - 1] : p;"
            " for (int x = 0; x < w; x++) p[x] = up[x] + 1;",
        ),
    ],
)
def test_either(verdict: Verdict, body: str) -> None:
    given = "const float *restrict a, float *restrict b, float *restrict c, int w, int h"
    given += ", const struct image *in, struct image *out"
    loop = outermost(f"{IMAGE} void f({given}) {{ for (int i = 0; i < h; i++) {{ {body} }} }}")
    if verdict is Verdict.UNKNOWN:
        assert not loop.verdict.is_parallel, loop.conditions
    else:
        assert loop.verdict is verdict, loop.reasons


@pytest.mark.parametrize(
    "start", ["const float *up = last ? a + n : a;", "const float *up = a; if (last > 3) up = a + n;"]
)
def test_loops_inside_know_it_by_its_name(start: str) -> None:
    text = f"{start} for (int i = 0; i < n; i++) b[i] = up[i];"
    loop = outermost(f"void f(const float *restrict a, float *restrict b, int n, int last) {{ {text} }}")
    assert loop.verdict is Verdict.PARALLEL and loop.kernel is not None
    assert str(loop.species) == "up[0:n-1]|element -> b[0:n-1]|element"
    assert [array.name for array in loop.kernel.arrays] == ["up", "b"] and not loop.kernel.obstacles


def test_branches_that_set_it() -> None:
    rows = """const float *p = in->line[i], *up = p, *dn; float *q = out->line[i];
      if (i > 0) up = in->line[i - 1];
      if (i + 1 < h) dn = in->line[i + 1]; else dn = p;
      for (int x = 0; x < w; x++) q[x] = up[x] + p[x] + dn[x];"""
    given = "int w, int h, const struct image *in, struct image *out"
    loop = outermost(f"{IMAGE} void f({given}) {{ for (int i = 0; i < h; i++) {{ {rows} }} }}")
    assert loop.verdict is Verdict.CONDITIONAL
