"""Characterisations and species of arrays whose rows have a length that is a value: `a[i * n + j]`."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

HEAD = "void f(int n, int m, int lda, double *restrict A, double *restrict B, double *restrict C) {"
ROWS = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
SPECIES = {
    "elements": (f"{ROWS} C[i * m + j] = A[i * m + j];", "A[0:(m*n)-1]|element -> C[0:(m*n)-1]|element"),
    "rows": (
        "for (int i = 0; i < n; i++) { C[i] = 0; for (int j = 0; j < m; j++) C[i] += A[i * m + j]; }",
        "A[0:(m*n)-1]|chunk(0:m-1) -> C[0:n-1]|element",
    ),
    "rows of another length": (
        "for (int i = 0; i < n; i++) { C[i] = 0; for (int j = 0; j < m; j++) C[i] += A[i * (m + 4) + j]; }",
        "A[0:(m*n)+4*n-5]|chunk(0:m-1) -> C[0:n-1]|element",
    ),
    "inside of a frame": (
        "for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++)"
        " C[i * m + j] = A[i * m + j - 1] + A[i * m + j] + A[i * m + j + 1];",
        "A[m:(m*n)-m-1]|neighbourhood(-1:1) -> C[m+1:(m*n)-m-2]|element",
    ),
    "backwards": (
        "for (int i = n - 1; i >= 0; i--) for (int j = 0; j < m; j++) C[i * m + j] = 1;",
        "void -> C[0:(m*n)-1]|element",
    ),
    "three dimensions": (
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < 8; k++)"
        " C[(i * m + j) * 8 + k] = 2;",
        "void -> C[0:8*(m*n)-1]|element",
    ),
    "every second row": (
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) C[2 * i * m + j] = 1;",
        "void -> C[0:2*(m*n)-m-1]|element",
    ),
}


@pytest.mark.parametrize("name", SPECIES)
def test_species(name: str) -> None:
    text, species = SPECIES[name]
    loop = loops_of(f"{HEAD} {text} }}")[0]
    assert str(loop.species) == species
    assert loop.exact


def test_a_stride_that_is_as_long_as_the_condition_says() -> None:
    """What is provided says of the sign, too."""
    loop = loops_of(f"{HEAD} {ROWS} C[i * lda + j] = 1; }}")[0]
    assert loop.conditions == ("lda >= m",)
    assert str(loop.species) == "void -> C[0:(lda*n)+m-lda-1]|element" and loop.exact
    assert loop.kernel is not None and not loop.kernel.obstacles and not loop.kernel.provided


def test_a_stride_of_unknown_sign() -> None:
    """The domain is right for both signs; kernels are for those that are not negative."""
    text = "for (int i = 0; i < n; i++) { C[i] = 0; for (int j = 0; j < 4; j++) C[i] += A[i * lda + j]; }"
    loop = loops_of(f"{HEAD} {text} }}")[0]
    assert str(loop.species).startswith("A[min((lda*n)-lda,0):max((lda*n)-lda+3,3)]|chunk(0:3)")
    assert not loop.exact
    (read,) = (c for c in loop.characterisations if c.name == "A")
    assert read.why == ("the sign of a stride is not known",)
    assert loop.kernel is not None and not loop.kernel.obstacles
    assert loop.kernel.provided == ("lda >= 0",)


def test_steps_are_expressions() -> None:
    loop = loops_of(f"{HEAD} {ROWS} C[i * m + j] = 1; }}")[0]
    (write,) = loop.characterisations
    assert (write.elements, write.step, write.loop_steps) == (("1",), ("1",), (("m",), ("1",)))
    text = "for (int i = 0; i < n; i++) { C[i] = 0; for (int j = 0; j < m; j++) C[i] += A[i * m + j]; }"
    read = next(c for c in loops_of(f"{HEAD} {text} }}")[0].characterisations if c.name == "A")
    assert (read.elements, read.step) == (("m",), ("m",))


@pytest.mark.parametrize("subscript", ["i * i + j", "i * j", "(i * n + j) % m", "A[0] * i + j"])
def test_what_moves_otherwise_has_no_such_species(subscript: str) -> None:
    loop = loops_of(f"{HEAD} {ROWS} C[(int)({subscript})] = 1; }}")[0]
    assert loop.species is None or not loop.exact


@pytest.mark.parametrize("ctype", ["int", "long"])
def test_products_need_no_limit(ctype: str) -> None:
    """Strides of unknown sign have two ends, each of which the program computes itself."""
    head = f"void f({ctype} n, {ctype} lda, double *A, const double *B)"
    nest = f"for ({ctype} i = 0; i < n; i++) for ({ctype} k = 0; k < n; k++) A[i] += B[k * lda + i];"
    assert loops_of(f"{head} {{ {nest} }}")[0].verdict is Verdict.CONDITIONAL


def test_the_end_of_a_stretch_is_no_limit_that_says_there_is_none() -> None:
    head = "void f(int n, long limit, int m, double *A, const double *B)"
    nest = "for (long j = 0; j < limit && j < 10; j++) A[j * m] = B[j * m] + 1;"
    loop = loops_of(f"{head} {{ if (m > 0) {nest} }}")[0]
    assert loop.verdict is Verdict.CONDITIONAL
    assert "(long)9 < (long)(limit-1) ? (long)9 : (long)(limit-1)" in loop.conditions[-1]
    beyond = loops_of(f"{head} {{ if (m > 0) {nest.replace('j < limit', 'j <= limit + 1')} }}")[0]
    assert "limit" not in beyond.conditions[-1]
