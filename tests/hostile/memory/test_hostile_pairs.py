"""C that deceives by what holds in one iteration and not in another, and by offsets in disguise."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.species.analysis.test_budget import facts_within

DECLARED = """#include <stddef.h>
double a[1000], b[1000];
void f(int n, int m, int flag, size_t z, double *restrict p) {
"""
SERIAL = {
    "a negative quotient": """if (n - n / 2 * 2 < 0) for (int i = 0; i < 10; i++) {
        if (i < 3 && i > n / 2) a[i] = 1;
        if (i >= 5 && i > n / 2) b[i] = a[i - 5]; }""",
    "guards of two inner iterations": """if (n < n / 2 * 2 && m > 0)
        for (int j = 0; j < 10; j++) {
            if (j >= 5) a[j] = 1;
            if (j > n / 2 && j < 4) b[j] += a[j + 3]; }""",
    "written where nothing is added": """for (int j = 0; j < m; j++) {
        if (n > 3) a[m] -= b[j]; else a[j + 1] = j; }""",
    "guards that may both hold": """for (int i = 0; i < n; i++) {
        if (flag) a[i] = 1;
        if (m) b[i] = a[i + 1]; }""",
}
PARALLEL = {
    "a flag and not": "for (int i = 0; i < n; i++) { if (flag) a[i] = 1; else b[i] = a[i + 1]; }",
    "two values": "for (int i = 0; i < n; i++) { if (m == 0) a[i] = 1; else if (m == 1) b[i] = a[i + 1]; }",
    "by way of another": """if (flag < m) for (int i = 0; i < n; i++) {
        if (flag > 5) a[i] = 1;
        if (m < 5) b[i] = a[i + 1]; }""",
    "cases": """for (int i = 0; i < n; i++)
        switch (flag) { case 1: a[i] = 1; break; case 2: b[i] = a[i + 1]; }""",
    "an even number": "for (int i = 0; i < n; i++) { if (m % 2 == 0) a[i] = 1; else b[i] = a[i + 1]; }",
}
CONDITIONAL = {
    "one number left out": """for (size_t i = 0; i < 1000; i++) {
        if (i == z) continue;
        if (i >= 500) p[i + z] = 1; else b[i] = p[i]; }""",
    "a guard": "for (size_t i = 0; i < 300; i++) if (i + 100 < z) a[i + z] = a[i];",
    "a minimum": "for (size_t i = 0; i < (z < 9 ? z : 9); i++) p[i + z] = p[i];",
    "one of two bounds": "for (int i = 0; i < n && i < z; i++) p[i + z] = p[i];",
    "an inner minimum": """for (int i = 0; i < 10; i++)
        for (int j = 0; j < 4 && j < z; j++) { if (i >= 5) p[i + z] = 1; else b[i] = p[i]; }""",
}


def outer(body: str) -> Verdict:
    return facts_within(60, f"{DECLARED}{body}\n}}\n").loops[0].verdict


@pytest.mark.parametrize("body", SERIAL.values(), ids=SERIAL.keys())
def test_ends_have_conditions_of_their_own(body: str) -> None:
    assert outer(body) is Verdict.SERIAL


@pytest.mark.parametrize("body", PARALLEL.values(), ids=PARALLEL.keys())
def test_what_never_runs_beside_the_other_is_apart(body: str) -> None:
    assert outer(body) is Verdict.PARALLEL


@pytest.mark.parametrize("body", CONDITIONAL.values(), ids=CONDITIONAL.keys())
def test_only_loops_count_up_to_a_number(body: str) -> None:
    assert outer(body) is Verdict.CONDITIONAL
