"""Bounds and steps that nobody knows, but that no iteration changes; and such that change."""

from __future__ import annotations

import pytest

from species.facts.loops import LoopFacts, Verdict
from tests.support.analysing import loops_of

HEAD = """#include <math.h>
#include <stddef.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
int a[100000];
double *where, limit;
static int calls;
static double square(double x) { return x * x; }
static double counted(double x) { return x + calls++; }
"""

FIXED = {
    "a root": "void f(int n) { for (int i = 2; i <= sqrt(n); i++) a[i] = 0; }",
    "a root, converted": "void f(int n) { for (long i = 3; i < (long)(sqrt(n) + 1); i += 2) a[i] = 0; }",
    "a floating-point number": "void f(double x) { for (int i = 0; i < x; i++) a[i] = 0; }",
    "on the other side": "void f(double x) { for (int i = 0; x > i; i++) a[i] = 0; }",
    "downwards": "void f(int n, double x) { for (int i = n; i >= x / 2; i--) a[i] = 0; }",
    "one's own function": "void f(double x) { for (int i = 0; i < square(x) - 1; i++) a[i] = 0; }",
    "the least of two types": """void f(int s, int m, long n) {
        for (int i = s + 1; i <= MIN(s + m, n); i++) a[i] = 0; }""",
    "a part of what moves": """void f(int n, double x) {
        for (int i = 0; i < n && i < x; i++) a[i] = 0; }""",
    "an unsigned step": """void f(unsigned long n, unsigned long k) {
        for (unsigned long j = k * k; j < n; j += 2 * k) a[j] = 0; }""",
    "a step of another type": """void f(size_t n, unsigned k) {
        for (size_t j = 0; j < n; j = j + k) a[j] = 0; }""",
}


def outer(text: str) -> LoopFacts:
    return next(loop for loop in loops_of(HEAD + text) if loop.function == "f")


@pytest.mark.parametrize("text", FIXED.values(), ids=FIXED.keys())
def test_fixed(text: str) -> None:
    assert outer(text).verdict is Verdict.PARALLEL


def test_openmp_has_no_floating_bounds() -> None:
    assert "header" in outer(FIXED["a root"]).openmp_obstacle
    assert not outer(FIXED["a root, converted"]).openmp_obstacle


def test_a_bound_of_the_outer_loop() -> None:
    """It is another one in each of its iterations, and one in the inner loop."""
    text = """void f(int n) { for (int i = 0; i < 100; i++)
        for (int j = 0; j < (int)sqrt(i); j++) a[1000 * i + j] = 0; }"""
    outer_loop, inner = loops_of(HEAD + text)[-2:]
    assert inner.verdict is Verdict.PARALLEL
    assert outer_loop.verdict is not Verdict.PARALLEL  # nobody knows that roots are less than 1000


CHANGING = {
    "by the loop": "void f(double x) { for (int i = 0; i < (int)x; i++) { a[i] = 0; x -= 1; } }",
    "by the loop, compared": "void f(double x) { for (int i = 0; i < x; i++) { a[i] = 0; x -= 1; } }",
    "a sum": "double f(double s) { for (int i = 0; i < s; i++) s += a[i]; return s; }",
    "a choice": """void f(int c, int n, int m) {
        for (int i = 0; i < (c ? n : m + 1L); i++) { a[i] = 0; c = !c; } }""",
    "through a pointer": """void f(double x) { double *p = &x;
        for (int i = 0; i < (int)x; i++) { a[i] = 0; *p -= 1; } }""",
    "in memory": "void f(double *p) { for (int i = 0; i < (int)p[0]; i++) { a[i] = 0; where[i] = 0; } }",
    "a global, through a pointer": "void f(void) { for (int i = 0; i < limit; i++) where[i] = 0; }",
    "volatile": "void f(void) { extern volatile double v; for (int i = 0; i < (int)v; i++) a[i] = 0; }",
    "with the iterator": "void f(int n) { for (int i = 1; i < n - sqrt(i); i++) a[i] = a[i - 1]; }",
    "a function with a state": "void f(double x) { for (int i = 0; i < counted(x); i++) a[i] = 0; }",
    "an equality": "void f(double x) { for (int i = 0; i != x; i++) a[i] = 0; }",
    "an effect": "void f(double x) { for (int i = 0; i < (int)(x -= 0.5); i++) a[i] = 0; }",
    "a variable of the body": """void f(int n) { double x = n;
        for (int i = 0; i < (int)x; i++) { a[i] = 0; { double y = x; x = y / 2; } } }""",
    "a step that may go down": "void f(size_t n, int k) { for (size_t j = n - 1; j < n; j += k) a[j] = 0; }",
    "a step that wraps": "void f(unsigned n, unsigned k) { for (unsigned j = 0; j < n; j += k) a[j] = 0; }",
    "a step down": "void f(size_t n, size_t k) { for (size_t j = n; j > 0; j -= k) a[j] = 0; }",
    "a step that changes": "void f(size_t n, size_t k) { for (size_t j = 0; j < n; j += k) a[j] = k++; }",
    "a step past the end": "void f(size_t n, size_t k) { for (size_t j = 0; j != n; j += k) a[j] = 0; }",
}


@pytest.mark.parametrize("text", CHANGING.values(), ids=CHANGING.keys())
def test_changing(text: str) -> None:
    assert outer(text).verdict is Verdict.SERIAL


def test_a_bound_in_a_callee() -> None:
    """What is fixed in the callee's loop is another number at each call."""
    text = """static void fill(double x, int k) { for (int j = 0; j < (int)x; j++) a[k + j] = j; }
        void f(double y) { for (int i = 0; i < 100; i++) { y += 1; fill(y, 1000 * i); } }"""
    assert outer(text).verdict is Verdict.SERIAL
