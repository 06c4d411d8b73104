"""The OpenMP pragma: the right clauses, and gcc takes every one of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from cuvier.pipeline.driver import unmarked
from species.annotate import AnnotateOptions, annotate, strip
from species.annotate.openmp import clauses, parallel_for
from species.core.positions import Span
from species.facts.loops import Linear, Reduction
from tests.support.analysing import facts_of, outermost
from tests.support.annotate_layouts import loop_facts, marked, unit

PLAIN = replace(loop_facts(0, Span(0, 1)), private=(), reductions=())
SUM, PEAK = Reduction("+", "s"), Reduction("max", "m")

CLAUSES: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"private": ("t", "u")}, " private(t, u)"),
    ({"private": ("t", "u", "t"), "lastprivate": ("u",)}, " private(t) firstprivate(u) lastprivate(u)"),
    ({"firstprivate": ("u",), "lastprivate": ("u",)}, " firstprivate(u) lastprivate(u)"),
    ({"private": ("s", "t"), "reductions": (SUM,)}, " private(t) reduction(+:s)"),
    ({"lastprivate": ("y",), "reductions": (Reduction("+", "y[0:n]"),)}, " reduction(+:y[0:n])"),
    (
        {"reductions": (SUM, PEAK, Reduction("+", "q[i][j]"), SUM)},
        " reduction(+:s, q[i:1][j:1]) reduction(max:m)",
    ),
    ({"reductions": (SUM, Reduction("*", "s"))}, " reduction(+:s)"),
    ({"linear": (Linear("k", "2 * val"),)}, " linear(k:2 * val)"),
    ({"linear": (Linear("k", "val"), Linear("u", "step(2)"))}, " linear(k:(val)) linear(u:(step(2)))"),
    ({"conditions": ("n > 0",)}, " if(n > 0)"),
    ({"conditions": ("n > 0", "p + n <= q ||\n  q + n <= p")}, " if((n > 0) && (p + n <= q || q + n <= p))"),
]


@pytest.mark.parametrize(("changes", "clauses"), CLAUSES)
def test_clauses(changes: dict[str, Any], clauses: str) -> None:
    assert parallel_for(replace(PLAIN, **changes), collapse=1) == f"#pragma omp parallel for{clauses}"


def test_clauses_come_in_one_order() -> None:
    loop = replace(
        PLAIN, private=("t",), firstprivate=("k",), lastprivate=("l",), reductions=(SUM,), conditions=("c",)
    )
    assert parallel_for(loop, collapse=2) == (
        "#pragma omp parallel for private(t) firstprivate(k, l) lastprivate(l)"
        " reduction(+:s) collapse(2) if(c)"
    )


@pytest.mark.parametrize(
    "changes", [{"kind": "while"}, {"private": ("p->x",)}, {"reductions": (Reduction("+", "s.x"),)}]
)
def test_what_openmp_cannot_say(changes: dict[str, Any]) -> None:
    assert parallel_for(replace(PLAIN, **changes), collapse=1) is None


def test_a_pragma_between_the_loops_keeps_them_apart() -> None:
    text, facts = marked("«for (i = 0; i < n; i++)\n«for (j = 0; j < n; j++)\n;»»\n")
    facts = unit(replace(facts.loops[0], collapse=2), facts.loops[1])
    openmp = AnnotateOptions("openmp")
    assert "collapse(2)" in annotate(text, facts, openmp)
    hinted, moved = marked("«for (i = 0; i < n; i++)\n#pragma GCC ivdep\n«for (j = 0; j < n; j++)\n;»»\n")
    moved = unit(replace(moved.loops[0], collapse=2), moved.loops[1])
    assert "collapse" not in annotate(hinted, moved, openmp)


SOURCE = """void f(int n, int c, double *a, double *p, double q[n][n], double *y) {
  int i, j, k = 1, l = 2;
  double s = 0, t, u = 0, m = 0;
  if (c) «for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) { t = a[i]; u = t; s += t; m = a[i] > m ? a[i] : m; q[k][l] += t; y[j] += t; }
  }» else «for (i = 0; i < n; i++) a[i] = p[i] + k;»
  a[0] = s + u + m + l; switch (c) { case 1: «for (i = 0; i < n; i++)
#pragma GCC unroll 2
      for (j = 0; j < n; j++) q[i][j] = 0;» default:; }
  do «for (i = 0; i < n; i++) for (j = 0; j < n; j++) q[i][j] = 1;» while (--c);
  l: «for (i = n; i > 0; i -= 2) k = i;»
  if (k < c) goto l;
}
"""
FACTS: list[dict[str, Any]] = [
    {
        "private": ("j", "t"),
        "lastprivate": ("u",),
        "reductions": (SUM, PEAK, Reduction("+", "q[k][l]"), Reduction("+", "y[0:n]")),
        "conditions": ("n > 0", "a + n <= y || y + n <= a"),
    },
    {"firstprivate": ("k",), "conditions": ("a + n <= p || p + n <= a",)},
    {"private": ("j",), "collapse": 2},
    {"private": ("j",), "collapse": 2},
    {"firstprivate": ("k",), "lastprivate": ("k",)},
]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_gcc_compiles_every_clause() -> None:
    text, facts = marked(SOURCE)
    bare = (replace(loop, private=(), reductions=()) for loop in facts.loops)
    loops = [replace(loop, **changes) for loop, changes in zip(bare, FACTS, strict=True)]
    annotated = annotate(text, unit(*loops), AnnotateOptions("openmp"))
    assert annotated.count("#pragma omp parallel for") == 5
    assert strip(annotated) == text
    flags = ["-fopenmp", "-Wall", "-Werror=unknown-pragmas", "-O1", "-c", "-o", "/dev/null"]
    done = subprocess.run(["gcc", "-x", "c", *flags, "-"], input=annotated, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


SUMS = """double a[100][100], y[100], m;
int k;
double f(void) {
  double s = 0;
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++)
      y[j] += a[i][j];
  for (int i = 0; i < 100; i++)
    s += y[i];
  for (int i = 0; i < 100; i++) {
    m = m > y[i] ? m : y[i];
    k += y[i] > 3;
  }
  return s;
}
"""


@pytest.mark.parametrize(
    ("strict", "pragmas"),
    [
        (False, ["reduction(+:y[0:100])", "reduction(+:s)", "reduction(max:m) reduction(+:k)"]),
        (True, ["", "reduction(max:m) reduction(+:k)"]),  # over j, every sum has its order
    ],
)
def test_strict_fp_keeps_the_order_of_sums(strict: bool, pragmas: list[str]) -> None:
    options = AnnotateOptions("openmp", strict_fp=strict)
    found = re.findall(r"#pragma omp parallel for ?(.*?) ?/\*", annotate(SUMS, facts_of(SUMS), options))
    assert found == pragmas


def test_strict_fp_says_what_it_leaves_out() -> None:
    notes = [note.message for note in unmarked(facts_of(SUMS), AnnotateOptions("openmp", strict_fp=True))]
    why = "parallel, but not marked: threads would add up '{}' in another order (--strict-fp)"
    assert notes == [why.format("y[0:100]"), why.format("s")]


@pytest.mark.parametrize(
    ("header", "marked"),
    [
        ("for (unsigned long i = 0; i != n; i++)", True),
        ("for (int i = low; i != high; i++)", True),
        ("for (unsigned long i = n; i != 0; i--)", False),  # OpenMP counts from 0 - n, which wraps around
        ("for (int i = 0; i != 100; i += 2)", False),  # a step of one is what OpenMP 5.0 asks for
    ],
)
def test_headers_that_say_unequal(header: str, marked: bool) -> None:
    parameters = "unsigned long n, int low, int high, double *restrict a"
    source = f"void f({parameters}) {{ {header} a[i] = 1; }}"
    (found,) = facts_of(source).loops
    assert found.verdict.is_parallel and found.openmp == marked


@pytest.mark.parametrize(
    ("inner", "is_uneven"),
    [
        ("for (int j = i; j < n; j++) s += a[j];", True),
        ("for (int j = 0; j < 2 * i + 1; j++) s += a[j];", True),
        ("for (int j = i; j < i + 5; j++) s += a[j];", False),
        ("for (int j = 0; j < n; j++) s += a[j];", False),
        ("for (int j = 0; j < i % 4; j++) s += a[j];", False),
        ("for (int j = i; j < n; j++) s += j; for (int j = 0; j < n; j++) s += a[j];", True),
    ],
)
def test_threads_share_triangles_row_by_row(inner: str, is_uneven: bool) -> None:
    head = "void f(const double *restrict a, double *restrict b, int n) {"
    loop = outermost(f"{head} for (int i = 0; i < n; i++) {{ double s = 0; {inner} b[i] = s; }} }}")
    assert ("schedule(static, 1)" in clauses(loop, 1)) == is_uneven
    assert "schedule(static, 1)" not in clauses(loop, 2)
