"""Loops that are parallel for some values only: symbolic conditions, pointers in memory, rows."""

from __future__ import annotations

import pytest

from species.analysis.options import AnalysisOptions
from species.facts.loops import LoopFacts, Verdict
from tests.species.dependence.test_delinearise import holds
from tests.support.analysing import loops_of

HEAD = "#include <stdlib.h>\nstruct S { double *p, *q; int n, ld; };\nextern double a[1000];\n"


def outer(text: str) -> LoopFacts:
    """The last outermost loop."""
    return [loop for loop in loops_of(HEAD + text) if loop.depth == 0][-1]


# Conditions on values

SHIFTS = {
    "a[i] = a[i + n]": lambda i, n: (i, i + n),
    "a[i + n] = a[i]": lambda i, n: (i + n, i),
    "a[i] = a[n]": lambda i, n: (i, n),
    "a[2*i] = a[2*i + n]": lambda i, n: (2 * i, 2 * i + n),
    "a[i*n] = i": lambda i, n: (i * n, i * n),
    "a[i*n + 1] = a[i*n]": lambda i, n: (i * n + 1, i * n),
    "a[n - i] = a[i]": lambda i, n: (n - i, i),
    "a[i*n + i] = 1": lambda i, n: (i * n + i, i * n + i),
    "a[3*i + n] = a[i]": lambda i, n: (3 * i + n, i),
}


@pytest.mark.parametrize("statement", SHIFTS)
def test_conditions_agree_with_enumeration(statement: str) -> None:
    loop = outer(f"void f(int n) {{ for (int i = 0; i < 20; i++) {statement}; }}")
    cells = SHIFTS[statement]
    claimed = 0
    for n in range(-70, 70):
        if loop.verdict.is_parallel and all(holds(c, n=n) for c in loop.conditions):
            claimed += 1
            touched = [cells(i, n) for i in range(20)]
            writes = {w: i for i, (w, _) in enumerate(touched)}
            assert len(writes) == 20, n
            assert all(writes.get(r, i) == i for i, (_, r) in enumerate(touched)), n
    assert claimed or statement == "a[i*n + 1] = a[i*n]"


def test_says_when() -> None:
    shift = outer("void f(int n) { for (int i = 0; i < 300; i++) a[i] = a[i + n]; }")
    assert shift.verdict is Verdict.CONDITIONAL
    assert shift.conditions == ("n <= -300 || n == 0 || n >= 300",)
    wide = outer("""void f(int m, int n, int lda, double *restrict b) {
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) b[i*lda + j] = 1; }""")
    assert wide.conditions == ("lda >= n",) and wide.openmp
    wrapped = outer("void f(unsigned n) { for (int i = 0; i < 300; i++) a[i] = a[i + n]; }")
    values = (0, 5, 299, 300, 2**32 - 301, 2**32 - 300, 2**32 - 299, 2**32 - 1)
    apart = [n for n in values if all(holds(c, n=n) for c in wrapped.conditions)]
    assert apart == [0, 300, 2**32 - 301, 2**32 - 300]


SERIAL = {
    "a recurrence": "void f(int n) { for (int i = 1; i < n; i++) a[i] = a[i - 1]; }",
    "a recurrence far back": "void f(int n) { for (int i = 30; i < n; i++) a[i] = a[i - 30]; }",
    "a stride of the iterations": "void f(int n) { for (int i = 1; i < n; i++) a[2*i] = a[i]; }",
    "a value that changes": "void f(int n) { for (int i = 0; i < 300; i++) { a[i] = a[i + n]; n++; } }",
    "a pivot that is passed": """void f(int n, double (*c)[99]) { for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) c[i][0] = c[i][k] + c[k][0]; }""",
}


@pytest.mark.parametrize("name", SERIAL)
def test_tests_nothing_that_is_of_no_use(name: str) -> None:
    loop = outer(SERIAL[name])
    assert loop.verdict is Verdict.SERIAL and loop.reasons


def test_a_size_may_be_a_negative_number_in_disguise() -> None:
    loop = outer("""void f(size_t m, size_t n, size_t lda, double *restrict b) {
        for (size_t i = 0; i < m; i++) for (size_t j = 0; j < n; j++) b[i*lda + j] = 1; }""")
    assert loop.verdict is Verdict.CONDITIONAL
    assert not holds(loop.conditions[0], n=4, lda=2**64 - 1)
    assert holds(loop.conditions[0], n=4, lda=5) and not holds(loop.conditions[0], n=4, lda=3)


def test_a_condition_is_computed_in_a_wide_type() -> None:
    loop = outer("void f(int n, int k) { for (int i = 0; i < n; i++) a[i] = a[i + k]; }")
    assert any("(long long)k + (long long)n <= 0" in c for c in loop.conditions)


def test_an_inner_loop_on_condition_is_no_base_loop() -> None:
    loop = outer("""void f(int n, int k, double (*c)[500]) { for (int i = 0; i < n; i++)
        for (int j = 0; j < 100; j++) c[i][j] = c[i][j + k]; }""")
    assert loop.base_loops == ("i",)


# Pointers in memory


def test_pointers_in_members_are_named_and_read_safely() -> None:
    loop = outer("void f(struct S *s, int n) { for (int i = 0; i < n; i++) s->p[i] = s->q[i]; }")
    assert loop.verdict is Verdict.CONDITIONAL
    assert loop.conditions[0].startswith("(!(n >= 1) || ")
    assert "(s->q) + n*sizeof(*(s->q))" in loop.conditions[0]


def test_what_the_header_reads_needs_no_guard() -> None:
    loop = outer("void f(struct S *s) { for (int i = 0; i < s->n; i++) s->p[i] = s->q[i]; }")
    assert loop.verdict is Verdict.CONDITIONAL and not loop.conditions[0].startswith("(!")


def test_rows_of_two_tables() -> None:
    text = """void f(int n, double **r, double **q) { for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) r[i][j] = q[i][j]; }"""
    first, second = loops_of(text)
    assert first.verdict is Verdict.CONDITIONAL
    assert second.verdict is Verdict.CONDITIONAL and "(q[i]) + n*sizeof(*(q[i]))" in second.conditions[0]


UNNAMED = {
    "read under a condition": """void f(struct S *s, int n, int c) {
        for (int i = 0; i < n; i++) if (c) s->p[i] = s->q[i]; }""",
    "the pointer moves": """void f(struct S *s, int n) {
        for (int i = 0; i < n; i++) { s->p[i] = s->q[i]; s->q = s->q + 1; } }""",
    "set in the header": """void f(struct S *s, double *x, int n) { int i;
        for (i = 0, s->q = x; i < n; i++) s->p[i] = s->q[i]; }""",
    "the table is written": """void f(double **r, double **q, int n) {
        for (int i = 0; i < n; i++) { r[0][i] = q[1][i]; r[i] = q[0]; } }""",
}


@pytest.mark.parametrize("name", UNNAMED)
def test_names_no_pointer_that_is_not_there_yet(name: str) -> None:
    assert outer(UNNAMED[name]).verdict is Verdict.SERIAL


# Tables of rows

TABLE = """void f(int n, int m, double *out) {{
    double **t = malloc(n * sizeof *t), **u = malloc(n * sizeof *u);
    for (int i = 0; i < n; i++) {{ t[i] = malloc(m * sizeof **t); u[i] = (double *) malloc(8 * m); }}
    {before}
    for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) {body}
    {after} }}
void g(double **); void h(double *);"""
MISUSED = {
    "one row twice": "t[1] = t[0];",
    "a row of the other": "t[0] = u[0];",
    "shown to a function": "g(t);",
    "a row is shown to a function": "h(t[2]);",
    "a row is moved": "t[0]++;",
    "through a star": "*t = out;",
    "the table's address": "double ***x = &t; **x = out;",
    "copied": "double **x = t; x[0] = out;",
    "one block": "for (int i = 1; i < n; i++) t[i] = t[0] + i;",
}
KEPT = {
    "a row is kept": "double *row = t[0]; row[1] = 2;",
    "the address of an element": "double *e = &t[0][1]; *e = 2;",
    "moved": "t++;",
    "grown": "t[0] = realloc(t[0], 9);",
}


def test_rows_that_are_allocated_one_by_one_are_apart() -> None:
    text = TABLE.format(
        before="", after="free(t[0]); free(t);", body="t[i][j] = u[i][j] + u[i-1][j] + out[j];"
    )
    assert outer(text).verdict is Verdict.PARALLEL
    assert outer(TABLE.format(before="", after="", body="t[i][j] = t[i-1][j];")).verdict is Verdict.SERIAL
    assert outer(TABLE.format(before="", after="", body="t[0][j] = t[i][j];")).verdict is Verdict.SERIAL


@pytest.mark.parametrize("name", KEPT)
def test_rows_that_others_point_to_are_still_apart(name: str) -> None:
    assert outer(TABLE.format(before=KEPT[name], after="", body="t[i][j] = i;")).verdict is Verdict.PARALLEL


@pytest.mark.parametrize("name", MISUSED)
def test_rows_that_may_be_shared_are_not(name: str) -> None:
    loop = outer(TABLE.format(before=MISUSED[name], after="", body="t[i][j] = 1;"))
    later = outer(
        TABLE.format(before="", after=MISUSED[name].replace("for", "if (n) for"), body="t[i][j] = 1;")
    )
    assert loop.verdict is not Verdict.PARALLEL
    assert later.verdict is not Verdict.PARALLEL or name == "one block"


# Types


def test_the_type_rule_is_an_option() -> None:
    from species import analyse
    from species.source import PreprocessOptions, read_translation_unit

    text = "void f(float *x, int *y, int n) { for (int i = 0; i < n; i++) x[i] = y[i]; }"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    assert analyse(unit).loops[0].verdict is Verdict.PARALLEL
    assert analyse(unit, AnalysisOptions(strict_aliasing=False)).loops[0].verdict is Verdict.CONDITIONAL


def test_a_write_through_a_member_may_reach_an_array() -> None:
    loop = outer("""struct { int *p; } s; int lim[1];
        void f(void) { for (int i = 0; i < lim[0]; i++) s.p[i] = 1; }""")
    assert loop.verdict is Verdict.CONDITIONAL and "lim" in loop.conditions[0] and not loop.openmp


def test_a_shift_is_computed_where_the_loop_does_not_shift() -> None:
    loop = outer("void f(int n, int m) { for (int i = 0; i < n; i++) a[i] = a[i + (1 << m)]; }")
    assert loop.conditions and all("m & 31))" in c for c in loop.conditions)
    loop = outer("void f(int m) { for (int i = 0; i < 1 << m; i++) a[i] = a[i + (1 << m)]; }")
    assert loop.verdict.is_parallel and not any("& 31" in c for c in loop.conditions)


def test_a_bound_that_is_not_found_is_none() -> None:
    """isl says that there is a last iteration, and finds none."""
    loop = outer(
        "void f(int n, int k, int m, int u, int *restrict q) { for (int i = 6; i > 0; i--)\n"
        "for (int j = 2; j < n; j += 3) for (int l = 0; l < n; l++)\n"
        "if (n - 2 <= n - u) q[i*k*8 + j*m + n*l] += q[3*j - l + 1]; }"
    )
    assert loop.verdict is Verdict.SERIAL


HALVES = {
    "turned over": ("i = 0; i < n / 2; i++", "double t = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = t;", True),
    "three thirds": ("i = 0; i < n / 3; i++", "a[i] = a[n - 1 - i] + a[n - n / 3 - 1 - i];", True),
    "one too many": ("i = 0; i <= n / 2; i++", "a[i] = a[n - 1 - i];", False),
    "from the middle": ("i = n / 2; i < n; i++", "a[i] = a[i - n / 2];", False),
}


@pytest.mark.parametrize(("header", "body", "always"), HALVES.values(), ids=HALVES.keys())
def test_what_is_below_a_half(header: str, body: str, always: bool) -> None:
    loop = outer(f"void f(int n) {{ for (int {header}) {{ {body} }} }}")
    assert (loop.verdict is Verdict.PARALLEL) == always


EXTREMES = {
    "(n < m ? n : m)": "min(m-1,n-1)",
    "(n > m ? m : n)": "min(m-1,n-1)",
    "(m <= n ? m : n)": "min(m-1,n-1)",
    "(n > m ? n : m)": "max(m-1,n-1)",
    "(l < n ? l : n)": "min(l-1,n-1)",
    "(n < 7 ? n : 7)": "min(6,n-1)",
}


@pytest.mark.parametrize(("bound", "last"), EXTREMES.items())
def test_bounds_that_are_the_less_or_the_greater_of_two(bound: str, last: str) -> None:
    loop = outer(f"void f(int n, int m, long l) {{ for (int i = 0; i < {bound}; i++) a[i] = 0; }}")
    assert str(loop.species) == f"void -> a[0:{last}]|element"


def test_another_choice_is_none_of_them() -> None:
    loop = outer("void f(int n, int m) { for (int i = 0; i < (n < m + 2 ? n : m); i++) a[i] = 0; }")
    assert "min" not in str(loop.species) and loop.verdict is Verdict.PARALLEL


def test_many_references_that_ask_the_same() -> None:
    """Nine accesses make many pairs, but one question."""
    body = "if (p[1] > 0 && p[2] > 0) { p[1] += 1; p[2] -= 1; p[3] += 2; p[4] -= p[1]; }"
    loop = outer(f"""struct cell {{ double v[9]; }}; void f(int n, int m, struct cell *c) {{
        for (int i = 0; i < n; i++) {{ double *p = c[i * m].v; {body} }} }}""")
    assert loop.conditions == ("m >= 1",)
