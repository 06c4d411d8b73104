"""Sums in inner loops that keep their text become vectors, if OpenMP can say so and rounding may change."""

from __future__ import annotations

import pytest

from tests.skeletons.program.test_sizes import program_of
from tests.skeletons.schedule.test_transformed_nests import compiled

MARKED = {
    "in a nest": "for (int i = 0; i < n; i++) { s = 0; for (int j = 0; j < m; j++) s += A[i][j]; y[i] = s; }",
    "beside subscripts through arrays": """int at[40]; for (int k = 0; k < 40; k++) at[k] = m - k;
        for (int i = 0; i < n; i++) { double t = 1;
        for (int j = 0; j < 40; j++) t *= A[i][at[j]]; y[i] = t; }""",
}
PLAIN = {
    "integers": """for (int i = 0; i < n; i++) { int t = 0; for (int j = 0; j < m; j++) t += A[i][j] > 0;
        y[i] = t; }""",
    "an iterator that is needed": """int j; for (int i = 0; i < n; i++) { double t = 0;
        for (j = 0; j < m; j++) t += A[i][j]; y[i] = t + j; }""",
    "a recurrence": """for (int i = 0; i < n; i++) { double t = 0;
        for (int j = 0; j < m; j++) t = t * x[j] + A[i][j]; y[i] = t; }""",
    "a serial loop": """for (int i = 1; i < n; i++) { x[i] = x[i - 1];
        for (int j = 0; j < i; j++) s -= s * x[j]; }""",
}


def test_is_not_marked_between_loops_that_are_joined() -> None:
    nest = "for (int i = 0; i < 3; i++) for (int j = 0; j < 90; j++) s += w[i][j].v;"
    options = {"without": frozenset({"threshold"}), "preferred": ("default",)}
    text = compiled(f"struct {{ double v; }} w[3][90] = {{0}}; {nest}", **options).files["nests.c"]
    assert "collapse(2)" in text
    assert "simd" not in text


@pytest.mark.parametrize("name", MARKED)
def test_is_marked(name: str) -> None:
    assert "#pragma omp simd reduction" in compiled(MARKED[name]).files["nests.c"]


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize("options", [{"strict_fp": True}, {"without": frozenset({"vectorise"})}])
def test_can_be_forbidden(name: str, options: dict[str, object]) -> None:
    assert "simd reduction" not in compiled(MARKED[name], **options).files["nests.c"]


@pytest.mark.parametrize("name", PLAIN)
def test_is_not_marked(name: str) -> None:
    assert "simd reduction" not in compiled(PLAIN[name]).files["nests.c"]


@pytest.mark.parametrize("name", MARKED)
def test_what_depends_on_it_is_compared_with_a_tolerance(name: str) -> None:
    reductions = [r.variable for loop in compiled(MARKED[name]).replaced for r in loop.reductions]
    assert any(variable.startswith("y") for variable in reductions)


def test_threads_may_not_reorder_sums_where_that_is_forbidden() -> None:
    body = "double t = 0; int k = 0; for (int i = 0; i < n; i++) { t += x[i]; } z[0] = t + k;"
    assert "reduction(+:t)" in compiled(body).files["nests.c"]
    assert "reduction" not in compiled(body, strict_fp=True).files["nests.c"]


POINTERS = {
    "a member of an element": "s += g[k].cell[i];",
    "a row of a table": "s += rows[k][i];",
}


@pytest.mark.parametrize("name", POINTERS)
def test_pointers_that_are_read_in_the_loop_keep_compilers_from_vectors(name: str) -> None:
    text = """struct grid { int n; double *cell; };
    void f(const struct grid *g, double **rows, const double *plain, double *sums) {
        for (int k = 0; k < 5000; k++) {
            double s = 0;
            for (int i = 0; i < 5000; i++) TERM
            sums[k] = s;
        }
    }"""
    assert "omp simd" not in program_of(text.replace("TERM", POINTERS[name]), "openmp").files["sized.c"]
    assert (
        "omp simd"
        in program_of(text.replace("TERM", "s += plain[i] + g->cell[i];"), "openmp").files["sized.c"]
    )
