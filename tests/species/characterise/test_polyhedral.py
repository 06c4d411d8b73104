"""The polyhedral theory: its figures, and its agreement with the theory of references."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from species import AnalysisOptions, analyse
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from tests.support.analysing import facts_of
from tests.support.places import ROOT
from tests.support.theories import both_apply, by_both, disagreements

CORPUS = ROOT / "corpus"
PROGRAMS = sorted(CORPUS.rglob("*.c"))
NAMES = """int M, N, A[64][64], B[64][64], C[64][64], R[8][8], S[64], T[8], K[8];
int a[128], m[128], v[64], r[64];
double sum; unsigned char t[64];
"""


def unit_of(body: str) -> TranslationUnit:
    text = f"{NAMES}void f(void) {{\nint i, j, k;\n{body}\n}}\n"
    return read_translation_unit("test.c", PreprocessOptions(), text=text)


def by_polyhedra(body: str) -> LoopFacts:
    """The outermost loop of a function with this body."""
    return analyse(unit_of(body), AnalysisOptions(theory="polyhedral")).loops[0]


FIGURES = {
    "3.4": (
        "for (i = 0; i < 64; i++) for (j = 0; j < 64; j++) B[i][j] = 2 * A[i][j];",
        "A[0:63,0:63]|element -> B[0:63,0:63]|element",
    ),
    "3.5": (
        "for (i = 0; i < 64; i++) { r[i] = 0; for (j = 0; j < 64; j++) r[i] += A[i][j] * v[j]; }",
        "A[0:63,0:63]|chunk(-,0:63) ^ v[0:63]|full -> r[0:63]|element",
    ),
    "3.7": (
        "for (i = 0; i < 8; i++) sum += a[i] * m[i+2];",
        "a[0:7]|element ^ m[2:9]|element -> sum[0:0]|shared(+)",
    ),
    "3.8": (
        """for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) {
             int s = 0;
             for (int ii = 0; ii < 2; ii++) for (int jj = 0; jj < 2; jj++) s += A[2*i+ii][2*j+jj];
             R[i][j] = s;
           }""",
        "A[0:15,0:15]|chunk(0:1,0:1) -> R[0:7,0:7]|element",
    ),
    "3.10, left": (
        "for (i = 1; i < 127; i++) m[i] = a[i-1] + a[i] + a[i+1];",
        "a[1:126]|neighbourhood(-1:1) -> m[1:126]|element",
    ),
    "3.10, right": (
        "for (i = 1; i < 127; i++) { double t = 0; for (k = -1; k <= 1; k++) t += a[i+k]; m[i] = t; }",
        "a[1:126]|neighbourhood(-1:1) -> m[1:126]|element",
    ),
    "3.16": (
        "for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) S[i*8+j] = R[i][j] + T[i];",
        "R[0:7,0:7]|element ^ T[0:7]|element -> S[0:63]|element",
    ),
    "3.26": (
        """for (i = 0; i < N; i++) for (j = 0; j < N; j++) {
             B[i][j] *= 3;
             for (k = 0; k <= M; k++) B[i][j] += 2 * A[i][k] * A[j][k];
           }""",
        "B[0:N-1,0:N-1]|element ^ A[0:N-1,0:M]|chunk(-,0:M) ^ A[0:N-1,0:M]|chunk(-,0:M)"
        " -> B[0:N-1,0:N-1]|element",
    ),
    "a product, k in between": (
        """for (i = 0; i < N; i++) for (k = 0; k < N; k++) for (j = 0; j < N; j++)
             C[i][j] += A[i][k] * B[k][j];""",
        "A[0:N-1,0:N-1]|chunk(-,0:N-1) ^ B[0:N-1,0:N-1]|chunk(0:N-1,-) ^ C[0:N-1,0:N-1]|element"
        " -> C[0:N-1,0:N-1]|element",
    ),
    "a star": (
        """for (i = 1; i < N - 1; i++) for (j = 1; j < N - 1; j++)
             B[i][j] = A[i][j] + A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1];""",
        "A[1:N-2,1:N-2]|neighbourhood(-1:1,-1:1) -> B[1:N-2,1:N-2]|element",
    ),
    "a step": (
        "for (i = 0; i < 6; i += 2) m[i] = a[i] + a[i+1];",
        "a[0:5]|chunk(0:1) -> m[0:4]|element",
    ),
    "backwards": ("for (i = 7; i >= 0; i--) m[i] = a[7-i];", "a[0:7]|element -> m[0:7]|element"),
    "a hole is no structure": (
        "for (i = 1; i < 6; i += 2) K[i] = (K[i-1] + K[i+1]) / 2;",
        "K[0:4]|element ^ K[2:6]|element -> K[1:5]|element",
    ),
    "a loop that only writes move with": (
        "for (i = 0; i < N; i++) for (j = 0; j < N; j++) B[i][j] = v[i];",
        "v[0:N-1]|element -> B[0:N-1,0:N-1]|chunk(-,0:N-1)",
    ),
    "a structure loop outside": (
        "for (j = 0; j < N; j++) for (i = 0; i < N; i++) r[i] += A[i][j] * v[j];",
        "A[0:N-1,0:N-1]|chunk(-,0:N-1) ^ v[0:N-1]|full ^ r[0:N-1]|element -> r[0:N-1]|element",
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_species(name: str) -> None:
    body, species = FIGURES[name]
    loop = by_polyhedra(body)
    assert str(loop.species) == species and loop.exact


def test_an_inner_loop_names_the_iterators_around_it() -> None:
    body = "for (i = 0; i < 64; i++) { r[i] = 0; for (j = 0; j < 64; j++) r[i] += A[i][j] * v[j]; }"
    inner = analyse(unit_of(body), AnalysisOptions(theory="polyhedral")).loops[1]
    assert str(inner.species) == "A[i:i,0:63]|element ^ v[0:63]|element -> r[i:i]|shared(+)"


NOT_STATIC_AFFINE = {
    "a condition on data": "for (i = 0; i < N; i++) if (a[i] > 0) m[i] = 1;",
    "a subscript read from memory": "for (i = 0; i < N; i++) m[i] = a[t[i]];",
    "a product": "for (i = 0; i < 8; i++) m[i] = a[i*i];",
    "a division": "for (k = 0; k < 64; k++) S[k] = R[k/8][k%8];",
    "a while inside": "for (i = 0; i < 8; i++) { int n = i; while (n > 3) n /= 2; m[i] = n; }",
}


@pytest.mark.parametrize("name", NOT_STATIC_AFFINE)
def test_only_static_affine_nests_have_a_species(name: str) -> None:
    loop = by_polyhedra(NOT_STATIC_AFFINE[name])
    assert loop.species is None and not loop.exact
    plain = analyse(unit_of(NOT_STATIC_AFFINE[name])).loops[0]
    assert (loop.verdict, loop.reasons) == (plain.verdict, plain.reasons)


def test_a_triangle_is_over_approximated() -> None:
    loop = by_polyhedra("for (i = 0; i < 8; i++) for (j = 0; j <= i; j++) R[i][j] = 1;")
    assert str(loop.species) == "void -> R[0:7,0:7]|element" and not loop.exact


def test_the_verdict_is_not_the_theorys() -> None:
    loop = by_polyhedra("for (i = 1; i < N; i++) a[i] = a[i-1];")
    assert loop.verdict is Verdict.SERIAL and loop.species is None


@pytest.mark.sampled(12)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: str(p.relative_to(CORPUS)))
def test_both_theories_agree_on_the_corpus(path: Path) -> None:
    assert list(disagreements(read_translation_unit(str(path), PreprocessOptions()))) == []


def test_they_agree_often_enough_to_count() -> None:
    unit = read_translation_unit(str(CORPUS / "polybench" / "3mm.c"), PreprocessOptions())
    assert sum(map(both_apply, by_both(unit))) >= 10


# Random static affine nests: up to three loops, of which the innermost may be one of several statements

ITERATORS = ("i", "j", "k")


@st.composite
def headers(draw: st.DrawFn, iterator: str) -> str:
    """A loop that makes two iterations or more, or nobody knows how many."""
    low, step = draw(st.integers(1, 3)), draw(st.sampled_from([1, 1, 1, 2]))
    high = draw(st.sampled_from([*(str(low + trips * step) for trips in (2, 3, 5)), "n"]))
    if draw(st.booleans()) or high == "n":
        return f"for (int {iterator} = {low}; {iterator} < {high}; {iterator} += {step})"
    return f"for (int {iterator} = {high}; {iterator} >= {low}; {iterator} -= {step})"


@st.composite
def subscripts(draw: st.DrawFn, iterators: tuple[str, ...]) -> str:
    terms = draw(st.lists(st.sampled_from(iterators), max_size=2, unique=True))
    factors = [draw(st.sampled_from([1, 1, 1, 2, 3, -1])) for _ in terms]
    text = " + ".join(f"{factor}*{name}" for factor, name in zip(factors, terms, strict=True))
    return f"{text or 0} + {draw(st.integers(9, 11))}"


@st.composite
def references(draw: st.DrawFn, arrays: str, iterators: tuple[str, ...]) -> str:
    """A reference, or several that lie side by side."""
    name = draw(st.sampled_from(arrays))
    rank = 2 if name in "AC" else 1
    indices = [draw(subscripts(iterators)) for _ in range(rank)]
    shifts = draw(st.lists(st.lists(st.integers(-2, 2), min_size=2, max_size=2), min_size=1, max_size=3))
    return " + ".join(
        name + "".join(f"[{s} + {d}]" for s, d in zip(indices, shift, strict=False)) for shift in shifts
    )


@st.composite
def nests(draw: st.DrawFn) -> str:
    depth = draw(st.integers(1, 3))
    names = ITERATORS[:depth]
    loops = [draw(headers(name)) for name in names]
    sides = st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)
    target = "".join(f"[{name} + 9]" for name in draw(sides))
    written = ("P" if target.count("[") == 2 else "p") + target
    body = f"{written} {draw(st.sampled_from(['=', '+=']))} {draw(references('ABab', names))};"
    if depth > 1 and draw(st.booleans()):
        outer = names[:-1]
        first = f"q[{draw(subscripts(outer))}] = {draw(references('ABab', outer))};"
        return f"{' '.join(loops[:-1])} {{ {first} {loops[-1]} {body} }}"
    return f"{' '.join(loops)} {body}"


ARRAYS = "int A[99][99], C[99][99], P[99][99], B[99], a[99], b[99], p[99], q[99];"


@settings(deadline=None)
@given(nests())
def test_both_theories_agree_on_random_nests(nest: str) -> None:
    text = f"{ARRAYS}\nvoid f(int n) {{\n{nest}\n}}\n"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    assert list(disagreements(unit)) == [], nest


@settings(deadline=None)
@given(nests())
def test_the_theory_changes_no_verdict(nest: str) -> None:
    text = f"{ARRAYS}\nvoid f(int n) {{\n{nest}\n}}\n"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    other = analyse(unit, AnalysisOptions(theory="polyhedral")).loops
    assert [loop.verdict for loop in other] == [loop.verdict for loop in facts_of(text).loops]
