"""Iterations of which data decide how long they take are shared in small chunks."""

from __future__ import annotations

import pytest

from cuvier.pipeline.driver import analyse_file
from models.machine import DEFAULT
from models.profitability import profitable
from species.annotate.openmp import parallel_for
from species.source import PreprocessOptions

HEAD = """
static int search(const int *x, int n, int v)
{ for (int k = 0; k < n; k++) if (x[k] == v) return k; return -1; }
static double power(double x, int k) { return k ? x * power(x, k - 1) : 1; }
static double sum(const double *x, int n) { double s = 0; for (int k = 0; k < n; k++) s += x[k]; return s; }
void f(int n, int m, const double *restrict x, const int *restrict k, int *restrict y, double *restrict z) {
"""
AGAIN = "for (int r = 0; r < m; r++)"
IRREGULAR = {
    "a search": f"for (int i = 0; i < n; i++) {{ y[i] = 0; {AGAIN} y[i] += search(k, m, r + i); }}",
    "a search, counted without a sign": (
        f"for (unsigned i = 0; i < (unsigned)n; i++) {{ y[i] = 0; {AGAIN} y[i] += search(k, m, r); }}"
    ),
    "recursion": (
        f"for (int i = 0; i < n; i++) {{ z[i] = 0; {AGAIN} z[i] += power(x[i], k[r]) * sum(x, m); }}"
    ),
    "loops behind conditions": (
        f"for (int i = 0; i < n; i++) {{ z[i] = 0; if (k[i]) {AGAIN} z[i] += sum(x + i + r, m); }}"
    ),
    "rows": (
        "for (int i = 0; i < n; i++) { double s = 0;"
        " for (int e = k[i]; e < k[i + 1]; e++) s += sum(x + e, m); z[i] = s; }"
    ),
    "until something": (
        "for (int i = 0; i < n; i++) { double v = x[i]; while (v > 1) v /= 3 + sum(x, m); z[i] = v; }"
    ),
}
REGULAR = {
    "a sum": f"for (int i = 0; i < n; i++) {{ z[i] = 0; {AGAIN} z[i] += sum(x + i, m); }}",
    "a short choice": (
        f"for (int i = 0; i < n; i++) {{ double s = 0; {AGAIN} for (int j = 0; j < m; j++)"
        " if (k[j]) s += x[j]; z[i] = s; }"
    ),
    "from the middle, without a sign": (
        f"for (unsigned i = m; i < (unsigned)n; i++) {{ y[i] = 0; {AGAIN} y[i] += search(k, m, r); }}"
    ),
    "a triangle": (
        "for (int i = 0; i < n; i++) { z[i] = 0; for (int j = 0; j < i; j++) if (k[j]) z[i] += sum(x, m); }"
    ),
    "rounded sums": (
        f"double s = 0; for (int i = 0; i < n; i++) {AGAIN} s += sum(x + i, search(k, m, i)); z[0] = s;"
    ),
    "short iterations": "for (int i = 0; i < n; i++) { double v = x[i]; while (v > 1) v /= 3; z[i] = v; }",
}


def clause(body: str) -> str:
    """The `schedule` clause of the outermost loop, which is worth threads."""
    file = analyse_file("f.c", PreprocessOptions(), text=f"{HEAD} {body} }}")
    facts = profitable(file.unit, file.facts, DEFAULT)
    loop = next(each for each in facts.loops if each.function == "f" and each.depth == 0)
    assert not loop.unprofitable
    _, found, rest = (parallel_for(loop, 1) or "").partition("schedule(")
    return found + rest.partition(" if(")[0]


@pytest.mark.parametrize("name", IRREGULAR)
def test_chunks(name: str) -> None:
    assert clause(IRREGULAR[name]).replace("((unsigned) n)", "n") == "schedule(dynamic, n / 64 + 1)"


def test_steps_of_several_are_whole_chunks() -> None:
    """What counts them is no integer by itself, as a clause wants it."""
    body = f"for (int i = 0; i < n; i += 128) {{ y[i] = 0; {AGAIN} y[i] += search(k, m, r + i); }}"
    assert clause(body) == "schedule(dynamic, (long)(n * (1.0 / 128)) / 64 + 1)"


@pytest.mark.parametrize("name", REGULAR)
def test_equal_shares(name: str) -> None:
    assert "dynamic" not in clause(REGULAR[name])


@pytest.mark.parametrize(("trips", "found"), [("100", "dynamic"), ("1000", "dynamic, 15")])
def test_numbers(trips: str, found: str) -> None:
    body = f"for (int i = 0; i < {trips}; i++) {{ y[i] = 0; {AGAIN} y[i] += search(k, m, r + i); }}"
    assert clause(body) == f"schedule({found})"
