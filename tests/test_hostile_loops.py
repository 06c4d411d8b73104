"""C that deceives where headers of loops and variables of iterations meet."""

from __future__ import annotations

import pytest
from analysing import facts_of, loops_of

from species.facts import Verdict

HEADERS = {
    "a sum": "int s = n; for (int i = s; i < 40; i++) s += a[i]; return s;",
    "a maximum": "int s = n; for (int i = s; i < 40; i++) if (a[i] > s) s = a[i]; return s;",
    "a private variable": "int s = n; for (int i = s; i < 40; i++) { s = i + 1; a[i] = s; } return 0;",
    "the last value": "int s = n; for (int i = s; i < 40; i++) { s = i + 1; a[i] = s; } return s;",
    "a value that is set sometimes": "int s = n; for (int i = s; i < 40; i++) if (a[i] > 2) s = i; return s;",
    "a variable that counts": "int s = n; for (int i = s; i < 40; i++) { b[s] = i; s++; } return s;",
    "a private array": """int v[8] = {n}; for (int i = v[0]; i < 40; i++) {
        for (int j = 0; j < 8; j++) v[j] = i * j; a[i] = v[3]; } return 0;""",
    "sums in an array": """int v[8] = {n};
        for (int i = v[0]; i < 40; i++) for (int j = 0; j < 8; j++) v[j] += a[i]; return v[1];""",
    "a structure": """struct { int k, m; } q; q.k = n;
        for (int i = q.k; i < 40; i++) { q.k = i; q.m = 2; a[i] = q.k + q.m; } return 0;""",
    "the iterator": "int i = 5; for (i = i; i < 40; i++) a[i] = 1; return 0;",
    "the iterator, and more": "int i = n; for (i = i + 1; i < 40; i++) a[i] = 1; return 0;",
}


@pytest.mark.parametrize("body", HEADERS.values(), ids=HEADERS.keys())
def test_a_header_reads_what_iterations_have_copies_of(body: str) -> None:
    """Every thread would start from its own copy, and compilers refuse some of it."""
    loop = loops_of(f"int a[40], b[80]; int f(int n) {{ {body} }}")[0]
    assert loop.verdict is Verdict.PARALLEL
    assert not loop.openmp
    assert "its header reads" in loop.openmp_obstacle
    assert loop.kernel is None or loop.kernel.obstacles


def test_a_header_reads_what_stays() -> None:
    text = """int a[40];
        int f(int n) { int s = 0, m = n + 1; for (int i = m; i < n * 2; i++) s += a[i]; return s; }"""
    assert loops_of(text)[0].openmp


def test_sizeof_a_member_is_no_use_of_a_variable() -> None:
    text = """struct S { int v[8]; } s[3]; int a[3];
        void f(void) { for (int i = 0; i < 3; i++) a[i] = sizeof s[i].v; }"""
    assert not facts_of(text).diagnostics
