"""Hyperplanes of nests whose loops all carry dependences."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuvier.document.json import unit_json
from cuvier.document.words import details
from cuvier.report.explain import explain
from species.characterise.wavefronts import MOST_SKEW, hyperplanes, text
from species.facts.loops import LoopFacts, UnitFacts
from tests.support.analysing import loops_of

# Distance vectors of the seed's stencils (sections 3.1 and 3.2), and skewed counters in which none is negative.
SOR = {
    "1-D SOR-3": ([(0, 1), (1, -1), (1, 0)], ("t", "t + i")),
    "2-D SOR-5": ([(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 0, -1), (1, -1, 0)], ("t", "t + i", "t + j")),
    "one sweep": ([(0, 1), (1, 0)], ("t", "i")),
    "a wider stencil": ([(0, 1), (1, -2), (1, 0)], ("t", "2*t + i")),
    "a diagonal": ([(0, 1), (1, 0), (1, 1)], ("t", "i")),
    "nine points": (
        [(0, 0, 1), (0, 1, -1), (0, 1, 0), (1, -1, -1), (1, 0, 0)],
        ("t", "t + i", "2*t + i + j"),
    ),
}


@pytest.mark.parametrize("name", SOR)
def test_vectors_of_the_stencils(name: str) -> None:
    vectors, planes = SOR[name]
    found = hyperplanes(vectors)
    assert found is not None
    assert tuple(text(plane, ("t", "i", "j")[: len(plane)]) for plane in found) == planes


def test_none_is_small_enough() -> None:
    assert hyperplanes([(0, 1), (1, -MOST_SKEW - 1)]) is None
    assert hyperplanes([]) is None


vectors = st.integers(1, 3).flatmap(
    lambda depth: st.lists(
        st.tuples(*[st.integers(-3, 3)] * depth).filter(lambda v: v > (0,) * depth), min_size=1, max_size=5
    )
)


@given(vectors)
def test_no_distance_goes_back_and_no_smaller_plane_will_do(found: list[tuple[int, ...]]) -> None:
    planes = hyperplanes(found)
    depth = len(found[0])

    def legal(plane: tuple[int, ...]) -> bool:
        return all(sum(c * d for c, d in zip(plane, v, strict=True)) >= 0 for v in found)

    ways = {
        k: [(*w, 1, *(0,) * (depth - k - 1)) for w in product(range(MOST_SKEW + 1), repeat=k)]
        for k in range(depth)
    }
    if planes is None:
        assert any(not any(map(legal, ways[k])) for k in range(depth))
        return
    for k, plane in enumerate(planes):
        assert legal(plane) and sum(plane) == min(sum(way) for way in ways[k] if legal(way))


HEAD = "#define N 90\ndouble a[N][N], b[N][N]; int d[N][N]; char *s, *t;\n"
SWEEP = "for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++) a[i][j] = a[i - 1][j] + a[i][j - 1] + a[i + 1][j] + a[i][j + 1];"
NAMED = {
    "in time": (f"void f(int n) {{ for (int k = 0; k < n; k++) {SWEEP} }}", ("k", "k + i", "k + j")),
    "one sweep": (f"void f(void) {{ {SWEEP} }}", ("i", "j")),
    "a table": (
        "void f(int n) { for (int i = 1; i < n; i++) for (int j = 1; j < n; j++)"
        " if (s[i] == t[j]) d[i][j] = d[i - 1][j - 1]; else d[i][j] = d[i - 1][j] > d[i][j - 1] ? d[i - 1][j] : d[i][j - 1]; }",
        ("i", "j"),
    ),
}  # fmt: skip
UNNAMED = {
    "a parallel loop inside": "void f(int n) { for (int i = 1; i < N; i++) for (int j = 0; j < N; j++) a[i][j] = a[i - 1][j]; }",
    "one loop": "void f(double *x) { for (int i = 1; i < N; i++) x[i] = x[i - 1]; }",
    "distances that vary": "void f(int n) { for (int i = 1; i < N; i++) for (int j = 1; j < N; j++) a[i][j] = a[i - 1][n - j] + a[i][j - 1]; }",
    "another reason": 'int printf(const char *, ...); void f(void) { for (int i = 1; i < N; i++) for (int j = 1; j < N; j++) { a[i][j] = a[i - 1][j] + a[i][j - 1]; printf("x"); } }',
}  # fmt: skip


def outermost(body: str) -> LoopFacts:
    return loops_of(HEAD + body)[0]


@pytest.mark.parametrize("name", NAMED)
def test_nests_have_their_hyperplanes(name: str) -> None:
    body, planes = NAMED[name]
    loop = outermost(body)
    assert loop.wavefront == planes and {"uniform", "wavefront"} <= set(loop.tags)
    assert all(not inner.wavefront for inner in loops_of(HEAD + body)[1:])


@pytest.mark.parametrize("name", UNNAMED)
def test_other_nests_have_none(name: str) -> None:
    loop = outermost(UNNAMED[name])
    assert not loop.wavefront and "wavefront" not in loop.tags


def test_reports_and_explanations_say_so() -> None:
    body, _ = NAMED["in time"]
    loop = outermost(body)
    said = [*details(unit_json(UnitFacts("a.c", "ok", (), (loop,)))["loops"][0])]
    assert any(
        "the hyperplanes k, k + i, k + j makes it parallel (cuvier compile --target openmp)" in s
        for s in said
    )
    explained = " ".join(explain(loop, lambda _: HEAD + body).split())
    assert (
        "no dependence crosses one of the hyperplanes k, k + i and k + j backwards, so that tiles"
        in explained
    )


FLAT = {
    "rows of a size": "void f(double *a, int n, int m) { for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) a[i * m + j] = a[(i - 1) * m + j] + a[i * m + j - 1]; }",
    "in a structure": "struct g { int n, m; float *u; }; void f(struct g *g) { for (int i = 1; i < g->n; i++) for (int j = 1; j < g->m; j++) g->u[i * g->m + j] = g->u[(i - 1) * g->m + j] + g->u[i * g->m + j - 1]; }",
}


@pytest.mark.parametrize("name", FLAT)
def test_flattened_arrays_have_distances_by_rows(name: str) -> None:
    nest, inner = loops_of(FLAT[name])
    assert [d.distance for d in nest.distances] == [(0, 1), (1, 0)]
    assert nest.wavefront == ("i", "j") and {"uniform", "sor-like"} <= {*nest.tags} and not inner.wavefront


def test_columns_that_may_leave_their_rows_vary() -> None:
    nest, _ = loops_of(FLAT["rows of a size"].replace("j < m", "j < n"))
    assert not nest.wavefront and "uniform" not in nest.tags
