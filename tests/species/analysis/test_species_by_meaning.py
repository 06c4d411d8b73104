"""Species written by hand mean the same however they are spelt; what means something else is refuted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from species import analyse
from species.annotate import annotate
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import facts_of
from tests.support.places import ROOT

ARRAYS = """#define N 100
#define LAST (N-1)
#define TWICE 2*N
enum { ROWS = 100, COLUMNS = 50 };
const int SIDE = 100;
double a[100], b[100], w[200], p[100][50], c[100][100], r[100], d[202];
"""
COPY = "for (int i = 0; i < 100; i++) a[i] = b[i];"
ROW_SUMS = """for (int i = 0; i < 100; i++) {
    double s = 0;
    for (int j = 0; j < 50; j++) s += p[i][j];
    r[i] = s;
  }"""
PAIRS = """for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++) {
      double s = 0;
      for (int k = 0; k < 50; k++) s += p[i][k] * p[j][k];
      c[i][j] = s;
    }"""
STENCIL = "for (int i = 1; i < 99; i++) a[i] = b[i - 1] + b[i] + b[i + 1];"
ROWS_BESIDE = "for (int i = 0; i < 50; i++) a[i] = p[3][i] + p[4][i] + b[i];"
PAIRWISE = "for (int i = 0; i < 100; i++) w[2 * i] = w[2 * i + 1] = a[i];"
SUM = "for (int i = 0; i < 100; i++) r[0] += b[i];"


def complaints(species: str, loop: str, before: str = "", parameters: str = "void") -> Sequence[str]:
    text = f"{ARRAYS}void f({parameters}) {{\n  {before}\n#pragma species kernel {species}\n  {loop}\n}}\n"
    return [each.message for each in facts_of(text).diagnostics]


@pytest.mark.parametrize(
    "species",
    [
        "b[0:N-1]|element -> a[0:N-1]|element",
        "b[0:LAST]|element -> a[0:N - 1]|element",
        "b[0:TWICE-1-N]|element -> a[0:(TWICE)/2-1]|element",
        "b[0:ROWS-1]|element -> a[0:SIDE-1]|element",
        "b[0:max(3,N)-1]|element -> a[0:min(N,200)-1]|element",
        "b[99:0]|element -> a[0:0x63]|element",
        "0:N-1|element -> 0:N-1|element",
        "b[0:99]|element ^ b[0:N-1]|element -> a[0:99]|element",
        "b[0:99]|chunk(0:0) -> a[0:99]|chunk(-)",
        "b[0:99]|neighbourhood(0:0) -> a[0:99]|element",
    ],
)
def test_sizes_and_spellings(species: str) -> None:
    assert not complaints(species, COPY)


@pytest.mark.parametrize(
    ("before", "size"),
    [
        ("int M = 100;", "M"),
        ("int half = 50, M = 2 * half;", "M"),
        ("int M = 5; M = N;", "M"),
        ("int M = 10;", "M*M"),
        ("int M = 800;", "(M>>3)"),
    ],
)
def test_variables_that_are_known(before: str, size: str) -> None:
    assert not complaints(f"b[0:{size}-1]|element -> a[0:{size}-1]|element", COPY, before)


def test_a_variable_that_is_not_known_is_only_itself() -> None:
    assert complaints("b[0:m-1]|element -> a[0:m-1]|element", COPY, parameters="int m")
    loop = "for (int i = 0; i < m; i++) a[i] = b[i];"
    assert not complaints("b[0:m-1]|element -> a[0:m-1]|element", loop, parameters="int m")
    equal = "int n = m;"
    assert not complaints("b[0:n-1]|element -> a[0:n-1]|element", loop, equal, parameters="int m")


def test_what_holds_around_the_loop_is_known() -> None:
    species = "b[0:m-1]|element -> a[0:m-1]|element"
    text = "void f(int m) {\n  if (m %s 100) {\n#pragma species kernel " + species + f"\n  {COPY}\n  }}\n}}\n"
    assert not facts_of(ARRAYS + text % "==").diagnostics
    assert facts_of(ARRAYS + text % ">").diagnostics


@pytest.mark.parametrize(
    ("species", "loop"),
    [
        ("p[0:99,0:49]|chunk(0:0,0:49) -> r[0:99]|element", ROW_SUMS),
        ("p[0:N-1,0:COLUMNS-1]|chunk(-,0:COLUMNS-1) -> r[0:N-1]|element", ROW_SUMS),
        ("p[0:99,0:49]|chunk(-,0:49) -> c[0:99,0:99]|element", PAIRS),
        ("b[0:99]|neighbourhood(-1:1) -> a[1:98]|element", STENCIL),
        ("b[1:98]|neighbourhood(-1:1) -> a[1:98]|element", STENCIL),  # the range of the base loop
        ("b[0:97]|element ^ b[1:98]|element ^ b[2:99]|element -> a[1:98]|element", STENCIL),
        ("b[0:98]|neighbourhood(-1:0) ^ b[2:99]|element -> a[1:98]|element", STENCIL),
        ("b[0:49]|element ^ p[3:4,0:49]|chunk(0:1,0:0) -> a[0:49]|element", ROWS_BESIDE),
        ("p[4:4,0:49]|element ^ b[0:49]|element ^ p[3:3,0:49]|element -> a[0:49]|element", ROWS_BESIDE),
        ("a[0:99]|element -> w[0:199]|chunk(0:1)", PAIRWISE),
        ("a[0:99]|element -> w[0:198]|element ^ w[1:199]|element", PAIRWISE),
        ("b[0:99]|element -> r[0:0]|shared", SUM),
        ("b[0:99]|element ^ r[0:0]|full -> r[0:0]|shared(+)", SUM),
    ],
)
def test_the_same_elements_are_the_same_species(species: str, loop: str) -> None:
    assert not complaints(species, loop)


@pytest.mark.parametrize(
    ("species", "loop", "said"),
    [
        ("b[0:N]|element -> a[0:99]|element", COPY, "'b[0:N]|element' does not hold"),
        ("b[0:TWICE-N-2]|element -> a[0:99]|element", COPY, "does not hold"),
        ("a[0:99]|element -> a[0:99]|element", COPY, "'a[0:99]|element' does not hold"),
        ("b[0:99]|full -> a[0:99]|element", COPY, "'b[0:99]|full' does not hold"),
        ("b[0:99]|element ^ w[0:99]|element -> a[0:99]|element", COPY, "'w[0:99]|element' does not hold"),
        ("void -> a[0:99]|element", COPY, "'b[0:99]|element' is left out"),
        ("p[0:99,0:49]|chunk(0:49,0:0) -> r[0:99]|element", ROW_SUMS, "does not hold"),
        ("p[0:99,0:49]|element -> r[0:99]|element", ROW_SUMS, "does not hold"),
        ("b[0:99]|neighbourhood(-1:2) -> a[1:98]|element", STENCIL, "does not hold"),
        ("b[0:99]|neighbourhood(0:2) -> a[1:98]|element", STENCIL, "does not hold"),
        ("b[0:99]|chunk(-1:1) -> a[1:98]|element", STENCIL, "does not hold"),
        ("b[0:97]|element ^ b[2:99]|element -> a[1:98]|element", STENCIL, "does not hold"),
        ("b[0:49]|element ^ p[3:4,0:49]|element -> a[0:49]|element", ROWS_BESIDE, "does not hold"),
        ("b[0:49]|element ^ p[3:5,0:49]|chunk(0:2,-) -> a[0:49]|element", ROWS_BESIDE, "does not hold"),
        ("a[0:99]|element -> w[0:199]|element", PAIRWISE, "does not hold"),
        ("b[0:99]|element -> r[0:0]|shared(*)", SUM, "does not hold"),
    ],
)
def test_what_means_something_else_is_refuted(species: str, loop: str, said: str) -> None:
    (message,) = complaints(species, loop)
    assert said in message and "this is " in message and "assume" in message


def test_the_macro_in_force_at_the_pragma_counts() -> None:
    text = ARRAYS + "#undef N\n#define N 7\nvoid f(void) {\n"
    text += f"#pragma species kernel b[0:N-1]|element -> a[0:N-1]|element\n  {COPY}\n}}\n"
    assert len(facts_of(text).diagnostics) == 1


def test_pointers_to_rows_need_not_be_stated() -> None:
    loop = "for (int i = 0; i < 100; i++) for (int j = 0; j < 50; j++) a[i] += m[i][j];"
    species = "m[0:99,0:49]|chunk(-,0:49) ^ a[0:99]|element -> a[0:99]|element"
    assert not complaints(species, loop, parameters="double *restrict *restrict m")


@pytest.mark.parametrize(
    ("before", "species"),
    [
        ("double *q = b;", "q[0:99]|element -> a[0:99]|element"),
        ("double *q = d + 1;", "q[1:98]|element -> a[1:98]|element"),
        ("double *q = d + 1;", "d[2:99]|element -> a[1:98]|element"),
        ("double *q = c[3];", "c[3:3,1:98]|element -> a[1:98]|element"),
        ("double *q = c[3];", "q[1:98]|element -> a[1:98]|element"),
    ],
)
def test_a_pointer_is_another_name_of_what_it_points_to(before: str, species: str) -> None:
    last = 100 if "0:99" in species else 99
    loop = f"for (int i = {100 - last}; i < {last}; i++) a[i] = q[i];"
    assert not complaints(species, loop, before)


GUARDED = "for (int i = 0; i < 100; i++) if (b[i] > 0) a[i] = b[i];"


@pytest.mark.parametrize(
    ("species", "said"),
    [
        ("b[0:99]|element -> a[0:49]|element", ""),
        ("w[0:99]|element -> a[0:99]|element", "'w[0:99]|element' does not hold"),
        ("b[0:99]|element -> r[0:99]|element", "'r[0:99]|element' does not hold"),
        ("b[0:99]|element -> void", "'a[0:99]|element' is left out"),
    ],
)
def test_where_less_is_certain_the_arrays_are_compared(species: str, said: str) -> None:
    found = complaints(species, GUARDED)
    assert len(found) == bool(said) and all(said in message for message in found)


CORPUS = sorted((ROOT / "corpus").glob("[!a]*/*.c"))[::7]


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_the_analysis_writes_is_right_where_a_person_has_written_it(path: Path) -> None:
    facts = analyse(read_translation_unit(str(path), PreprocessOptions()))
    text = annotate(path.read_text(), facts).replace(" /* cuvier */", "")
    again = analyse(read_translation_unit(str(path), PreprocessOptions(), text=text))
    assert not [each for each in again.diagnostics if each.code == "CV005"]
    assert [str(loop.species) for loop in again.loops] == [str(loop.species) for loop in facts.loops]
