"""Shortest paths: the iteration whose row the others read stores nothing, on a condition on one element.

Each loop is parallel on that condition; its sibling differs in what decides, and is not.
"""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.species.dependence.test_delinearise import holds
from tests.support.analysing import loops_of

FLAT = "void f(int *c, int n) { for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) BODY }"
PLAIN = FLAT.replace(
    "BODY", "if (c[i * n + k] + c[k * n + j] < c[i * n + j]) c[i * n + j] = c[i * n + k] + c[k * n + j];"
)
ROWS = "void f(double d[99][99], int p[99][99], int n) { for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) { BODY } }"
HELD = ROWS.replace(
    "BODY",
    "double dik = d[i][k]; if (dik > 1e30) continue; for (int j = 0; j < n; j++) { double via = dik + d[k][j]; if (via < d[i][j]) { d[i][j] = via; p[i][j] = p[k][j]; } }",
)
SIBLINGS = {
    "equal paths are stored": (PLAIN, PLAIN.replace("] <", "] <=")),
    "numbers without a sign": (PLAIN, PLAIN.replace("int *c", "unsigned *c")),
    "something else is stored otherwise": (PLAIN, PLAIN.replace("j]; }", "j]; else c[i * n + j]++; }")),
    "another column": (PLAIN, PLAIN.replace("c[i * n + j] =", "c[i * n + j + 1] =")),
    "another term": (PLAIN, PLAIN.replace("+ j] <", "+ j] + 1 <")),
    "a narrow sum": (
        HELD.replace("double", "int"),
        HELD.replace("double via", "short via").replace("double", "int"),
    ),
    "a wide term": (
        HELD.replace("double", "int"),
        HELD.replace("double dik", "long dik").replace("double", "int"),
    ),
    "a rounded term": (
        HELD,
        HELD.replace("dik + d[k][j]", "dik + r").replace("double via", "int r = d[k][j]; double via"),
    ),
    "a row that is stored to": (
        HELD,
        HELD.replace("p[i][j] = p[k][j];", "p[i][j] = p[k][j]; } d[i][0] = 1; {"),
    ),
    "a term that is stored to before": (
        HELD.replace("double dik = d[i][k];", "double dik = w[i];").replace(
            "int p[99][99]", "int p[99][99], double *restrict w"
        ),
        HELD.replace("double dik = d[i][k];", "w[i] = -1; double dik = w[i];").replace(
            "int p[99][99]", "int p[99][99], double *restrict w"
        ),
    ),
    "a sum of another row": (HELD, HELD.replace("dik + d[k][j]", "dik + d[k + 1][j]")),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SIBLINGS)
def test_only_the_one_is_idle(name: str) -> None:
    first, sibling = (loops_of(text)[1] for text in SIBLINGS[name])
    assert first.verdict is Verdict.CONDITIONAL and sibling.verdict is Verdict.SERIAL


WORDS = {
    "flat": (PLAIN, ("'c[(k*n)+k]' is at least 0",)),
    "rows": (HELD, ("'d[k][k]' is at least 0",)),
    "longest paths": (PLAIN.replace("] <", "] >"), ("'c[(k*n)+k]' is at most 0",)),
    "members": (
        "typedef struct { float len; int via; } hop; typedef struct { int n; hop *h; } net; void f(net *r) { for (int k = 0; k < r->n; k++) for (int i = 0; i < r->n; i++) for (int j = 0; j < r->n; j++) { float s = r->h[i * r->n + k].len + r->h[k * r->n + j].len; if (r->h[i * r->n + j].len > s) { r->h[i * r->n + j].len = s; r->h[i * r->n + j].via = k; } } }",
        ("'r->h[(k*(r->n))+k].len' is at least 0",),
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_conditions_are_said_in_words(name: str) -> None:
    text, words = WORDS[name]
    assert set(words) <= set(loops_of(text)[1].condition_words)


def test_the_element_is_read_where_the_loop_reads_it_only() -> None:
    text = "void f(double d[99][99], int n, int k) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j]; }"
    (condition,) = loops_of(text)[0].conditions
    test = condition.replace("d[k][k] >= 0", "cell")
    assert holds(test, k=7, n=5, cell=0) and holds(test, k=-1, n=5, cell=0)
    assert holds(test, k=3, n=5, cell=1) and not holds(test, k=3, n=5, cell=0)
