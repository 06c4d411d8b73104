"""Private arrays, last assignments, argmin and argmax: what they are and what only looks like them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from species import analyse
from species.annotate import AnnotateOptions, annotate
from species.annotate.openmp import parallel_for
from species.facts.loops import LoopFacts, UnitFacts
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import loops_of


def facts_of(text: str) -> UnitFacts:
    return analyse(read_translation_unit("/tmp/privates.c", PreprocessOptions(), text=text))


def loop(text: str, identifier: str = "f/1") -> LoopFacts:
    return next(found for found in facts_of(text).loops if found.id == identifier)


HEAD = "void f(int n, int m, double (*restrict A)[64], double (*restrict B)[64], int *restrict x)"

PRIVATE = {
    "a row is written, then read": """
        double t[64];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 64; j++) t[j] = A[i][j];
            for (int j = 1; j < 63; j++) B[i][j] = t[j - 1] + t[j + 1];
        }""",
    "a symbolic part of it": """
        double t[64];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) t[j] = A[i][j];
            for (int j = 0; j < m; j++) B[i][j] = t[m - 1 - j];
        }""",
    "written in two halves": """
        double t[64];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 32; j++) { t[2 * j] = A[i][j]; t[2 * j + 1] = 1; }
            for (int j = 0; j < 64; j++) B[i][j] = t[j];
        }""",
    "each element from the one before": """
        double t[64];
        for (int i = 0; i < n; i++) {
            t[0] = A[i][0];
            for (int j = 1; j < 64; j++) t[j] = t[j - 1] + A[i][j];
            B[i][0] = t[63];
        }""",
    "all of it is set, then cells that data chooses": """
        double t[64];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 64; j++) t[j] = 0;
            for (int j = x[i]; j < x[i] + m; j++) t[j / 8] += 1;
            B[i][0] = t[x[i + n]];
        }""",
    "under the same condition": """
        double t[2];
        for (int i = 0; i < n; i++)
            if (x[i] > 0) { t[0] = A[i][0]; t[1] = A[i][1]; B[i][0] = t[0] - t[1]; B[i][1] = t[1]; }""",
    "after a continue that both pass": """
        double t[2];
        for (int i = 0; i < n; i++) {
            if (x[i] > 0) continue;
            for (int k = 0; k < 2; k++) t[k] = A[i][k];
            for (int k = 0; k < 2; k++) B[i][k] = t[k];
        }""",
    "a structure": """
        struct { double a, b; } t;
        for (int i = 0; i < n; i++) { t.a = A[i][0]; t.b = A[i][1]; B[i][0] = t.a; B[i][1] = t.b + t.a; }""",
    "a matrix, zeroed and accumulated": """
        double t[4][4];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 4; j++) for (int k = 0; k < 4; k++) t[j][k] = 0;
            for (int j = 0; j < 4; j++) for (int k = 0; k < 4; k++) t[j][k] += A[i][4 * j + k];
            for (int j = 0; j < 4; j++) B[i][j] = t[j][3] + t[0][j];
        }""",
    "overwritten before the next use": """
        double t[8];
        for (int i = 0; i < n; i++) { for (int j = 0; j < 8; j++) t[j] = A[i][j]; B[i][0] = t[3]; }
        for (int i = 0; i < n; i++) { for (int j = 0; j < 8; j++) t[j] = B[i][j]; A[i][0] = t[3]; }""",
    "at a place that is not affine, the same both times": """
        double t[64];
        for (int i = 0; i < n; i++) { t[x[i]] = A[i][0]; B[i][0] = t[x[i]] * t[x[i]]; }""",
}

SHARED = {
    "by a pointer that was set before": """
        double t[64], *p = t;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 64; j++) p[j] = A[i][j];
            for (int j = 0; j < 64; j++) B[i][j] = t[63 - j];
        }""",
    "not all of it is set before data chooses cells": """
        double t[64];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 63; j++) t[j] = 0;
            t[x[i]] += 1;
            B[i][0] = t[3];
        }""",
    "all of it is set, but sometimes": """
        double t[64];
        for (int i = 0; i < n; i++) {
            if (x[i] > 3) for (int j = 0; j < 64; j++) t[j] = 0;
            t[x[i + n]] += 1;
            B[i][0] = t[3];
        }""",
    "one element too few is written": """
        double t[64];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 63; j++) t[j] = A[i][j];
            for (int j = 0; j < 64; j++) B[i][j] = t[j];
        }""",
    "the write is conditional": """
        double t[64];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 64; j++) if (A[i][j] > 0) t[j] = A[i][j];
            for (int j = 0; j < 64; j++) B[i][j] = t[j];
        }""",
    "written in the other branch": """
        double t[2] = {0};
        for (int i = 0; i < n; i++)
            if (x[i] > 0) { t[0] = A[i][0]; } else { B[i][0] = t[0]; }""",
    "written in another case": """
        double t[2] = {0};
        for (int i = 0; i < n; i++)
            switch (x[i]) { case 0: t[0] = A[i][0]; break; case 1: B[i][0] = t[0]; }""",
    "read before it is written": """
        double t[64] = {0};
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 64; j++) B[i][j] = t[j];
            for (int j = 0; j < 64; j++) t[j] = A[i][j];
        }""",
    "read in the same sweep, one ahead": """
        double t[65] = {0};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 64; j++) { t[j] = A[i][j]; B[i][j] = t[j + 1]; }""",
    "the inner loop may be shorter": """
        double t[64] = {0};
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) t[j] = A[i][j];
            for (int j = 0; j < n; j++) B[i][j] = t[j];
        }""",
    "the writing loop is left early": """
        double t[64] = {0};
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 64; j++) { if (A[i][j] < 0) break; t[j] = A[i][j]; }
            for (int j = 0; j < 64; j++) B[i][j] = t[j];
        }""",
    "the writing loop is no counted one": """
        double t[64] = {0};
        for (int i = 0; i < n; i++) {
            int j = 0;
            while (j < 64 && A[i][j] > 0) { t[j] = A[i][j]; j++; }
            for (int k = 0; k < 64; k++) B[i][k] = t[k];
        }""",
    "at a place that moves in between": """
        double t[64] = {0};
        for (int i = 0; i < n; i++) { t[x[i]] = A[i][0]; x[i]++; B[i][0] = t[x[i]]; }""",
    "a member that nobody writes": """
        struct { double a, b; } t = {0};
        for (int i = 0; i < n; i++) { t.a = A[i][0]; B[i][0] = t.b; t.b = t.a; }""",
    "a pointer to it is passed on": """
        double t[4]; void keep(double *);
        keep(t);
        for (int i = 0; i < n; i++) { t[0] = A[i][0]; B[i][0] = t[0]; keep(0); }""",
    "the last content is needed, and iterations write different parts": """
        double t[64] = {0};
        for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) t[j] = A[i][j]; B[i][0] = i ? t[0] : 0; }
        for (int j = 0; j < 64; j++) A[0][j] = t[j];""",
}


@pytest.mark.parametrize("name", PRIVATE)
def test_array_is_private(name: str) -> None:
    found = loop(f"{HEAD} {{ {PRIVATE[name]} }}")
    assert found.verdict.is_parallel, found.reasons
    assert found.private == ("t",)
    assert found.openmp or name == "a structure", found.openmp_obstacle


@pytest.mark.parametrize("name", SHARED)
def test_array_is_not_private(name: str) -> None:
    found = loop(f"{HEAD} {{ {SHARED[name]} }}")
    assert not found.verdict.is_parallel
    assert found.reasons


def test_pointers_that_are_set_inside_lead_to_the_copy() -> None:
    """(What else they may have been given to is not looked at, so that the last content is kept.)"""
    found = loop(f"""{HEAD} {{
        double t[64];
        for (int i = 0; i < n; i++) {{
            double *p = t, *q = p + 32;
            for (int j = 0; j < 32; j++) {{ p[j] = A[i][j]; q[j] = 1; }}
            for (int j = 0; j < 64; j++) B[i][j] = t[63 - j];
        }} }}""")
    assert found.verdict.is_parallel and found.openmp and found.lastprivate == ("t",)


def test_pointers_that_are_kept_are_not_to_the_copy() -> None:
    found = loop(f"""static double *kept[99]; {HEAD} {{
        double t[64];
        for (int i = 0; i < n; i++) {{
            double *p = t;
            for (int j = 0; j < 64; j++) p[j] = A[i][j];
            kept[i] = p;
        }} }}""")
    assert not (found.verdict.is_parallel and found.openmp)


def test_last_content_of_an_array_comes_from_the_last_iteration() -> None:
    body = """
        double t[8];
        for (int i = 0; i < n; i++) { for (int j = 0; j < 8; j++) t[j] = A[i][j]; B[i][0] = t[3]; }
        A[0][0] = t[5];"""
    found = loop(f"{HEAD} {{ {body} }}")
    assert found.verdict.is_parallel and found.lastprivate == ("t",) and found.openmp


def test_openmp_is_not_asked_for_the_rest_of_an_array() -> None:
    """`lastprivate` copies all of it, what no iteration wrote included."""
    body = """
        double t[8] = {0};
        for (int i = 0; i < n; i++) { for (int j = 0; j < 7; j++) t[j] = A[i][j]; B[i][0] = t[3]; }
        A[0][0] = t[7];"""
    found = loop(f"{HEAD} {{ {body} }}")
    assert found.verdict.is_parallel and not found.openmp


@pytest.mark.parametrize("storage", ["static ", ""])
def test_array_of_the_file_may_be_private(storage: str) -> None:
    """A static one where no function reads what others left; any other file may read an external one."""
    text = f"""{storage}double t[8];
        {HEAD} {{ for (int i = 0; i < n; i++) {{ for (int j = 0; j < i; j++) t[j] = A[i][j];
                                                 for (int j = 0; j < i; j++) B[i][j] = t[j]; }} }}
        void g(double *restrict p) {{ for (int i = 0; i < 8; i++) {{ t[0] = p[i]; p[i] = t[0] * t[0]; }} }}"""
    assert loop(text).verdict.is_parallel == bool(storage)


def test_array_of_the_file_that_another_function_reads() -> None:
    text = f"""static double t[8];
        {HEAD} {{ for (int i = 0; i < n; i++) {{ for (int j = 0; j < i; j++) t[j] = A[i][j];
                                                 for (int j = 0; j < i; j++) B[i][j] = t[j]; }} }}
        double g(void) {{ return t[0]; }}"""
    assert not loop(text).verdict.is_parallel


CONDITIONAL = {
    "the last that is found": "int k = -1; for (int i = 0; i < n; i++) if (x[i] > m) k = i; x[0] = k;",
    "a flag": "int k = 0; for (int i = 0; i < n; i++) if (x[i] == m) k = 1; x[0] = k;",
}


@pytest.mark.parametrize("name", CONDITIONAL)
def test_value_of_the_last_assignment(name: str) -> None:
    found = loop(f"{HEAD} {{ {CONDITIONAL[name]} }}")
    assert found.verdict.is_parallel and found.lastprivate_conditional == ("k",) and found.openmp


ARGUMENTS = {
    "first": ("if (x[i] > best) { best = x[i]; k = i; }", "argmax", "first"),
    "last": ("if (x[i] >= best) { k = i; best = x[i]; }", "argmax", "last"),
    "least": ("if (best > x[i]) { best = x[i]; k = i; }", "argmin", "first"),
    "through a copy": ("int v = x[i] - m; if (v < best) { best = v; k = i + 1; }", "argmin", "first"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_place_of_the_extreme(name: str) -> None:
    body, operator, keeps = ARGUMENTS[name]
    found = loop(
        f"int f(int n, int m, int *x) {{ int best = x[0], k = 0; for (int i = 0; i < n; i++) {{ {body} }} "
        "return best + k; }"
    )
    assert found.verdict.is_parallel, found.reasons
    (reduction,) = found.reductions
    assert (reduction.operator, reduction.variable, reduction.with_it) == (operator, "best", ("k",))
    assert reduction.keeps == keeps
    assert not found.openmp and found.kernel  # accelerators have a skeleton for it


def test_place_of_the_extreme_without_its_value() -> None:
    found = loop(
        "int f(int n, double *x) { int k = 0; for (int i = 1; i < n; i++) if (x[i] < x[k]) k = i; return k; }"
    )
    assert found.verdict.is_parallel
    assert (found.reductions[0].operator, found.reductions[0].variable) == ("argmin", "k")


NO_EXTREMES = {
    "the place is counted on": "if (x[i] > best) { best = x[i]; k = k + 1; }",
    "the place is used": "if (x[i] > best) { best = x[i]; k = i; } x[i] = k;",
    "another value is kept": "if (x[i] > best) { best = x[i] - 1; k = i; }",
    "two such statements": "if (x[i] > best) { best = x[i]; k = i; } if (m > best) { best = m; k = 0; }",
    "an else": "if (x[i] > best) { best = x[i]; k = i; } else k = 0;",
    "the value depends on the place": "if (x[k] > best) { best = x[k]; k = i; }",
    "neither here nor there": "if (x[i] > best) { k = i; }",
    "the value is changed elsewhere": "if (x[i] > best) { best = x[i]; k = i; } best--;",
    "the element is written": "if (x[i] > x[k]) { k = i; } x[i] = 0;",
}


@pytest.mark.parametrize("name", NO_EXTREMES)
def test_no_place_of_an_extreme(name: str) -> None:
    found = loop(
        f"int f(int n, int m, int *x) {{ int best = x[0], k = 0; for (int i = 0; i < n; i++) "
        f"{{ {NO_EXTREMES[name]} }} return best + k; }}"
    )
    if name == "neither here nor there":  # nothing is carried: `best` does not change
        assert found.verdict.is_parallel and not found.reductions
    else:
        assert not found.verdict.is_parallel


def test_rows_are_compared_in_one_column_only() -> None:
    text = """int f(int n, double M[9][9]) { int z = 0;
        for (int j = 0; j < 9; j++) for (int i = 1; i < 9; i++) if (M[i][j] > M[z][j]) z = i;
        return z; }"""
    assert not loop(text).verdict.is_parallel
    assert loop(text, "f/1.1").verdict.is_parallel


def test_place_depends_on_the_order_where_the_value_is_rounded() -> None:
    text = """int f(int n, double *x) { float best = 0; int k = 0;
        for (int i = 0; i < n; i++) if (x[i] > best) { best = x[i]; k = i; } return k; }"""
    assert not loop(text).verdict.is_parallel


PROGRAM = """
#include <stdio.h>
static double A[64][64], B[64][64];
int main(void) {
    double t[64]; int last = -1, never = 7;
    for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) A[i][j] = (i * 37 + j * 11) % 23 - 9;
    for (int i = 0; i < 64; i++) {
        t[0] = A[i][0];
        for (int j = 1; j < 64; j++) t[j] = t[j - 1] + A[i][j];
        for (int j = 0; j < 64; j++) B[i][j] = t[63 - j];
        if (t[63] > 20) last = i;
        if (t[63] > 1e9) never = i;
    }
    double sum = 0;
    for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) sum += B[i][j] * (i - j);
    printf("%.1f %.1f %d %d\\n", sum, t[40], last, never);
    return 0;
}
"""


def test_openmp_program_with_private_arrays_gives_the_same(tmp_path: Path) -> None:
    marked = annotate(PROGRAM, facts_of(PROGRAM), AnnotateOptions(style="openmp"))
    assert "lastprivate(t)" in marked and "lastprivate(conditional: last)" in marked
    outputs = []
    for name, text, flags in (("plain", PROGRAM, ()), ("marked", marked, ("-fopenmp", "-Wall", "-Werror"))):
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        subprocess.run(["gcc", *flags, str(source), "-o", str(tmp_path / name)], check=True)
        environment = {"OMP_NUM_THREADS": "4"}
        run = subprocess.run([tmp_path / name], env=environment, check=True, capture_output=True, text=True)
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1]


def test_members_of_one_structure_are_reductions_of_their_own() -> None:
    text = """struct P { int x, y; } low, high;
        void f(int n, const struct P *restrict p) { for (int i = 0; i < n; i++) {
            if (p[i].x < low.x) low.x = p[i].x;
            if (p[i].y < low.y) low.y = p[i].y;
            high.x += p[i].x; } }"""
    found = loop(text)
    assert found.verdict.is_parallel, found.reasons
    assert {(r.operator, r.variable) for r in found.reductions} == {
        ("min", "low.x"),
        ("min", "low.y"),
        ("+", "high.x"),
    }


def test_one_member_is_a_reduction_and_another_is_not() -> None:
    text = """struct P { int x, y; } low;
        void f(int n, struct P *restrict p) { for (int i = 0; i < n; i++) {
            low.x += p[i].x; p[i].y = low.y; low.y = p[i].x; } }"""
    assert not loop(text).verdict.is_parallel


ALLOCATIONS = {
    "declared inside": ("double *t = malloc(m * sizeof *t); USE; free(t);", True),
    "declared outside": ("u = malloc(m * sizeof *u); u[0] = A[i][0]; B[i][0] = u[0]; free(u);", True),
    "zeroed": ("double *t = calloc(m, sizeof *t); USE; free(t);", True),
    "rows": ("rows[i] = malloc(m * sizeof(double));", True),
    "freed, nobody knows what": ("free(rows[i]);", False),
    "allocated once": ("if (i == 0) u = malloc(8); u[0] = A[i][0]; B[i][0] = u[0];", False),
    "kept by somebody": ("double *t = malloc(m * sizeof *t); rows[0] = t; USE; B[i][1] = rows[0][0];", False),
    "freed and used again": ("free(u); u = malloc(8); u[0] = A[i][0];", False),
    "the old one is read": ("B[i][0] = u[0]; u = malloc(8); u[0] = A[i][0];", False),
}


@pytest.mark.parametrize("name", ALLOCATIONS)
def test_memory_that_every_iteration_allocates(name: str) -> None:
    body, expected = ALLOCATIONS[name]
    use = "for (int j = 0; j < m; j++) t[j] = A[i][j]; B[i][0] = t[m - 1]"
    text = f"""#include <stdlib.h>
        void f(int n, int m, double (*restrict A)[64], double (*restrict B)[64], double **restrict rows) {{
        double *u; for (int i = 0; i < n; i++) {{ {body.replace("USE", use)} }} }}"""
    found = loop(text)
    assert found.verdict.is_parallel == expected, found.reasons
    assert not expected or not found.kernel or found.kernel.obstacles


EXTREMES = {
    "a function": ("double larger(double a, double b) { return a > b ? a : b; }", "s = larger(s, x[i]);"),
    "with if": (
        "double larger(double a, double b) { if (b > a) return b; return a; }",
        "s = larger(x[i], s);",
    ),
    "under a condition": ("", "if (x[i] > 3 && x[i] > s) s = x[i];"),
    "the other way round": ("", "if (s < x[i] && i % 2) s = x[i];"),
}
NO_MAXIMA = {
    "not what is compared": (
        "double f1(double a, double b) { return a > b ? a + 1 : b; }",
        "s = f1(s, x[i]);",
    ),
    "the less, then the greater": (
        "double f1(double a, double b) { return a > b ? b : b; }",
        "s = f1(s, x[i]);",
    ),
    "rounded": ("float f1(float a, float b) { return a > b ? a : b; }", "s = f1(s, x[i]);"),
    "something besides": (
        "int k; double f1(double a, double b) { k = k * 2; return a > b ? a : b; }",
        "s = f1(s, x[i]);",
    ),
    "the condition knows the extreme": ("", "if (s < 100 && x[i] > s) s = x[i];"),
    "or": ("", "if (x[i] > s || i == 3) s = x[i];"),
}


@pytest.mark.parametrize("name", [*EXTREMES, *NO_MAXIMA])
def test_maximum_by_a_function_or_under_a_condition(name: str) -> None:
    function, body = {**EXTREMES, **NO_MAXIMA}[name]
    found = loop(f"""{function}
        double f(int n, const double *x) {{
            double s = 0; for (int i = 0; i < n; i++) {{ {body} }} return s; }}""")
    assert found.verdict.is_parallel == (name in EXTREMES), found.reasons
    assert not found.verdict.is_parallel or found.reductions[0].operator == "max"


@pytest.mark.parametrize("kind", ["unsigned", "unsigned long"])
def test_maximum_in_another_order(kind: str) -> None:
    """A negative target is the greatest of all to an unsigned comparison, but not to `reduction(max: s)`."""
    text = f"int f({kind} n, int s) {{ for ({kind} i = 0; i < n; i++) if (i > s) s = i; return s; }}"
    assert not loop(text).verdict.is_parallel
    text = text.replace("int s", f"{kind} s")
    assert loop(text).verdict.is_parallel


def test_place_of_the_extreme_has_a_type_of_its_own() -> None:
    text = """double y[100]; double f(unsigned n, const int *x) { int s = -1; double at = 0;
        if (n <= 100) for (unsigned i = 0; i < n; i++) if (x[i] > s) { s = x[i]; at = y[i]; }
        return at + s; }"""
    assert loop(text).reductions[0].with_it == ("at",)


def test_elements_of_reductions_are_named_as_before_the_loop() -> None:
    """There `i` is not yet 0, and `t` is something else."""
    text = """int g[8]; struct { int x; } s[4];
        void f(int n, int *restrict p, int k) { int i = 5, t = 7;
            for (i = 0; i < n; i += 2) g[i % 2] += i;
            for (i = 0; i < n; i += 2) s[i % 2].x += i;
            for (i = 0; i < n; i++) { t = k + 1; p[t] += i; }
            for (i = 0; i < n; i++) p[k] += i; }"""
    names = [found.reductions[0].variable for found in facts_of(text).loops]
    assert names == ["g[0]", "s[0].x", "p[(long)k+1]", "p[k]"]


def test_an_element_that_is_combined_is_not_read_under_another_name() -> None:
    """Only the iteration j = 0 can meet p[1] (i is 1 then), and it must see what it has just added."""
    text = """void f(int n, int *restrict p, int *restrict q) { for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j += 3) { p[i] += j + 1; q[j] = p[1]; } }"""
    assert not loop(text, "f/1.1").verdict.is_parallel
    text = """void f(int n, int *restrict p) { for (int i = 0; i < n; i++) p[0] += p[i + 1]; }"""
    assert loop(text).verdict.is_parallel


@pytest.mark.parametrize(
    ("declared", "body"),
    [
        ("struct { double a, b; } t;", "t.a = x[i]; y[i] = t.a;"),
        (
            "struct { double a, b; } t[3];",
            "for (int k = 0; k < 3; k++) t[k].a = x[i]; y[i] = t[1].a;",
        ),
    ],
)
def test_members_that_nobody_writes_stay_in_a_structure_that_is_kept(declared: str, body: str) -> None:
    """`lastprivate(t)` alone copies all members of the last thread's copy back."""
    loop = f"for (int i = 0; i < 9; i++) {{ {body} }}"
    loops = loops_of(f"{declared} double x[9], y[9]; void f(void) {{ {loop} }}")
    assert loops[0].firstprivate == loops[0].lastprivate == ("t",)
    assert "firstprivate(t) lastprivate(t)" in (parallel_for(loops[0], 1) or "")


RUNNING = {
    "a known number of iterations": "for (int j = 0; j < 3; j++) t = a[i][j];",
    "left early": "for (int j = 0; j < 3; j++) { t = a[i][j]; if (t > 3) break; }",
    "some at least": "for (int j = 0; j <= m * 0; j++) t = a[i][j];",
    "once at least": "int j = 0; do t = a[i][j]; while (++j < m);",
    "in a while": "int j = 0; while (j < 3) { t = a[i][j]; j++; }",
}
RESTING = {
    "none, perhaps": "for (int j = 0; j < m; j++) t = a[i][j];",
    "left before": "for (int j = 0; j < 3; j++) { if (a[i][j] > 3) break; t = a[i][j]; }",
    "skipped": "for (int j = 0; j < 3; j++) { if (a[i][j] > 3) continue; t = a[i][j]; }",
    "from a later one on": "for (int j = 3; j < i; j++) t = a[i][j];",
}


@pytest.mark.parametrize("name", [*RUNNING, *RESTING])
def test_what_an_inner_loop_writes(name: str) -> None:
    inner = (RUNNING | RESTING)[name]
    loop = loops_of(f"""double a[100][3], b[100]; double f(int m) {{ double t = 0;
        for (int i = 0; i < 100; i++) {{ {inner} b[i] = t; }} return t; }}""")[0]
    assert (loop.lastprivate == ("t",)) == (name in RUNNING)


def test_a_structure_that_every_iteration_overwrites() -> None:
    """Only the last iteration's content counts, as of any variable."""
    declared = "struct pair { double x, y; } p[100], last;"
    source = f"{declared} void f(void) {{ for (int i = 0; i < 100; i++) last = p[i]; }}"
    (found,) = facts_of(source).loops
    assert found.verdict.is_parallel and found.lastprivate == ("last",) and found.openmp
    some = source.replace("last = p[i]", "if (p[i].x > 0) last = p[i]")
    assert not facts_of(some).loops[0].verdict.is_parallel
