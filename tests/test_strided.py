"""Loops whose step is a variable: counted, with iterations that nobody knows left out."""

from __future__ import annotations

import pytest

from species import analyse
from species.facts import LoopFacts
from species.source import PreprocessOptions, read_translation_unit

PARALLEL = {
    "up": "for (int i = m; i < n; i += s) a[i] += b[i];",
    "down": "for (int i = n; i > 0; i -= s) a[i] = b[i];",
    "written out": "for (int i = 0; i <= n; i = i + s) a[i] = i;",
    "a reduction": "for (int i = 0; i < n; i += s) sum += b[i];",
    "the iterator is needed": "int i; for (i = 0; i < n; i += s) a[i] = 0; sum = i;",
    "inside": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j += s) a[i * n + j] = j;",
    "a product": "for (int i = 0; i < n; i += s * m) a[i] = 1;",
}
SERIAL = {
    "the step changes": "for (int i = 0; i < n; i += s) { a[i] += b[i]; s++; }",
    "the step is read from what is written": "for (int i = 0; i < n; i += x[0]) x[i] = 1;",
    "neighbours": "for (int i = 1; i < n; i += s) a[i] = a[i - 1];",
    "one element": "for (int i = 0; i < n; i += s) a[0] = i;",
    "unsigned may wrap around": "for (unsigned i = 0; i < u; i += u2) a[i] = 1;",
    "short may wrap around": "for (short i = 0; i < n; i += s) a[i] = 1;",
    "away from the bound": "for (int i = n; i > 0; i += s) a[i] = 1;",
    "a counter is no closed form": "int k = 0; for (int i = 0; i < n; i += s) { x[k] = x[k + m]; k++; }",
    "two iterators": "int k = 0; for (int i = 0; i < n; i += s, k += 2) a[k] = a[i];",
    "halves of the iterator": "for (int i = 0; i < n; i += s) a[i / 2] = i;",
}


def loop(body: str) -> LoopFacts:
    text = f"""int f(int n, int m, int s, unsigned u, unsigned u2, double *restrict a, double *restrict b,
        int *restrict x) {{ double sum = 0; {body} return sum; }}"""
    return analyse(read_translation_unit("/tmp/strided.c", PreprocessOptions(), text=text)).loops[0]


@pytest.mark.parametrize("name", PARALLEL)
def test_is_parallel(name: str) -> None:
    found = loop(PARALLEL[name])
    assert found.verdict.is_parallel and found.openmp, (found.reasons, found.openmp_obstacle)
    assert found.kernel is None or name == "inside"


@pytest.mark.parametrize("name", SERIAL)
def test_is_serial(name: str) -> None:
    assert not loop(SERIAL[name]).verdict.is_parallel
