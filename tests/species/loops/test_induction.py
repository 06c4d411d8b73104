"""Induction variables and counted loops in disguise; and what only looks like them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from species import analyse
from species.annotate import AnnotateOptions, annotate
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of

GLOBALS = """double a[10000], b[10000], c[10000]; int p[1000], g;
void touch(int *); int other(int);
"""

# The loop that matters is the first of the function f.
LINEAR = {
    "k += 2": ("void f(int n) { int k = 0; for (int i = 0; i < n; i++) { a[k] = b[i]; k += 2; } }", "k", "2"),
    "twice k++": (
        "void f(int n) { int k = 3; for (int i = 0; i < n; i++) { a[k++] = b[i]; a[k++] = c[i]; } }",
        "k",
        "2",
    ),
    "k = k - s": (
        "void f(int n) { int s = 3, k = 9000; for (int i = 0; i < n; i++) { a[k] = b[i]; k = k - s; } }",
        "k",
        "-3",
    ),
    "in both branches": (
        """void f(int n) { int k = 0; for (int i = 0; i < n; i++)
            if (b[i] > 0) { k++; a[k] = 1; } else { k++; a[k] = 2; } }""",
        "k",
        "1",
    ),
    "in all cases": (
        """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
            switch (p[i]) { case 0: k++; break; default: k += 1; } a[k] = 0; } }""",
        "k",
        "1",
    ),
    "through another variable": (
        "void f(int n) { int j = 0, k; for (int i = 0; i < n; i++) { k = j + 1; a[k] = 0; j = k + 1; } }",
        "j",
        "2",
    ),
    "in the header": (
        "void f(int n) { for (int i = 0, k = n; i < n; i++, k--) a[k] = b[i]; }",
        "k",
        "-1",
    ),
    "before continue as well": (
        """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
            if (b[i] > 0) { k++; continue; } a[k] = 0; k++; } }""",
        "k",
        "1",
    ),
    "by a loop inside": (
        "void f(int n) { int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) a[k++] = 0; }",
        "k",
        "8",
    ),
    "by a do inside": (
        """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
            int j = 0; do { a[k] = i; k++; } while (++j < 5); } }""",
        "k",
        "5",
    ),
    "unsigned char within its range": (
        "void f(void) { unsigned char k = 0; for (int i = 0; i < 200; i++) { a[k] = b[i]; k++; } }",
        "k",
        "1",
    ),
    "unsigned, from zero": (
        "void f(int n) { unsigned k = 0; for (int i = 0; i < n; i++) { a[k] = b[i]; k++; } }",
        "k",
        "1",
    ),
    "a global": ("void f(int n) { for (int i = 0; i < n; i++) { a[g] = b[i]; g++; } }", "g", "1"),
    "a pointer": ("void f(int n, double *q) { for (int i = 0; i < n; i++) *q++ = i; }", "q", "1"),
    "a pointer by rows": (
        """void f(int n, double *q) { for (int i = 0; i < n; i++) {
            for (int j = 0; j < 8; j++) q[j] = j; q += 8; } }""",
        "q",
        "8",
    ),
    "a read only amount": (
        "int f(int n) { int k = 0; for (int i = 0; i < n; i++) { a[i] = k; k += n; } return k; }",
        "k",
        "n",
    ),
}

SERIAL = {
    "conditional": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) if (b[i] > 0) { a[k] = 1;
        k++; } }""",
    "after a continue": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        if (b[i] > 0) continue; a[k] = 1; k++; } }""",
    "by different amounts": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        a[k] = 1; if (b[i] > 0) k++; else k += 2; } }""",
    "in some cases": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        switch (p[i]) { case 0: k++; break; case 1: k++; } a[k] = 0; } }""",
    "behind a short circuit": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        b[i] > 0 && k++; a[k] = 0; } }""",
    "by what memory holds": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) { a[k] = 1;
        k += p[i]; } }""",
    "by what changes": """void f(int n) { int k = 0, s = 1; for (int i = 0; i < n; i++) { a[k] = 1; k += s;
        s++; } }""",
    "modified by a call": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) { a[k] = 1; k++;
        touch(&k); } }""",
    "through a pointer": """void f(int n) { int k = 0, *q = &k; for (int i = 0; i < n; i++) {
        a[k] = 1; k++; *q = 0; } }""",
    "through a function": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) { a[k] = 1; k = other(k +
        1); } }""",
    "set back now and then": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        a[k] = 1; k++; if (i == 5) k = 0; } }""",
    "wraps at 256": """void f(void) { unsigned char k = 0; for (int i = 0; i < 300; i++) { a[k] = b[i];
        k++; } }""",
    "wraps at -32768": """void f(int n) { short k = 0; for (int i = 0; i < n; i++) { a[k + 32768] = b[i]; k++;
        } }""",
    "may wrap": "void f(unsigned k) { for (int i = 0; i < 100; i++) { a[k % 63] = b[i]; k++; } }",
    "wraps fast": """void f(unsigned long k) { for (int i = 0; i < 100; i++) {
        a[k % 63] = b[i]; k += 0x9e3779b97f4a7c15UL; } }""",
    "a _Bool": "void f(int n) { _Bool k = 0; for (int i = 0; i < n; i++) { a[k] = b[i]; k++; } }",
    "a float": "void f(int n) { float k = 0; for (int i = 0; i < n; i++) { a[(int)k] = b[i]; k += 1; } }",
    "volatile": "void f(int n) { volatile int k = 0; for (int i = 0; i < n; i++) { a[k] = b[i]; k++; } }",
    "a global that a pointer may reach": """void f(int n, int *q) { for (int i = 0; i < n; i++) { q[g] = i;
        g++; } }""",
    "by a triangle": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) {
        a[k / 2] = i; k++; } }""",
    "by a loop that may break": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        for (int j = 0; j < 10; j++) { if (b[j] > i) break; k++; } a[k] = i; } }""",
    "written twice by neighbours": """void f(int n) { int k = 0; for (int i = 0; i < n; i++) {
        a[k] = 1; k++; a[k] = 2; } }""",
    "a pointer, conditional": """void f(int n, double *q) { for (int i = 0; i < n; i++) {
        *q = i; if (b[i] > 0) q++; } }""",
    "a pointer that steps back": """void f(int n, double *q) { for (int i = 0; i < n; i++) {
        *q++ = i; *q++ = i; q--; } }""",
    "pointers that are one apart": """void f(int n, double *q) { double *r = q + 1;
        for (int i = 0; i < n; i++) *r++ = *q++; }""",
    "a pointer that another one changes": """void f(int n) { double *q = a, **qq = &q;
        for (int i = 0; i < n; i++) { *q++ = i; *qq = a; } }""",
    "rows that overlap": """void f(int n, double *q) { for (int i = 0; i < n; i++) {
        for (int j = 0; j < 9; j++) q[j] = j; q += 8; } }""",
    "carried around": "void f(int n) { int k = 9; for (int i = 0; i < n; i++) { a[k] = b[i]; k = i / 2; } }",
}

COUNTED = {
    "while": "void f(int n) { int i = 0; while (i < n) { a[i] = b[i]; i++; } }",
    "do": "void f(int n) { int i = 0; do { a[i] = b[i]; } while (++i < n); }",
    "do, step in the body": "void f(int n) { int i = 0; do { a[i] = b[i]; i += 2; } while (i < n); }",
    "while n--": "void f(int n) { while (n--) a[n] = 0; }",
    "while n-- > 0": "void f(int n) { while (n-- > 0) a[n] = 0; }",
    "unsigned while n--": "void f(unsigned n) { while (n--) a[n] = 0; }",
    "for i-- > 0": "void f(unsigned long n) { for (unsigned long i = n; i-- > 0;) a[i] = 0; }",
    "for i--": "void f(int n) { for (int i = n; i--;) a[i] = 0; }",
    "no start": "void f(int n) { int i = 0; for (; i < n; i++) a[i] = 0; }",
    "no step": "void f(int n) { for (int i = 0; i < n;) { a[i] = 0; i += 2; } }",
    "steps in header and body": "void f(int n) { for (int i = 0; i < n; i++) { a[i] = 0; i++; } }",
    "used after its step": "void f(int n) { int i = 0; while (i < n) { i++; a[i] = b[i]; } }",
    "two that meet": """void f(int n) { for (int i = 0, j = n - 1; i < j; i++, j--) {
        double t = a[i]; a[i] = a[j]; a[j] = t; } }""",
    "not equal": "void f(int n) { int i = 0; while (i != n) { a[i] = 0; i++; } }",
    "not equal, unsigned from zero": """void f(unsigned n) { unsigned i = 0; while (i != n) { a[i] = 0; i++; }
        }""",
    "not equal, even": "void f(void) { for (int i = 0; i != 100; i += 2) a[i] = 0; }",
    "pointer": "void f(int n) { double *q = a; while (q < a + n) *q++ = 0; }",
    "pointer to an end": "void f(double *q, double *end) { while (q < end) *q++ = 0; }",
    "for over a pointer": "void f(int n, double *s) { for (double *q = s; q < s + n; q++) *q = 0; }",
    "pointer until the end": "void f(double *q, double *end) { for (; q != end; ++q) *q = 0; }",
    "both ends move": "void f(int n) { int i = 0; while (i < n) { a[i] = 0; i++; n--; } }",
}

NOT_COUNTED = {
    "conditional step": "void f(int n) { int i = 0; while (i < n) { a[i] = 0; if (b[i] > 0) i++; } }",
    "a continue skips the step": """void f(int n) { int i = 0; while (i < n) {
        if (b[i] > 0) continue; a[i] = 0; i++; } }""",
    "the step is in memory": "void f(int n) { int i = 0; while (i < n) { a[i] = 0; i += p[i]; } }",
    "the bound moves now and then": """void f(int n) { int i = 0; while (i < n) { a[i] = 0; i++;
        if (b[i] > 0) n--; } }""",
    "halving": "void f(int n) { while (n > 0) { a[n] = 0; n /= 2; } }",
    "a break": "void f(int n) { int i = 0; while (i < n) { if (b[i] > 0) break; a[i] = 0; i++; } }",
    "odd steps to a number": "void f(int n) { int i = 0; while (i != n) { a[i] = 0; i += 2; } }",
    "not equal, unsigned from five": """void f(unsigned n) { unsigned i = 5; while (i != n) { a[i] = 0; i++; }
        }""",
    "pointers that may miss": "void f(double *q, double *end) { while (q != end) { *q = 0; q += 2; } }",
    "wide steps of a char": "void f(int n) { for (unsigned char i = 0; i < n; i += 100) a[i] = n; }",
    "below zero": "void f(unsigned n) { for (unsigned i = n; i > 0; i -= 3) a[i] = n; }",
    "away from the bound": "void f(int n) { int i = 0; while (i < n) { a[i] = 0; i--; } }",
    "a list": """struct l { struct l *next; int x; }; void f(struct l *q) { while (q) { q->x = 0; q =
        q->next; } }""",
    "until the data say so": "void f(int i) { while (b[i] > 0) { a[i] = 0; i++; } }",
    "the condition writes": "void f(int n) { int i = 0; while ((a[i] = b[i]) > 0) i++; }",
    "a call moves the bound": "void f(void) { int i = 0; while (i < g) { a[i] = 0; i++; touch(p); } }",
    "a write moves the bound": "void f(int *q) { int i = 0; while (i < *q) { q[i] = 0; i++; } }",
}


def first_of_f(text: str) -> LoopFacts:
    return next(loop for loop in loops_of(GLOBALS + text) if loop.id == "f/1")


@pytest.mark.parametrize(("text", "variable", "step"), LINEAR.values(), ids=LINEAR.keys())
def test_linear(text: str, variable: str, step: str) -> None:
    loop = first_of_f(text)
    assert loop.verdict.is_parallel, loop.reasons
    assert [(found.variable, found.step) for found in loop.linear] == [(variable, step)]
    assert variable not in (*loop.private, *loop.lastprivate)
    assert loop.collapse == 1
    assert loop.kernel is None or loop.kernel.obstacles


@pytest.mark.parametrize("text", SERIAL.values(), ids=SERIAL.keys())
def test_not_linear(text: str) -> None:
    assert first_of_f(text).verdict is Verdict.SERIAL


@pytest.mark.parametrize("text", COUNTED.values(), ids=COUNTED.keys())
def test_counted(text: str) -> None:
    loop = first_of_f(text)
    assert loop.verdict is Verdict.PARALLEL, loop.reasons
    assert loop.openmp == (loop.kind == "for" and "q = s" in text)


@pytest.mark.parametrize("text", NOT_COUNTED.values(), ids=NOT_COUNTED.keys())
def test_not_counted(text: str) -> None:
    assert first_of_f(text).verdict is Verdict.SERIAL


def test_an_amount_that_may_be_zero() -> None:
    loop = first_of_f("void f(int n, int m) { int k = 0; for (int i = 0; i < n; i++) { a[k] = i; k += m; } }")
    assert loop.verdict is not Verdict.PARALLEL


def test_what_is_back_at_the_end_of_an_iteration() -> None:
    loop = first_of_f("void f(int n) { int k = 7; for (int i = 0; i < n; i++) { k++; a[i] = k; k--; } }")
    assert loop.verdict is Verdict.PARALLEL and loop.firstprivate == ("k",) and not loop.linear


def test_a_bound_that_moves_is_not_for_openmp() -> None:
    loop = first_of_f("void f(int n) { for (int i = 0; i < n; i++) { a[i] = 0; n--; } }")
    assert loop.verdict is Verdict.PARALLEL and not loop.openmp and loop.kernel is None


def test_a_reduction_stays_one() -> None:
    loop = first_of_f(
        "int f(int n) { int k = 0; for (int i = 0; i < n; i++) { a[i] = 0; k += 2; } return k; }"
    )
    assert [r.variable for r in loop.reductions] == ["k"] and not loop.linear


def test_the_value_after_the_loop_is_known() -> None:
    text = """void f(void) { int k = 0; for (int i = 0; i < 100; i++) { a[k] = 0; k += 2; }
        for (int i = 0; i < 50; i++) a[k + i] = a[k - 1 - i]; }"""
    assert [loop.verdict for loop in loops_of(GLOBALS + text)] == [Verdict.PARALLEL] * 2


def test_the_value_after_a_loop_that_may_be_empty_is_not() -> None:
    text = """void f(int n) { int k = 0; for (int i = 0; i < n; i++) { a[k] = 0; k += 2; }
        for (int i = 0; i < 50; i++) a[k + i] = a[i]; }"""
    assert loops_of(GLOBALS + text)[1].verdict is not Verdict.PARALLEL


def test_the_loop_after_while_n() -> None:
    """`n` is -1 then."""
    text = "void f(int n) { while (n--) a[n] = 0; for (int i = 0; i < 50; i++) b[i] = b[i + 1 + n]; }"
    assert [loop.verdict for loop in loops_of(GLOBALS + text)] == [Verdict.PARALLEL] * 2


def test_an_inner_loop_speaks_of_the_pointer_as_it_is() -> None:
    text = """void f(int n, double *q) { for (int i = 0; i < n; i++) {
        for (int j = 0; j < 8; j++) q[j] = q[j] + 1; q += 4; } }"""
    inner = loops_of(text)[1]
    assert str(inner.species) == "q[0:7]|element -> q[0:7]|element"


def test_an_inner_loop_speaks_of_the_iterator_as_it_is() -> None:
    text = """void f(int n) { int j, g[40]; for (j = 6; j-- > 0; )
        for (int k = 0; k < n; k++) g[j + 10] = 1; }"""
    [written] = loops_of(text)[1].characterisations
    assert [str(r.low) for r in written.domain] == ["j+10"]


PROGRAM = """#include <stdio.h>
#define N 1000
static double a[4 * N + 64], b[N];
static int n = N, empty = 0;
int main(void) {
  int k = 7, m = 3; double *p = a;
  for (int i = 0; i < N; i++) b[i] = i % 37;
  for (int i = 0; i < n; i++) { a[k] = b[i]; k += 2; }
  printf("%d ", k);
  for (int i = 10; i < n; i += 3) { k -= m; a[k + 2000] = b[i]; }
  printf("%d ", k);
  for (int i = n; i > 0; i -= 2) *p++ += i;
  printf("%d ", (int)(p - a));
  for (int i = 0; i < empty; i++) *p++ = 0;
  k = 0;
  for (int i = 0; i < 100; i++) for (int j = 0; j < m; j++) a[k++] += j;
  printf("%d %d ", k, (int)(p - a));
  p = a + 1;
  for (int i = 0; i < 100; i++) { for (int j = 0; j < 8; j++) p[j] += i; p += 8; }
  unsigned char c = 1;
  for (int i = 0; i < 200; i++) { a[c] += b[i]; c++; }
  printf("%d %d ", (int)(p - a), c);
  for (double *q = a; q < a + n; q++) *q += 1;
  double sum = 0;
  for (int i = 0; i < 4 * N; i++) sum += a[i] * (i % 11);
  printf("%.3f\\n", sum);
  return 0;
}
"""


def run(path: Path, *flags: str, threads: int = 1) -> str:
    binary = path.with_suffix(".bin")
    subprocess.run(["cc", "-O1", *flags, str(path), "-o", str(binary)], check=True)
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    return subprocess.run([str(binary)], check=True, capture_output=True, text=True, env=environment).stdout


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_openmp_runs_as_the_serial_program(tmp_path: Path) -> None:
    plain, marked = tmp_path / "plain.c", tmp_path / "marked.c"
    plain.write_text(PROGRAM)
    marked.write_text(annotated(PROGRAM))
    assert marked.read_text().count("linear(") >= 7
    expected = run(plain)
    assert all(run(marked, "-fopenmp", threads=t) == expected for t in (1, 2, 3, 7))


def annotated(text: str) -> str:
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    return annotate(text, analyse(unit), AnnotateOptions(style="openmp"))


LEAVING = {
    "a loop that runs only for some n": "for (int i = n; i > 2; i--) b[j] = 1;",
    "a loop that runs only for some n, and changes it": "for (int i = n; i > 2; i--) { c++; c--; }",
    "a loop in a branch": "if (j > 3) for (int i = 4; i < n; i++) b[j] = i;",
    "a while loop": "int i = n; while (i > 0) { b[j] = 1; i--; }",
}


@pytest.mark.parametrize("inner", LEAVING.values(), ids=LEAVING.keys())
def test_what_holds_inside_of_a_loop_is_not_known_behind_it(inner: str) -> None:
    text = f"""{GLOBALS} int f(int n, int m) {{ int c = 0;
        for (int j = m; j < m + 2; j++) {{ for (int k = 0; k < n; k++) p[c++] = j; {inner} }}
        return c; }}"""
    steps = {linear.step for linear in loops_of(text)[0].linear if linear.variable == "c"}
    assert steps <= {"(n > 0 ? n : 0)"}
