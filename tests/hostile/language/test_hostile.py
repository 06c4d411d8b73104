"""C that is written to deceive the analysis: each snippet once had, or could have had, a wrong answer."""

from __future__ import annotations

import pytest

from species import analyse
from species.annotate.openmp import parallel_for
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import facts_of, loops_of

SERIAL = {
    "sum in a _Bool": "_Bool s; int a[100]; void f(void) { for (int i = 0; i < 100; i++) s += a[i]; }",
    "xor in a _Bool": "_Bool s; int a[100]; void f(void) { for (int i = 0; i < 100; i++) s ^= a[i]; }",
    "maximum cut to fit": """unsigned char s; int a[100];
        void f(void) { for (int i = 0; i < 100; i++) if (a[i] > s) s = a[i]; }""",
    "maximum of other signedness": """int s; unsigned a[100];
        void f(void) { for (int i = 0; i < 100; i++) if (a[i] > s) s = a[i]; }""",
    "maximum too narrow": """unsigned s; long a[100];
        void f(void) { for (int i = 0; i < 100; i++) s = a[i] > s ? a[i] : s; }""",
    "a chain rounds in the middle": """int s; double x[100];
        void f(void) { for (int i = 0; i < 100; i++) s = s + x[i] + 1; }""",
    "a user's max": """static int max(int a, int b) { return a < b ? a : b + 1; } int s, a[100];
        void f(void) { for (int i = 0; i < 100; i++) s = max(s, a[i]); }""",
    "a user's fmax": """static double fmax(double a, double b) { return a < b ? a : b + 1; } double s, a[100];
        void f(void) { for (int i = 0; i < 100; i++) s = fmax(s, a[i]); }""",
    "fmaxf of doubles": """float fmaxf(float, float); double s, a[100];
        void f(void) { for (int i = 0; i < 100; i++) s = fmaxf(s, a[i]); }""",
    "members of a union": """union { int i; short h; } u;
        void f(void) { for (int i = 0; i < 100; i++) { u.i += 1; u.h += 3; } }""",
    "members of an anonymous union": """struct { union { int x; float y; }; } s[101]; float b[100];
        void f(void) { for (int i = 0; i < 100; i++) { s[i].x = i; b[i] = s[i + 1].y; } }""",
    "neighbours in a bit-field": """struct { unsigned a : 3; unsigned b : 5; } s[100];
        void f(void) { for (int i = 0; i < 99; i++) { s[i].a = 1; s[i + 1].b = 3; } }""",
    "a structure copied whole": """struct { int x, y; } s, a[100];
        void f(void) { for (int i = 0; i < 100; i++) { a[i] = s; s.x = i; } }""",
    "a structure that is written last": """struct { int x, y; } in[100], out[100], s;
        void f(void) { for (int i = 0; i < 100; i++) { out[i] = s; s = in[i]; } }""",
    "a sum read through a pointer": """int a[100];
        int f(void) {
            int s = 0, *p = &s; for (int i = 0; i < 100; i++) { s += a[i]; a[i] = *p; } return s; }""",
    "a wide step of a narrow iterator": """int a[10];
        void f(void) { for (short i = 0; i < 300; i += 65537) a[i / 100] = a[i / 100 + 1] + i; }""",
    "an assignment in the condition": """int a[100];
        int f(int n) { int k = -1; for (int i = 0; i < (k = n); i++) a[i] = 3; return k; }""",
    "the length of an array is carried": """int a[100];
        void f(void) {
            int m = 1; for (int i = 0; i < 100; i++) { char t[m]; a[i] = sizeof t; m = i + 1; } }""",
    "continue goes to the condition of do": """int a[100]; void f(void) {
        int x = 0; for (int i = 0; i < 100; i++) {
            do { if (a[i]) continue; x = i; } while (x < 0); a[i] = 1; } }""",
    "continue goes to the step": """int a[100]; void f(void) { int x = 1; for (int i = 0; i < 100; i++)
        for (int j = 0; j < 10; j += x) { if (a[i]) continue; x = 1 + i % 2; a[i]++; } }""",
    "an unsigned literal wraps": """int a[100];
        void f(void) { for (unsigned i = 1; i < 100; i++) a[i] = a[i + 4294967295u] + 1; }""",
    "a hexadecimal literal wraps": """int a[100];
        void f(void) { for (unsigned i = 1; i < 100; i++) a[i] = a[i + 0xFFFFFFFF] + 1; }""",
    "plain char wraps": """int a[600];
        void f(void) { for (int i = 128; i < 255; i++) a[(char)i + 128] = a[i - 127] + 1; }""",
    "an assignment in a choice": """int a[100], b[100];
        void f(void) { for (int i = 0; i < 100; i++) { int k = 0; a[i] > 0 ? (k = i) : 0; b[k] = i; } }""",
    "an assignment behind &&": """int a[100], b[100];
        void f(void) { for (int i = 0; i < 100; i++) { int k = 0; a[i] > 0 && (k = i); b[k] = i; } }""",
    "a pointer to a function named sin": """double a[100];
        void f(double (*sin)(double)) { for (int i = 0; i < 100; i++) a[i] = sin(i); }""",
    "a parameter that hides a function": """static int sq(int x) { return x * x; } int a[100];
        void f(int sq(int)) { for (int i = 0; i < 100; i++) a[i] = sq(i); }""",
    "a member of a volatile structure": """struct S { int x; }; static int a[100];
        void f(volatile struct S *p) { for (int i = 0; i < 100; i++) a[i] = p->x; }""",
    "a variable of each thread": """_Thread_local int t; int a[100];
        void f(void) { for (int i = 0; i < 100; i++) a[i] = t; }""",
    "an enumerator with two values": """int a[200];
        void f(void) { enum { K = 1 }; for (int i = 0; i < 100; i++) a[i] = a[i + K]; }
        void g(void) { enum { K = 100 }; a[K] = 1; }""",
    "a type name with two meanings": """int a[600];
        void f(void) { typedef unsigned char T; for (int i = 0; i < 512; i++) a[(T)i] = i; }
        void g(void) { typedef int T; a[(T)1] = 1; }""",
    "a row through a star": """void f(int c) { double A[10][10]; double *q = *A; if (c) q = *A;
        for (int i = 0; i < 9; i++) A[0][i + 1] = q[i]; }""",
    "the address of a target": """void f(double *restrict p, int c) {
        double *q = &*p; if (c) q = &*p; for (int i = 0; i < 9; i++) p[i + 1] = q[i]; }""",
    "an assignment in the step": """int f(void) { int k = 1; static int a[100];
        for (int i = 0; i < 9; i += (k = k + 1)) a[i] = 1; return k; }""",
    "a member of a structure that was replaced": """struct S { int k; } t; int a[100];
        void f(void) { for (int i = 0; i < 64; i++) { struct S s; s.k = i; s = t; a[s.k] = i; } }""",
    "an address that crosses rows": """double A[8][8];
        void f(void) { for (int i = 1; i < 8; i++) A[i][0] = (&A[0][0])[(i - 1) * 8]; }""",
}


@pytest.mark.parametrize("text", SERIAL.values(), ids=SERIAL.keys())
def test_stays_serial(text: str) -> None:
    assert loops_of(text)[0].verdict is Verdict.SERIAL


CONDITIONAL = {
    "restrict, and a parameter that is assigned": """
        void f(double *restrict p, double *q, int c, int n) {
            if (c) q = p + 1;
            for (int i = 0; i < n; i++) p[i] = q[i] * 2; }""",
    "an allocation, then another pointer": """void *malloc(unsigned long);
        void f(double *q, int c, int n) {
            double *p = malloc(n * sizeof(double));
            if (c) p = q + 1;
            for (int i = 0; i < n; i++) q[i] = p[i] * 2; }""",
    "another pointer, then an allocation": """void *malloc(unsigned long);
        void f(double *q, int c, int n) {
            double *p = q + 1;
            if (c) p = malloc(n * sizeof(double));
            for (int i = 0; i < n; i++) q[i] = p[i] * 2; }""",
    "members, the second of which has the type of the other array": """
        struct s { double x; int n; };
        void f(struct s *p, int *q, int m) {
            for (int i = 0; i < m; i++) { p[i].x = 1; p[i].n = q[i + 1]; } }""",
    "characters by another name": """typedef unsigned char byte;
        void f(byte *p, int *q, int n) { for (int i = 0; i < n; i++) p[i] = q[i]; }""",
    "a pointer that was moved": """
        void f(double *p, double *q, int n) { p = p + 10; for (int i = 0; i < n; i++) p[i] = q[i]; }""",
    "a pointer that took over": """
        void f(double *p0, double *q, double *s, int n) {
            double *p = p0; p0 = s; for (int i = 0; i < n; i++) p[i] = q[i]; }""",
    "a pointer whose name is hidden": """
        double *p0; void f(double *q, int n) {
            double *p = p0; { double p0 = 3; for (int i = 0; i < n; i++) p[i] = q[i] + p0; } }""",
}


@pytest.mark.parametrize("text", CONDITIONAL.values(), ids=CONDITIONAL.keys())
def test_asks_whether_the_pointers_are_apart(text: str) -> None:
    (loop,) = loops_of(text)
    assert loop.verdict is Verdict.CONDITIONAL
    assert len(loop.conditions) == 1
    assert ")p" in loop.conditions[0] and ")q" in loop.conditions[0]


def test_array_in_a_structure_that_was_taken() -> None:
    """The condition fails: the pointer is into the structure."""
    (loop,) = loops_of("""void f(int c) {
        struct { double x[100]; } s; double *all[2] = { s.x, s.x + 1 }, *q = all[c & 1];
        for (int i = 0; i < 9; i++) s.x[i] = q[i]; }""")
    assert loop.verdict is Verdict.CONDITIONAL
    assert ")&s" in loop.conditions[0] and ")q" in loop.conditions[0]


LIVE = {
    "past the other cases": """int f(int c, int *a) { int x = 0;
        switch (c) { case 0: for (int i = 0; i < 100; i++) x = a[i]; break; case 1: x = 0; }
        return x; }""",
    "continue in a later case": """int f(int c, int *a, int n) { int x = 0;
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < 100; i++) x = a[i];
            switch (c + k) { case 0: return 1; case 1: continue; }
            x = 0; }
        return x; }""",
}


@pytest.mark.parametrize("text", LIVE.values(), ids=LIVE.keys())
def test_keeps_a_value_that_is_needed(text: str) -> None:
    assert loops_of(text)[-1].lastprivate == ("x",)


def _counting(count: str) -> LoopFacts:
    """A loop whose iterator is needed after it."""
    return loops_of(f"int f(int n, int *a) {{ int i; for (i = 5; i < {count}; i++) a[i] = 1; return i; }}")[0]


def test_openmp_does_not_set_the_iterator_of_an_empty_loop() -> None:
    assert parallel_for(_counting("n"), 1) is None
    assert parallel_for(_counting("9"), 1) == "#pragma omp parallel for lastprivate(i)"


def test_an_array_may_have_escaped_in_code_that_is_left_out() -> None:
    text = """static double A[100]; double *p;
        void g(void) { p = A; int h(void) { return 0; } }
        void f(void) { for (int i = 0; i < 99; i++) A[i] = p[i]; }"""
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    assert unit.status == "partial"
    (loop,) = analyse(unit).loops
    assert loop.verdict is not Verdict.PARALLEL


def test_a_bound_is_not_named_by_what_another_file_may_have_changed() -> None:
    text = """int n; void g(void); void f(double *p, double *q) {
        int m = n + 1; g(); for (int i = 0; i < m - 1; i++) p[i] = q[i]; }"""
    (loop,) = facts_of(text).loops
    assert not any("(n-1)" in condition for condition in loop.conditions)


COPIES = {
    "a sum": "int s; int f(int *a) { for (int i = 0; i < 100; i++) s += a[i]; return s; }",
    "a temporary": """int g, a[100];
        void f(int *p) { for (int i = 0; i < 64; i++) { g = i; a[i] = *p; } }""",
    "a conjunction that may start at 5": """static int a[100];
        int f(int s, int n) { if (n <= 100) for (int i = 0; i < n; i++) s = s && a[i]; return s; }""",
}


@pytest.mark.parametrize("text", COPIES.values(), ids=COPIES.keys())
def test_openmp_copies_a_variable_even_where_the_condition_fails(text: str) -> None:
    (loop,) = loops_of(text)
    assert loop.verdict is Verdict.CONDITIONAL
    assert not loop.openmp
