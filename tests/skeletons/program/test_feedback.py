"""Loops that are entered again and again: which of them are measured, and what comes of it."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from skeletons import Library
from skeletons.catalogue.rendering import render
from skeletons.select.feedback import SHARE
from tests.filters.fuzz import compare
from tests.skeletons.catalogue.test_with import compiled

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
MEASURED = {
    "cells": "for (int i = 0; i < n; i++) a[i] = a[i] * 0.5 + root(b[i]);",
    "structures": "for (int i = 0; i < n; i++) { p[i].v += root(p[i].x); p[i].hit++; }",
    "a function of the file": "for (int i = 0; i < n; i++) a[i] = heavy(b[i]);",
    "counts": "for (int i = 0; i < n; i++) count += root(root(root(b[i]))) > 0.7; b[t] += count % 2;",
    "without braces": "if (t > 3) for (int i = 0; i < n; i++) a[i] = root(b[i] + t); else b[t] = 1;",
    "an iterator that is kept": "int i; for (i = 0; i < n; i++) a[i] = root(b[i] + t); b[0] = i;",
    "downward": "for (int i = n - 1; i >= 0; i--) a[i] = root(b[i] + i);",
}
NOT = {
    "a sum that is rounded": "for (int i = 0; i < n; i++) sum += root(b[i]);",
    "names of the user's": "int cuvier_trial = t; for (int i = 0; i < n; i++) a[i] = root(b[i] + cuvier_trial);",
}


def program(loop: str, times: int = 300) -> str:
    return f"""#define root(x) ((x) / (3.5 + (x)) + 1 / (1.5 + (x)) - (x) / (7.0 + (x) * (x)))
#include <stdio.h>
#include <stdlib.h>
struct part {{ double x, v; int hit; }};
static double a[9000], b[9000], g[300][40]; static struct part p[9000]; static long count; static double sum;
static double heavy(double x) {{ for (int k = 0; k < 9; k++) x = root(x + k); return x; }}
int main(int argc, char **argv) {{
  int n = 99 * atoi(argv[argc - 1]); (void)heavy; (void)g; (void)p;
  for (int i = 0; i < 9000; i++) {{ b[i] = i % 31; p[i].x = i % 13; }}
  for (int t = 0; t < {times}; t++) {{
    {loop}
  }}
  double s = 0;
  for (int i = 0; i < 9000; i++) s = s * 0.5 + a[i] + p[i].v + p[i].hit + g[i % 300][i % 40] + b[i];
  printf("%.12g %ld %.6g\\n", s, count, sum);
  return 0;
}}
"""


def text_of(loop: str, *wanted: str, times: int = 300, without: tuple[str, ...] = ()) -> str:
    return compiled(program(loop, times), "openmp", *wanted, without=frozenset(without)).files["p.c"]


@pytest.mark.parametrize("name", MEASURED)
def test_short_loops_are_measured(name: str) -> None:
    loop = MEASURED[name]
    assert f"{SHARE}(&trial" in text_of(loop)
    assert f"{SHARE}(&" not in text_of(loop, without=("feedback",))
    assert f"{SHARE}(&" not in text_of(loop, times=3)
    assert f"{SHARE}(&" not in text_of(loop, "deterministic")


@pytest.mark.parametrize("name", NOT)
def test_others_are_not(name: str) -> None:
    found = text_of(NOT[name])
    assert "#pragma omp parallel for" in found and f"{SHARE}(&" not in found


NESTS = """static double b[300][300], c[300][300]; static double a[300][300];
static void step(void) {
  for (int i = 1; i < 299; i++) for (int j = 1; j < 299; j++) b[i][j] = (a[i][j] + a[i - 1][j]) / (1.5 + a[i][j - 1]);
  for (int j = 1; j < 299; j++) for (int i = 1; i < 299; i++) c[i][j] = b[i][j] * 0.5 + a[i][j] / (2.5 + b[i][j]); }
double f(void) { for (int t = 0; t < 900; t++) { step(); a[t % 300][t % 7 + 1] = c[t % 300][3] + t; } return c[5][5]; }
"""


def test_nests_are_measured_and_one_thread_has_them_in_order() -> None:
    text = compiled(NESTS).files["p.c"]
    assert f"if ((cuvier_threads() == 1 || {SHARE}(&trial, 1.0 * (298) * (298)))) {{" in text
    assert text.count("static inline int cuvier_threads(void)") == 1


def test_functions_that_are_inline_for_all_files_have_no_static_variables() -> None:
    function = "KIND void half(double *a, int n) { for (int i = 0; i < n; i++) a[i] = a[i] / (1.5 + a[i]); }"
    text = f"{function} void f(double *a, int n) {{ for (int t = 0; t < 900; t++) half(a, n); }}"
    assert f"{SHARE}(&" in compiled(text.replace("KIND", "static inline")).files["p.c"]
    assert f"{SHARE}(&" not in compiled(text.replace("KIND", "inline")).files["p.c"]


@needs_gcc
def test_programs_print_the_same(tmp_path: Path) -> None:
    loops = "\n".join(f"    {{ {loop} }}" for loop in MEASURED.values())
    assert compare(program(loops), tmp_path, "openmp", strict_fp=False)


# What entries take is made up here: `cost` says it of the k-th, with threads or without.
SIMULATED = """#include <omp.h>
#include <stdio.h>
static double now;
static double told(void) { return now; }
#define omp_get_wtime() told()
#define omp_get_max_threads() 4
HELPER
static unsigned seed = 7;
static double chance(void) { seed = seed * 1103515245u + 12345u; return (seed >> 16 & 1023) / 1024.0; }
int main(void) {
  cuvier_trial trial = {0}; int entries = 20000, threads[4] = {0};
  for (int k = 0; k < entries; k++) {
    double trips = 100 + k % 3, alone = trips * 1e-6 * ALONE, shared = trips * 1e-6 * SHARED;
    now += 1e-7;
    int way = cuvier_share(&trial, trips);
    now += way ? shared : alone;
    cuvier_shared(&trial);
    threads[k * 4 / entries] += way;
  }
  printf("%d %d %d %d\\n", threads[0], threads[1], threads[2], threads[3]);
  return 0; }
"""
COSTS = {
    "threads are faster": ("1.0", "0.6", (0.97, 1.0), (0.99, 1.0)),
    "threads are slower": ("1.0", "1.2", (0.0, 0.03), (0.0, 0.01)),
    "others use the machine": ("1.0", "(chance() < 0.3 ? 40.0 : 0.6)", (0.0, 0.03), (0.0, 0.01)),
    "others use it for all": (
        "(chance() < 0.01 ? 40.0 : 1.0)",
        "(chance() < 0.5 ? 80.0 : 0.6)",
        (0.0, 0.03),
        (0.0, 0.01),
    ),
    "threads become faster": ("1.0", "(k < 10000 ? 1.2 : 0.6)", (0.0, 0.03), (0.9, 1.0)),
    "threads become slower": ("1.0", "(k < 10000 ? 0.6 : 3.0)", (0.97, 1.0), (0.0, 0.03)),
    "loops take long": ("4000.0", "1000.0", (0.99, 1.0), (0.999, 1.0)),
    "now and then there is a long one": (
        "1.0",
        "(chance() < 0.001 ? 40.0 : 0.6)",
        (0.9, 1.0),
        (0.9, 1.0),
    ),
}


@needs_gcc
@pytest.mark.parametrize("name", COSTS)
def test_the_faster_way_is_taken(name: str, tmp_path: Path) -> None:
    alone, shared, first, last = COSTS[name]
    target = Library.load().target("openmp")
    helper = render("trial.c.j2", target.folder, "openmp", name=SHARE)
    text = SIMULATED.replace("HELPER", helper.replace("#include <omp.h>", ""))
    (tmp_path / "p.c").write_text(text.replace("ALONE", alone).replace("SHARED", shared))
    command = ["gcc", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fopenmp", "p.c", "-o", "p"]
    subprocess.run(command, cwd=tmp_path, check=True)
    run = subprocess.run(["./p"], cwd=tmp_path, check=True, capture_output=True, text=True)
    shares = [int(part) / 5000 for part in run.stdout.split()]
    assert first[0] <= shares[0] <= first[1], shares
    assert last[0] <= shares[3] <= last[1], shares
