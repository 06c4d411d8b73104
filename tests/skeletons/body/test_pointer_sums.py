"""Sums in what a pointer leads to, `*sum += x`, and updates that read through moving pointers."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

ARRAYS = "double *restrict s, const double *restrict a"
HEAD = "double tot[3]; int hist[4], mm[2][2]; void keep(double *p);"
LOOP = "for (int i = 0; i < n; i++)"

CLAUSES = {
    f"void f(int n, {ARRAYS}) {{ *s = 0; {LOOP} *s += a[i]; }}": ["s[0]"],
    f"void f(int n, {ARRAYS}) {{ *s = a[0]; {LOOP} if (a[i] > *s) *s = a[i]; }}": ["s[0]"],
    f"void f(int n) {{ {LOOP} tot[1] += i; }}": ["tot[1]"],
    f"void f(int n) {{ {LOOP} mm[1][0] += i; }}": ["mm[1][0]"],
    f"void f(int n, int k) {{ if (k >= 0 && k < 4) {LOOP} hist[k] += i; }}": ["hist[k]"],
    f"int f(int n, const int *p) {{ int s = 0; {LOOP} s += *p++; return s; }}": ["s"],
    f"double f(int n, double *p, double *q) {{ double s = 0; {LOOP} s += *p++ * *q++; return s; }}": ["s"],
    f"int f(int n, const int *p) {{ int c = 0; {LOOP} c = p[i] ? c + 1 : c; return c; }}": ["c"],
    f"int f(int n, const int *p) {{ int c = 0; {LOOP} c = p[i] > 3 ? c : c + p[i]; return c; }}": ["c"],
    f"int f(int n, const int *p) {{ int k = 1; {LOOP} k = p[i] && k; return k; }}": ["k"],
}


@pytest.mark.parametrize("text", CLAUSES)
def test_reductions(text: str) -> None:
    loop = loops_of(f"{HEAD} {text}")[0]
    assert loop.verdict is Verdict.PARALLEL
    assert [r.variable for r in loop.reductions] == CLAUSES[text]
    assert loop.openmp


CONDITIONAL = f"void f(int n, double *s, const double *a) {{ {LOOP} *s += a[i]; }}"


def test_where_the_pointers_may_meet_a_copy_is_wrong() -> None:
    loop = loops_of(CONDITIONAL)[0]
    assert loop.verdict is Verdict.CONDITIONAL and not loop.openmp


UNMARKED = [
    f"void f(int n) {{ {LOOP} {{ tot[0] += i; tot[2] += 1; }} }}",
    f"void f(int n) {{ {LOOP} tot[1] += tot[2]; }}",
    f"void f(int n, int **restrict h) {{ {LOOP} h[hist[0]][1] += 1; }}",
    f"extern int w[]; void f(int n) {{ {LOOP} w[3] += i; }}",  # gcc 12 dies of a section of it
]


@pytest.mark.parametrize("text", UNMARKED)
def test_threads_have_a_copy_of_one_element_only(text: str) -> None:
    assert not loops_of(f"{HEAD} {text}")[0].openmp


SERIAL = [
    f"void f(int n, double *s) {{ {LOOP} *s += s[i]; }}",
    f"void f(int n, double *s, double *a) {{ {LOOP} {{ *s += a[i]; a[i] = *s; }} }}",
    f"void f(int n, double *s) {{ {LOOP} *s = i - *s; }}",
    f"void f(int n, double *s) {{ double *q = s; {LOOP} {{ *s += 1; *q *= 2; }} }}",
    f"void f(int n, double *s) {{ {LOOP} {{ *s += 1; s = s + (i & 1); }} }}",
    f"int f(int n, const int *p) {{ int s = 0; {LOOP} s += p[s++]; return s; }}",
    f"int f(int n, const int *p) {{ int c = 0; {LOOP} c = p[i] ? c + 1 : 0; return c; }}",
    f"int f(int n, const int *p) {{ int c = 0; {LOOP} c = p[c] ? c + 1 : c; return c; }}",
    f"int f(int n, const int *p) {{ int c = 0; {LOOP} c = p[i] ? 2 - c : c; return c; }}",
    f"int f(int n, const int *p) {{ int c = 0, k = 0; {LOOP} {{ c += p[k++]; k = c & 7; }} return c; }}",
    f"int f(int n, const int *p) {{ int c = 0; {LOOP} c += (p[i] && *p++); return c; }}",
]


@pytest.mark.parametrize("text", SERIAL)
def test_what_only_looks_like_one(text: str) -> None:
    assert loops_of(f"{HEAD} {text}")[0].verdict is Verdict.SERIAL
