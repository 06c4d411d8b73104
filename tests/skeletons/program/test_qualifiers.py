"""Generated code does not lose qualifiers: where the original compiles without warnings, so does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.skeletons.program.test_sizes import complaint, program_of

LOOPS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)"
FLAT = f"{LOOPS} c[i][j] += a[i * n + k] * b[k * n + j];"
SQUARE = f"{LOOPS} c[i][j] += a[i][k] * b[k][j];"
TABLES = "const double a[60][60] = {{1}}, b[60][60] = {{2}};"


def _f(parameters: str, nest: str = FLAT) -> str:
    return f"void f(int n, {parameters}) {{ {nest} }}"


FACTORS = {
    "pointers": _f("const double *restrict a, double const *restrict b, double c[n][n]"),
    "constant pointers": _f("double *restrict const a, const double *restrict const b, double c[n][n]"),
    "parameters that are arrays": _f("const double a[static 9], double b[], double c[n][n]"),
    "constant pointers that are arrays": _f(
        "double a[const static 60][60], double b[const 60][60], double c[const restrict static 60][60]",
        SQUARE,
    ),
    "rows": _f("const double a[60][60], double (*b)[60], double c[restrict 60][60]", SQUARE),
    "tables": f"static {TABLES} double c[60][60]; void f(int n) {{ {SQUARE} }}",
    "local tables": _f("double c[60][60]", f"static {TABLES} {SQUARE}"),
    "local arrays": _f("double c[60][60]", f"{TABLES} {SQUARE}"),
    "a type": "typedef const double fixed; " + _f("fixed *restrict a, fixed *b, double c[n][n]"),
    "a factor": _f(
        "const double *restrict a, const double *b, double c[n][n], const double w[]",
        FLAT.replace("a[", "w[0] * a["),
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["openmp", "c", "opencl", "cuda"])
@pytest.mark.parametrize("text", FACTORS.values(), ids=FACTORS.keys())
def test_qualifiers_stay(text: str, target: str, tmp_path: Path) -> None:
    assert not complaint(program_of(text, target), tmp_path)


def test_products_have_constant_factors() -> None:
    text = program_of(FACTORS["pointers"], "openmp").files["sized.c"]
    assert "double c[restrict][n], const double a[restrict], const double b[restrict])" in text


def test_pointers_that_are_constant_lead_to_what_is_written() -> None:
    text = "void f(int n, double *const c) { for (int i = 0; i < n; i++) c[i] = 1; }"
    assert "(int n, double *c)" in program_of(text, "c").files["sized.c"]
