"""Names in species, characterisations and conditions are those that stand right before the loop."""

from __future__ import annotations

import pytest

from species import analyse
from species.analysis.options import AnalysisOptions
from species.facts.loops import LoopFacts
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import facts_of, loops_of

COPY = "for (int i = 0; i < n; i++) a[i] = b[i];"
SWAP = "double *t = a; a = b; b = t;"
TWO = "int n, double *restrict a, double *restrict b"


def loop_of(body: str, parameters: str = TWO, declarations: str = "") -> LoopFacts:
    return loops_of(f"{declarations}\nvoid f({parameters}) {{\n{body}\n}}\n")[-1]


def species_of(body: str, parameters: str = TWO, declarations: str = "") -> str:
    return str(loop_of(body, parameters, declarations).species)


@pytest.mark.parametrize(
    ("body", "species"),
    [
        (f"{SWAP} {COPY}", "b[0:n-1]|element -> a[0:n-1]|element"),
        (f"{SWAP} t = a; a = b; b = t; {COPY}", "b[0:n-1]|element -> a[0:n-1]|element"),
        (
            "double *x = a, *a2 = b; for (int i = 0; i < n; i++) x[i] = a2[i];",
            "b[0:n-1]|element -> a[0:n-1]|element",
        ),
        ("b = b + 1; " + COPY, "b[0:n-1]|element -> a[0:n-1]|element"),
        ("b += 2; a -= 1; " + COPY, "b[0:n-1]|element -> a[0:n-1]|element"),
        ("double *p = b + 1; for (int i = 0; i < n; i++) a[i] = p[i];", "b[1:n]|element -> a[0:n-1]|element"),
        (
            "double *p = b + 3; b = a; for (int i = 0; i < n; i++) b[i] = p[i];",
            "p[0:n-1]|element -> a[0:n-1]|element",
        ),
        (
            "double *p = b + 3; b = 0; for (int i = 0; i < n; i++) a[i] = p[i + 1] + p[i];",
            "p[0:n]|neighbourhood(0:1) -> a[0:n-1]|element",
        ),
    ],
)
def test_pointers_that_are_set_anew(body: str, species: str) -> None:
    assert species_of(body) == species


ARRAYS = "double A[100], B[100], M[100][100];"


@pytest.mark.parametrize(
    ("body", "species"),
    [
        ("double *a = A; { double *A = B; for (int i = 0; i < 100; i++) a[i] = A[i]; }", "B -> a"),
        (
            "double *a = A, *b = B; double *t = a; a = b; b = t; for (int i = 0; i < 100; i++) a[i] = b[i];",
            "A -> B",
        ),
        ("double *a = A; { double A[100]; A[0] = 1; for (int i = 0; i < 100; i++) a[i] = A[i]; }", "A -> a"),
    ],
)
def test_names_that_are_hidden(body: str, species: str) -> None:
    parts = [f"{name}[0:99]|element" for name in species.split(" -> ")]
    assert species_of(body, "void", ARRAYS) == " -> ".join(parts)


def test_what_has_no_name_has_no_species() -> None:
    callee = "static void set(int i) { A[i] = i; }"
    loop = loop_of("double A[1]; A[0] = 0; for (int i = 0; i < 100; i++) set(i);", "void", ARRAYS + callee)
    assert loop.verdict.is_parallel and loop.species is None


def test_rows_after_a_swap() -> None:
    rows = "double *t = r[0]; r[0] = r[1]; r[1] = t; for (int i = 0; i < n; i++) r[0][i] = r[1][i];"
    species = species_of(rows, "int n, double **r")
    assert "r[1:1,0:n-1]|element" in species and species.endswith("-> r[0:0,0:n-1]|element")


def test_a_row_that_is_kept_while_the_table_changes() -> None:
    kept = "double *p = r[0]; r[0] = r[1]; for (int i = 0; i < n; i++) p[i] = r[0][i];"
    species = species_of(kept, "int n, double **r")
    assert "r[0:0,0:n-1]|element" in species and species.endswith("-> p[0:n-1]|element")


def test_structures_that_change_places() -> None:
    declared = "struct s { double *x; };"
    text = "struct s *t = p; p = q; q = t; for (int i = 0; i < n; i++) p->x[i] = 0;"
    assert species_of(text, "int n, struct s *p, struct s *q", declared).endswith("-> p->x[0:n-1]|element")


def test_the_other_theory_and_statements_have_the_same_names() -> None:
    text = f"void f({TWO}) {{\n{SWAP}\n{COPY}\n}}\n"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    (loop,) = analyse(unit, AnalysisOptions(theory="polyhedral")).loops
    assert str(loop.species) == "b[0:n-1]|element -> a[0:n-1]|element"
    (loop,) = analyse(unit, AnalysisOptions(at="statement")).loops
    assert {c.name: c.access for c in loop.statements[0].characterisations} == {"a": "w", "b": "r"}
    assert {c.name: c.access for c in loop.characterisations} == {"a": "w", "b": "r"}


def test_conditions_name_what_the_loop_does() -> None:
    (condition,) = loop_of(f"{SWAP} {COPY}", "int n, double *a, double *b").conditions
    assert "(unsigned long long)b" in condition and "(unsigned long long)a" in condition
    assert "(unsigned long long)t" not in condition


def test_sizes_that_change_places() -> None:
    loop = "int t = n; n = m; m = t; for (int i = 0; i < n; i++) x[i + m] = 0;"
    assert species_of(loop, "int n, int m, double *x") in (
        "void -> x[m:m+n-1]|element",
        "void -> x[t:n+t-1]|element",
    )


def test_a_reduction_into_an_array_that_was_swapped() -> None:
    loop = loop_of(f"{SWAP} for (int i = 0; i < n; i++) b[k[i]] += 1;", "int n, int *k, double *a, double *b")
    assert loop.reductions[0].variable == "b[:]"


@pytest.mark.parametrize("before", [SWAP, "b = b + 1;", "double *p = a; a = p;"])
@pytest.mark.parametrize(
    ("species", "right"),
    [
        ("b[0:n-1]|element -> a[0:n-1]|element", True),
        ("a[0:n-1]|element -> b[0:n-1]|element", False),
    ],
)
def test_species_by_hand_name_what_stands_there(before: str, species: str, right: bool) -> None:
    text = f"void f({TWO}) {{\n{before}\n#pragma species kernel {species}\n{COPY}\n}}\n"
    assert (not facts_of(text).diagnostics) == right
