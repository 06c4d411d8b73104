"""Loop classes, distance vectors and tags of nests (seed 001, section 3.1)."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from species.facts.loops import LoopClass, LoopFacts, Verdict
from tests.support.analysing import loops_in

NAMES = "double A[100], B[100], C[100][100], *p; int J, I, N, b[100]; int printf(const char *, ...);"

SOR = "for (j = 1; j <= J; j++) for (i = 1; i <= I; i++) A[i] = (A[i-1] + A[i] + A[i+1]) / 3;"
JACOBI = """for (j = 1; j <= J; j++) {
              for (i = 1; i <= I; i++) B[i] = (A[i-1] + A[i] + A[i+1]) / 3;
              for (i = 1; i <= I; i++) A[i] = B[i];
            }"""
SKEWED = "for (j = 1; j < N; j++) for (i = 1; i < N; i++) C[j][i] = C[j][i-1] + C[j-1][i] + C[j-1][i-1];"
SEIDEL = """for (k = 0; k < N; k++) for (j = 1; j < N; j++) for (i = 1; i < N; i++)
              C[j][i] = C[j][i-1] + C[j-1][i] + C[j+1][i] + C[j][i+1];"""


def loops(body: str) -> list[LoopFacts]:
    return loops_in(body, NAMES)


def classes(body: str) -> list[str]:
    return [loop.loop_class.value for loop in loops(body)]


def vectors(loop: LoopFacts) -> set[str]:
    return {str(each) for each in loop.distances}


FIGURES = {
    "3.1 a": ("for (i = 1; i <= N; i++) A[i] = 0;", ["doall"]),
    "3.1 b": ("for (i = 3; i <= N; i++) A[i] = A[i-3];", ["doacross-regular"]),
    "3.1 c": ("for (i = 1; i <= N; i++) A[i] = A[b[i]];", ["doacross-irregular"]),
    "3.1 d": ("for (i = 1; i <= N; i++) A[i] = A[i-1];", ["dosequential"]),
    "3.2 a": (JACOBI, ["dosequential", "doall", "doall"]),
    "3.2 b": (SOR, ["dosequential", "doacross-regular"]),
    "3.7": (
        "for (j = 1; j < N; j++) for (i = 1; i < N; i++) C[j][i] = C[j][i-1] + 0.5*C[j][i];",
        ["doall", "dosequential"],
    ),
    "3.8": (
        "for (j = 1; j < N; j++) for (i = 1; i < N; i++) C[j][i] = C[j-1][i-1] + C[j-1][i] + C[j-1][i+1];",
        ["dosequential", "doall"],
    ),
    "3.10": (SKEWED, ["dosequential", "doacross-regular"]),
}


@pytest.mark.parametrize("name", FIGURES)
def test_classes_of_the_seeds_figures(name: str) -> None:
    body, expected = FIGURES[name]
    assert classes(body) == expected


OTHERS = {
    "distances that vary": ("for (i = 0; i < N; i++) A[2*i] = A[i];", "doacross-irregular"),
    "a scalar from the iteration before": (
        "double s = 1; for (i = 0; i < N; i++) { s = s * A[i] + 1; B[i] = s; }",
        "dosequential",
    ),
    "a scalar from some iteration before": (
        "double s = 1; for (i = 0; i < N; i++) { if (A[i] > 0) s = s * A[i] + 1; B[i] = s; }",
        "doacross-irregular",
    ),
    "two distances": ("for (i = 4; i < N; i++) A[i] = A[i-2] + A[i-4];", "doacross-regular"),
    "output": ('for (i = 0; i < N; i++) printf("x");', "dosequential"),
    "a pointer that may meet the array": (
        "for (i = 3; i < N; i++) A[i] = A[i-3] + p[i];",
        "doacross-irregular",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_classes(name: str) -> None:
    body, expected = OTHERS[name]
    assert classes(body)[0] == expected


def test_distance_vectors_of_successive_over_relaxation() -> None:
    outer, inner = loops(SOR)
    assert vectors(outer) == {"(1,0)", "(1,-1)", "(0,1)"} and vectors(inner) == {"(1)"}
    assert {each.loops for each in outer.distances} == {("j", "i")}


def test_distance_vectors_over_the_loops_around_both_references() -> None:
    outer = loops(JACOBI)[0]
    assert vectors(outer) == {"(1)", "(1,0)"}
    assert {each.loops for each in outer.distances} == {("j",), ("j", "i")}


def test_distance_vectors_of_three_loops() -> None:
    outer, middle, inner = loops(SEIDEL)
    assert vectors(outer) == {"(0,0,1)", "(0,1,0)", "(1,-1,0)", "(1,0,-1)", "(1,0,0)"}
    assert vectors(middle) == {"(0,1)", "(1,0)"} and vectors(inner) == {"(1)"}


def test_a_distance_that_varies_is_a_star() -> None:
    body = """for (j = 0; j < N; j++) for (i = 0; i < N; i++) for (k = 0; k < N; k++)
                if (C[i][k] > C[i][j] + C[j][k]) C[i][k] = C[i][j] + C[j][k];"""
    assert "(*,0,*)" in vectors(loops(body)[0])


def test_what_may_not_be_executed_hides_no_older_iteration() -> None:
    (loop,) = loops("for (i = 0; i < N; i++) { if (B[i] > 0) A[b[i]] = 1; B[i] = A[3]; }")
    assert vectors(loop) == {"(*)"} and loop.loop_class is LoopClass.DOACROSS_IRREGULAR


def test_parallel_loops_have_no_vectors() -> None:
    outer, inner = loops(FIGURES["3.7"][0])
    assert outer.verdict is Verdict.PARALLEL and outer.distances == () and vectors(inner) == {"(1)"}


TAGS = {
    "one loop": ("for (i = 0; i < N; i++) A[i] = 0;", ()),
    "perfect": ("for (i = 0; i < N; i++) for (j = 0; j < N; j++) C[i][j] = 0;", ("perfect",)),
    "braces": ("for (i = 0; i < N; i++) {{ for (j = 0; j < N; j++) C[i][j] = 0; ; }}", ("perfect",)),
    "a statement before": (
        "for (i = 0; i < N; i++) { A[i] = 0; for (j = 0; j < N; j++) C[i][j] = 0; }",
        ("imperfect",),
    ),
    "a condition between": (
        "for (i = 0; i < N; i++) if (N > 3) for (j = 0; j < N; j++) C[i][j] = 0;",
        ("imperfect",),
    ),
    "imperfect further inside": (
        "for (k = 0; k < N; k++) for (i = 0; i < N; i++) { A[i] = 0; for (j = 0; j < N; j++) C[i][j] = 0; }",
        ("imperfect",),
    ),
    "two loops inside": (JACOBI, ("imperfect",)),
    "over-relaxation": (SOR, ("perfect", "uniform", "sor-like", "wavefront")),
    "without a loop over time": (SKEWED, ("perfect", "uniform", "sor-like", "wavefront")),
    "in two dimensions": (SEIDEL, ("perfect", "uniform", "sor-like", "wavefront")),
}


@pytest.mark.parametrize("name", TAGS)
def test_tags(name: str) -> None:
    body, expected = TAGS[name]
    assert loops(body)[0].tags == expected


NOT_SOR = {
    "carried by the outer loop alone": FIGURES["3.8"][0],
    "carried by the inner loop alone": FIGURES["3.7"][0],
    "not perfect": SOR.replace("for (i", "{ B[j] = 0; for (i") + "}",
    "not in place": SOR.replace("A[i] =", "B[i] ="),
    "distances vary": SOR.replace("A[i] =", "A[2*i] ="),
    "a condition on data": SOR.replace("A[i] =", "if (A[i] > 0) A[i] ="),
    "output": SOR.replace("A[i] =", 'printf("x"), A[i] ='),
    "a carried scalar": "double s = 0; " + SOR.replace("A[i] =", "s = A[i] - s, A[i] = s +"),
    "a pointer that may meet it": SOR.replace("A[i] =", "p[i] = 1, A[i] ="),
    "left early": SOR.replace("A[i] =", "if (I > i + j) break; else A[i] ="),
}


@pytest.mark.parametrize("name", NOT_SOR)
def test_what_is_not_sor_like(name: str) -> None:
    assert not any("sor-like" in loop.tags for loop in loops(NOT_SOR[name]))


# Distance vectors against running the nest

Offset = tuple[int, int]
SIZES = (5, 6)
offsets = st.tuples(st.integers(-2, 2), st.integers(-2, 2))


def subscripts(offset: Offset, flat: bool) -> str:
    return f"A[i + {offset[1] + 4}]" if flat else f"C[j + {offset[0] + 4}][i + {offset[1] + 4}]"


def observed(written: Offset, read: list[Offset], flat: bool) -> set[tuple[int | None, ...]]:
    """The distance vectors of all pairs of references, from the accesses in their order."""
    cells = [
        {t: ((t[0] + o[0]) * (not flat), t[1] + o[1]) for t in product(*map(range, SIZES))}
        for o in (written, *read)
    ]
    found = set()
    for source, sink in [
        (0, 0),
        *((0, k) for k in range(1, len(cells))),
        *((k, 0) for k in range(1, len(cells))),
    ]:
        deltas = _deltas(cells[source], cells[sink], nearest_sink=source != 0)
        if deltas:
            found.add(tuple(ds.pop() if len(ds) == 1 else None for ds in map(set, zip(*deltas, strict=True))))
    return found


def _deltas(
    source: dict[Offset, Offset], sink: dict[Offset, Offset], nearest_sink: bool
) -> set[tuple[int, ...]]:
    found = set()
    for t in source if nearest_sink else sink:
        if nearest_sink:
            others = [u for u in sink if u > t and sink[u] == source[t]]
            pair = (t, min(others)) if others else None
        else:
            others = [u for u in source if u < t and source[u] == sink[t]]
            pair = (max(others), t) if others else None
        if pair:
            found.add(tuple(b - a for a, b in zip(*pair, strict=True)))
    return found


@settings(deadline=None)
@given(offsets, st.lists(offsets, min_size=1, max_size=3), st.booleans())
def test_distance_vectors_are_what_a_run_shows(written: Offset, read: list[Offset], flat: bool) -> None:
    sum_ = " + ".join(subscripts(o, flat) for o in read)
    body = f"{subscripts(written, flat)} = 3 * ({sum_}) + 1;"
    nest = f"for (j = 0; j < {SIZES[0]}; j++) for (i = 0; i < {SIZES[1]}; i++) {body}"
    outer, inner = loops(nest)
    expected = observed(written, read, flat)
    found = {each.distance for each in outer.distances}
    if outer.verdict is Verdict.SERIAL:
        levels = [loop.verdict is Verdict.SERIAL for loop in (outer, inner)]
        carried = {v for v in expected if levels[0] if v[0] != 0} | {
            v for v in expected if levels[1] if v[0] == 0
        }
        assert found == carried
    else:
        assert all(v[0] == 0 for v in expected) or flat
