"""Sums in variables that end in cells, and branches that iterators decide, hide no other order of a nest."""

from __future__ import annotations

import re

import pytest

from tests.skeletons.schedule.test_transformed_nests import compiled, steps

SUM = "for (int k = 0; k < n; k++) t += A[i][k] * B[k][j];"
PRODUCTS = {
    "assigned": f"double t = 0; {SUM} C[i][j] = t;",
    "added": f"double t = 0.0; {SUM} C[i][j] += t;",
    "scaled": f"double t = 0; {SUM} C[i][j] = 3 * C[i][j] - s * t * 2;",
    "declared before": f"double t; t = C[i][j]; {SUM} C[i][j] = t;",
    "used by another expression": f"double t = 1; {SUM} C[i][j] = t > 3 ? t : -t;",
    "in two triangles": """double t = 0; for (int k = 0; k < n; k++) { if (k < i) t += A[i][k] * B[k][j];
        else t += A[k][i] * B[k][j]; } C[i][j] = t;""",
}
OTHERS = {
    "the array is an operand": f"double t = 0; {SUM.replace('A', 'C')} C[i][j] = t;",
    "another type": f"float t = 0; {SUM} C[i][j] = t;",
    "a place that moves": f"double t = 0; int p = j; {SUM} p++; C[i][p] = t;",
    "a factor that is written": f"double t = 0; {SUM} x[j] = i; C[i][j] += x[j] * t;",
    "needed twice": f"double t = 0; {SUM} C[i][j] = t; y[i] = t;",
    "the cell is a factor": f"double t = 0; {SUM} C[i][j] -= t * C[i][j];",
    "no sum of products": f"double t = 0; {SUM} C[i][j] = C[i][j] / t;",
}


def nest(body: str) -> str:
    return f"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {{ {body} }}"


@pytest.mark.parametrize("name", PRODUCTS)
def test_becomes_a_product(name: str) -> None:
    assert "contract" in steps(compiled(nest(PRODUCTS[name])))


@pytest.mark.parametrize("name", PRODUCTS)
def test_keeps_its_order_where_asked(name: str) -> None:
    text = compiled(nest(PRODUCTS[name]), strict_fp=True).files["nests.c"]
    assert "reduction(" not in text
    assert "product" not in text


@pytest.mark.parametrize("name", OTHERS)
def test_stays_a_variable(name: str) -> None:
    program = compiled(nest(OTHERS[name]))
    assert "contract" not in steps(program)
    assert "t +=" in program.files["nests.c"]


def test_what_an_earlier_cell_needs_stays_behind_it() -> None:
    assert "contract" not in steps(compiled(nest(f"double t = C[j][i]; {SUM} C[i][j] = t;")))


def test_other_cells_of_the_array_may_be_read() -> None:
    body = "double t = A[j][i]; for (int k = 0; k < i; k++) t -= A[j][k] * A[i][k]; A[j][i] = t * x[i];"
    text = compiled(f"for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) {{ {body} }}")
    assert "A[j][i] = A[j][i] * x[i];" in text.files["nests.c"]


def test_terms_keep_the_type_of_the_sum() -> None:
    body = nest("double t = 0; for (int k = 0; k < n; k++) t += U[i][k]; C[i][j] += 3 * t;")
    text = compiled("static unsigned U[400][400]; " + body).files["nests.c"]
    assert "3 * (double)(U[i][k])" in text


@pytest.mark.parametrize("other", ["unsigned", "unsigned int", "int unsigned", "count"])
def test_types_are_one_in_any_spelling(other: str) -> None:
    body = nest(f"{other} t = 0; for (int k = 0; k < n; k++) t += U[i][k] * V[k][j]; W[i][j] = t;")
    arrays = "typedef unsigned count; static unsigned U[400][400], V[400][400], W[400][400]; "
    assert "contract" in steps(compiled(arrays + body))


def test_two_sums_in_one_block() -> None:
    other = "double v = 0; for (int k = 0; k < n; k++) v += C[i][j] * B[k][i]; A[i][j] = v;"
    text = compiled(nest(f"double t = 0; {SUM.replace('A', 'T').replace('T[', 'B[')} C[i][j] = t; {other}"))
    assert "A[i][j] += C[i][j] * B[k][i];" in text.files["nests.c"]


@pytest.mark.parametrize(("two", "taken"), [("1 + 1", 0), ("1+1", 0), ("-2", 0), ("(1+1)", 1), ("2", 1)])
def test_macros_are_factors_only_as_they_stand(two: str, taken: bool) -> None:
    body = nest(f"double t = 0; {SUM} C[i][j] += TWO * t;")
    text = compiled(f"}}\n#define TWO {two}\nvoid g(int n, int m) {{" + body).files["nests.c"]
    assert ("TWO * (" in text) == taken
    assert (re.search(r"\bt \+=", text) is not None) != taken


def test_declarations_of_one_name_do_not_meet() -> None:
    text = compiled("""for (int i = 0; i < n; i++) { double t = x[i]; y[i] = t * t; }
        for (int i = 0; i < n; i++) { double t = z[i]; x[i] = y[i] - t * t; }""").files["nests.c"]
    assert text.count("{\n                double t") == 2


def test_branches_are_split_off() -> None:
    text = compiled("""for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        if (i < j) A[i][j] += B[i][j]; else C[j][i] += B[j][i]; }""").files["nests.c"]
    assert "if (" not in text
