"""Subscripts that powers of two and tables keep within rows: which Fourier transforms run in any order."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from pathlib import Path

import pytest

from species.facts.loops import LoopFacts, Verdict
from tests.filters.fuzz import compare
from tests.privatised.test_privatised import made
from tests.stages.test_stages import compiles, needs_gcc
from tests.support.analysing import loops_of
from tests.work_areas.transforms import program

BUTTERFLY = "double t = x[b + k + half]; x[b + k + half] = x[b + k] - t; x[b + k] += t;"
WITHIN = {
    "halves that rise": "for (int half = 1; half < n; half *= 2) for (int b = 0; b < n; b += 2 * half) for (int k = 0; k < half; k++) { B }",
    "shifted": "for (int half = 1; half < n; half <<= 1) for (int b = 0; b < n; b += half << 1) for (int k = 0; k < half; k++) { B }",
    "added to themselves": "for (int half = 1; half < n; half += half) for (int b = 0; b < n; b += 2 * half) for (int k = 0; k < half; k++) { B }",
    "lengths that rise": "for (int len = 2; len <= n; len *= 2) for (int b = 0; b < n; b += len) for (int k = 0; k < len / 2; k++) { int half = len / 2; B }",
    "lengths that fall": "for (int len = n; len >= 2; len /= 2) for (int b = 0; b < n; b += len) for (int k = 0; k < len / 2; k++) { int half = len / 2; B }",
    "offsets outside": "for (int half = 1; half < n; half *= 2) for (int k = 0; k < half; k++) for (int i = k; i < n; i += 2 * half) { double t = x[i + half]; x[i + half] = x[i] - t; x[i] += t; }",
    "several in the header": "for (int half = 1, step = n / 2; half < n; half *= 2, step /= 2) for (int b = 0; b < n; b += 2 * half) for (int k = 0; k < half; k++) { (void)step; B }",
    "a table": "for (int i = 0; i < n; i++) { int j = rev[i]; if (j > i) { double t = x[i]; x[i] = x[j]; x[j] = t; } }",
}
BEYOND = {
    "steps that are too short": WITHIN["shifted"].replace("half << 1", "half"),
    "another start": WITHIN["halves that rise"].replace("half = 1", "half = 3"),
    "changed twice": WITHIN["halves that rise"].replace("half *= 2", "half *= 2, half++"),
    "multiplied twice": WITHIN["halves that rise"].replace("half *= 2", "half *= 2, half *= 3"),
    "changed before": WITHIN["halves that rise"].replace("half *= 2", "half++, half *= 2"),
    "another factor": WITHIN["halves that rise"].replace("half *= 2", "half *= 3"),
    "too far": WITHIN["lengths that rise"].replace("B }", "x[b + k + len] = x[b + k] + 1; }"),
    "one more": WITHIN["halves that rise"].replace("half < n;", "half <= n;"),
    "changed inside": WITHIN["halves that rise"].replace("B }", f"{BUTTERFLY} half += m; }}"),
    "halved and changed": WITHIN["lengths that fall"].replace("len /= 2", "len /= 2, len += len == 4"),
    "the counter of a loop": "for (int q = 1; q <= m; q++) for (int half = 1; half < q; half *= 2) for (int b = 0; b < q; b += 2 * half) for (int k = 0; k < half; k++) { B }",
    "from elsewhere": WITHIN["lengths that fall"].replace("len = n", "len = m"),
    "starts that may be below": WITHIN["offsets outside"].replace("i = k", "i = k - m"),
    "a table that changes": WITHIN["a table"].replace("{ double", "{ rev[i] = i; double"),
    "a part of a table": WITHIN["a table"].replace("int j", "if (i % 3) continue; int j"),
    "numbers beside": WITHIN["a table"].replace("rev[i]", "rev[i] + 1"),
    "a table of each row": WITHIN["a table"].replace("rev[i]", "rev[r * n + i]"),
}


def text_of(body: str, ctype: str = "int") -> str:
    body = body.replace("int ", f"{ctype} ")
    transform = f"static void transform(double *x, int *rev, {ctype} n, {ctype} m, {ctype} r) {{ (void)rev; (void)m; (void)r; {body.replace('B }', BUTTERFLY + ' }')} }}\n"
    rows = f"void f(double *restrict x, int *restrict rev, {ctype} n, {ctype} m, {ctype} rows) {{ for ({ctype} r = 0; r < rows; r++) transform(x + (size_t)r * n, rev, n, m, r); }}\n"
    return f"#include <stddef.h>\n{transform}{rows}"


def _rows(body: str, ctype: str = "int") -> LoopFacts:
    return next(loop for loop in loops_of(text_of(body, ctype)) if loop.function == "f")


@pytest.mark.parametrize("ctype", ["int", "long", "size_t"])
@pytest.mark.parametrize("name", WITHIN)
def test_rows_are_transformed_in_any_order(name: str, ctype: str) -> None:
    loop = _rows(WITHIN[name], ctype)
    assert loop.verdict is Verdict.CONDITIONAL
    said = "the numbers in 'rev' are from 0 to n-1" if name == "a table" else "'n' is a power of two"
    assert said in " ".join(loop.condition_words)
    compiles(made(text_of(WITHIN[name], ctype)))


@pytest.mark.parametrize("name", BEYOND)
def test_others_are_not(name: str) -> None:
    assert not _rows(BEYOND[name]).verdict.is_parallel


def test_products_that_are_changed_need_not_be_positive() -> None:
    text = "void f(int *restrict x, int n) { for (int h = 1; h > -20; h *= 2, h -= 2) for (int i = 0; i < n; i++) x[i * h] = 3 * x[i * h] + i; }"
    assert not any(loop.verdict is Verdict.PARALLEL for loop in loops_of(text))


def test_sizes_that_are_numbers() -> None:
    """Of a number it is known whether it is a power of two."""
    for number, verdict in ((256, True), (240, False)):
        body = WITHIN["halves that rise"].replace("< n", f"< {number}")
        text = text_of(body).replace("(size_t)r * n", f"(size_t)r * {number}")
        loop = next(loop for loop in loops_of(text) if loop.function == "f")
        assert loop.verdict.is_parallel is verdict and not loop.conditions


@needs_gcc
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_transforms(seed: int, tmp_path: Path) -> None:
    """Rows and columns, with tables that may lead elsewhere and sizes that are no powers of two."""
    text = program(seed)
    made(text)
    assert compare(text, tmp_path, "openmp", strict_fp=False)
