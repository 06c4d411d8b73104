"""C that deceives where headers of loops and variables of iterations meet."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import facts_of, loops_of

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


VOLATILE = {
    "a cast of an address": "for (int i = 0; i < n; i++) a[i] = *(volatile int *)&b[i];",
    "a pointer": "volatile int *p = b; for (int i = 0; i < n; i++) a[i] = p[i];",
    "a pointer that moves": "volatile int *p = &b[0]; for (int i = 0; i < n; i++) a[i] = *p++;",
    "a pointer to rows": "volatile int (*p)[8] = m; for (int i = 0; i < n; i++) a[i] = p[i][2];",
    "a pointer to a structure": "volatile struct S *p = s; for (int i = 0; i < n; i++) a[i] = p[i].k;",
    "a parameter of a callee that reads": "for (int i = 0; i < n; i++) a[i] = get(&b[i]);",
    "a parameter of a callee that writes": "for (int i = 0; i < n; i++) set(&b[i]);",
    "a scalar": "int x; for (int i = 0; i < n; i++) { *(volatile int *)&x = i; a[i] = x; }",
}


@pytest.mark.parametrize("body", VOLATILE.values(), ids=VOLATILE.keys())
def test_an_access_is_volatile_though_the_object_is_not(body: str) -> None:
    text = """struct S { int k; } s[8]; int a[8], b[8], m[8][8];
        static int get(volatile int *p) { return *p; } static void set(volatile int *p) { *p = 1; }"""
    (loop,) = loops_of(f"{text} void f(int n) {{ {body} }}")
    assert loop.verdict is Verdict.SERIAL
    assert {"CV304", "CV305"} & {reason.code for reason in loop.reasons}
