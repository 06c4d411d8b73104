"""C that deceives the analysis about numbers: how wide they are, what has a sign, what rounds which way."""

from __future__ import annotations

import pytest

from species.facts.loops import Verdict
from tests.support.analysing import loops_of

_MOVED = "a[i] = a[i + 1]"  # carried, wherever it is executed at all

SERIAL = {
    "a negative number is shifted": """int a[200];
        void f(int n) { int c = -3 >> 1; for (int i = 0; i < n; i++) a[i] = a[i + c + 1]; }""",
    "a negative number is masked": """int a[200];
        void f(int n) { int c = -3 & 7; for (int i = 0; i < n; i++) a[i] = a[i + c + 3]; }""",
    "bits are shifted out and back": """int a[200];
        void f(int n) { for (int i = 0; i < n; i++) a[(i << 28 >> 28) + 8] = i; }""",
    "bytes are extended": """long a[600];
        void f(int n) { for (long i = 0; i < n; i++) a[(i << 56 >> 56) + 128] = i; }""",
    "a choice of one value, in two types": f"""int a[200];
        void f(int m) {{ for (int i = 0; i < 10; i++) if ((m ? i : (unsigned)i) - 5 > 10) {_MOVED}; }}""",
    "a choice of two types, compared": f"""int a[200];
        void f(int m) {{ unsigned z = 0;
            for (int i = 0; i < 10; i++) if ((m ? i - 5 : z) > 20) {_MOVED}; }}""",
    "a choice of two types, negative": f"""int a[200];
        void f(void) {{ for (int i = 0; i < 10; i++) if ((i ? -1 : 0u) > 20) {_MOVED}; }}""",
    "an enumeration has no sign": f"""int a[200]; enum E {{ A, B }};
        void f(void) {{ for (int i = 0; i < 10; i++) {{ enum E e = i; if (e - 5 > 10) {_MOVED}; }} }}""",
    "an enumeration of expressions": f"""int a[200]; enum E {{ A = 1 << 2, B = A + 'x' }};
        void f(void) {{ for (int i = 0; i < 10; i++) {{ enum E e = i; if (e - 5 > 10) {_MOVED}; }} }}""",
    "an enumeration without a name": f"""int a[200]; typedef enum {{ A, B }} T;
        void f(void) {{ for (int i = 0; i < 10; i++) {{ T e = i; if (e - 5 > 10) {_MOVED}; }} }}""",
    "an enumerator of more than an int": f"""int a[200]; enum {{ A = 0x100000000 }};
        void f(void) {{ for (int i = 0; i < 10; i++) {{ unsigned u = A + i; if (u < 20) {_MOVED}; }} }}""",
    "a choice of a comparison and a fraction": """int s; double x[100];
        void f(void) { for (int i = 0; i < 100; i++) s += i & 1 ? x[i] > 3 : 0.5; }""",
}


@pytest.mark.parametrize("text", SERIAL.values(), ids=SERIAL.keys())
def test_stays_serial(text: str) -> None:
    assert loops_of(text)[0].verdict is Verdict.SERIAL


PARALLEL = {
    "small shifts scale": "int a[200]; void f(int n) { for (int i = 0; i < n; i++) a[i << 2] = i; }",
    "a negative enumeration": """int a[200]; enum E { A = -1, B };
        void f(void) { for (int i = 0; i < 10; i++) { enum E e = i; if (e - 5 > 10) a[i] = a[i + 1]; } }""",
    "enumerators as bounds": """enum { N = 100, M = 2 * N }; int a[M];
        void f(void) { for (int i = 0; i < N; i++) a[i] = a[i + N]; }""",
    "a mask of a number": """int a[200];
        void f(int n) { int c = 12 & 8; for (int i = 0; i < n; i++) a[i] = a[i + c - 8]; }""",
    "an enumeration counts": """enum E { A, B, C }; int a[3];
        void f(void) { for (enum E e = A; e <= C; e++) a[e] = e; }""",
}


@pytest.mark.parametrize("text", PARALLEL.values(), ids=PARALLEL.keys())
def test_is_parallel(text: str) -> None:
    assert loops_of(text)[0].verdict is Verdict.PARALLEL


def test_openmp_takes_no_enumeration_for_an_iterator() -> None:
    """gcc 12 crashes."""
    text = "enum E { A, B }; int a[2]; void f(void) { for (enum E e = A; e <= B; e++) a[e] = e; }"
    (loop,) = loops_of(text)
    assert not loop.openmp


CRASHES = {
    "a remainder": "for (int i = 0; i < n; i++) p[i] = p[i + m % k];",
    "a quotient": "for (int i = 0; i < n; i++) p[i + 7 / k] = q[i];",
    "a bound of an inner loop": """for (int i = 0; i < n; i++)
        for (int j = 0; j < 7 / k; j++) p[8 * i + j] = q[j];""",
    "minus one": "for (int i = 0; i < n; i++) p[i] = p[i + m / -1];",
    "nothing": "for (int i = 0; i < n; i++) if (q[i] == 7) p[i + m / 0] = q[i];",
    "the second half of a bound": "for (int i = 0; i < n && i < m / k; i++) p[i] = q[i];",
}


@pytest.mark.parametrize("loop", CRASHES.values(), ids=CRASHES.keys())
def test_no_condition_divides_where_the_loop_may_not(loop: str) -> None:
    found = loops_of(f"void f(int *p, int *q, int n, int m, int k) {{ {loop} }}")[0]
    assert found.verdict is not Verdict.PARALLEL
    divided = [c for c in found.conditions if "/" in c or "%" in c]
    assert all(c.startswith("(k >= 1 && ") for c in divided)


DIVIDES = {
    "its own bound": "for (int i = 0; i < m / k; i++) p[i] = q[i];",
    "by a constant": "for (int i = 0; i < n; i++) p[i] = q[i + m / 3];",
    "by what is positive": "if (k > 0) for (int i = 0; i < n; i++) p[i] = q[i + m / k];",
}


@pytest.mark.parametrize("loop", DIVIDES.values(), ids=DIVIDES.keys())
def test_a_condition_divides_as_the_loop_does(loop: str) -> None:
    found = loops_of(f"void f(int *p, int *q, int n, int m, int k) {{ {loop} }}")[0]
    assert found.verdict is Verdict.CONDITIONAL


DISGUISED = {
    "an offset": "for (size_t i = 0; i < 10; i++) x[i] = x[i + 10 + k];",
    "an offset behind a bound": "for (size_t i = 0; i < n; i++) x[i] = x[i + n + k];",
}


@pytest.mark.parametrize("loop", DISGUISED.values(), ids=DISGUISED.keys())
def test_an_unsigned_offset_may_be_a_negative_number(loop: str) -> None:
    (found,) = loops_of(f"typedef unsigned long size_t; void f(long *x, size_t n, size_t k) {{ {loop} }}")
    assert found.conditions == ("k <= 2147483647",)


def test_rows_may_be_apart_by_a_negative_number() -> None:
    """`n <= k` holds where k is -1, and then each row overlaps the one before."""
    loop = "for (size_t i = 0; i < 10; i++) for (size_t j = 1; j < n; j++) x[i * k + j] = x[i * k + j - 1];"
    text = f"typedef unsigned long size_t; void f(long *x, size_t n, size_t k) {{ if (n <= k) {loop} }}"
    assert loops_of(text)[0].conditions == ("k <= 2147483647",)


UNDISGUISED = {
    "a number of iterations": "for (size_t i = 0; i < n; i++) x[i] += x[i + n];",
    "on both sides": "for (size_t i = 0; i < n; i++) x[i + k] += x[i + k];",
    "a stride": "for (size_t i = 0; i < n; i++) for (size_t j = 0; j < k; j++) x[i * k + j] = i;",
}


@pytest.mark.parametrize("loop", UNDISGUISED.values(), ids=UNDISGUISED.keys())
def test_an_unsigned_number_that_counts_is_none_in_disguise(loop: str) -> None:
    text = f"typedef unsigned long size_t; void f(long *x, size_t n, size_t k) {{ {loop} }}"
    assert loops_of(text)[0].verdict is Verdict.PARALLEL
