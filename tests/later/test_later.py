"""Loops with statements that are put off: which, what is noted of them, and what stays as it is."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library
from skeletons.catalogue.passes import DECOUPLE, LATER, THRESHOLD
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.filters.fuzz import compare
from tests.later.generator import program
from tests.support.analysing import loops_of

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")

HEAD = """#include <stdio.h>
#include <stdlib.h>
typedef struct { int a; double b; } item;
typedef struct { char *s; int a; } named;
typedef struct { item *at; int n, room; } list;
static double work(double x) { double s = 0; for (int k = 0; k < 9; k++) s += x * k; return s; }
static void push(list *l, item it) {
  if (l->n == l->room) {
    l->room = 2 * l->room + 8; l->at = realloc(l->at, l->room * sizeof *l->at);
    if (!l->at) { perror("push"); exit(1); } }
  l->at[l->n++] = it; }
static void pushed(list *l, int a, double b) { item it = { a, b }; push(l, it); }
static void take(list *l, const item *it) { push(l, *it); }
static void call(list *l, const char *s) { pushed(l, s[0], 1); }
static list all; static int rounds;
void unknown(double);
"""
LOOP = "for (int i = 0; i < n; i++)"
INNER = "for (int j = 0; j < m; j++)"
F = "void f(const double *x, int n, int m)"


def each(*body: str) -> str:
    """A function with a loop."""
    return f"{F} {{ {LOOP} {{ {' '.join(body)} }} }}"


# What is noted of the statements that are put off.
TAKEN = {
    "a list that grows": (f"{F} {{ {LOOP} {INNER} if (work(x[i] + j) > 2) pushed(&all, i, x[j]); }}", {"j"}),
    "growth in the loop": (
        f"""long f(int n) {{ int *v = NULL, len = 0, room = 0; {LOOP} {{ if (work(i) > 3) {{
        if (len == room) {{ room += 64; v = realloc(v, room * sizeof *v); if (!v) exit(1); }}
        v[len++] = i; }} }} long s = len ? v[len - 1] : 0; free(v); return s; }}""",
        set(),
    ),
    "output in an inner loop": (
        f'{F} {{ {LOOP} {INNER} {{ double v = work(x[i] * j); printf("%f", v); }} }}',
        {"v"},
    ),
    "a structure": (
        f"{F} {{ {LOOP} {INNER} {{ item t = {{ j, work(x[i]) }}; if (j & 1) push(&all, t); }} }}",
        {"t"},
    ),
    "a structure's address": (
        each("item t = { i, 0 };", INNER, "t.b = t.b / 2 + work(x[j]); if (t.b > 2) take(&all, &t);"),
        {"t"},
    ),
    "a pointer to elsewhere": (
        f"{F} {{ {LOOP} {INNER} {{ const double *p = x + j; if (work(*p) > i) pushed(&all, j, *p); }} }}",
        {"j", "p"},
    ),
    "iterations that end early": (
        each("if (x[i] < 0) continue;", INNER, "{ if (work(x[j]) > i) break; pushed(&all, i, 1); }"),
        set(),
    ),
    "a recurrence in a branch": (
        f"int f(const double *x, int n, int m) {{ int s = 0; {LOOP} {INNER} {{ double v = work(x[j]);"
        " if (v > i) s = s * 3 + 1; } return s; }",
        set(),
    ),
    "temporaries from outside": (
        f"{F} {{ double v; int j; {LOOP} for (j = 0; j < m; j++) {{"
        " v = work(x[j]); if (v > 2) pushed(&all, i, v); } }",
        {"v"},
    ),
    "in a function": (
        f"""static int near(const double *x, int i, int m, list *l) {{ int c = 0; if (i == 3) return 0;
        for (int j = 0; j < m; j++) if (work(x[j]) > i) {{ pushed(l, j, x[i]); c++; }} return c; }}
        int f(const double *x, int n, int m) {{ int c = 0; {LOOP} c += near(x, i, m, &all); return c; }}""",
        {"i", "j", "l", "x"},
    ),
    "two kinds": (
        each(INNER, '{ double v = work(x[j]); if (v > 2) pushed(&all, i, v); else printf("%d", j); }'),
        {"v", "j"},
    ),
}
STAYING = {
    "the list is read": f"{F} {{ {LOOP} {INNER} if (work(x[i]) > all.n) pushed(&all, i, x[j]); }}",
    "the bound is what grows": (
        "void f(int n) { for (int i = 0; i < all.n; i++) if (work(i) > n) pushed(&all, i, 1); }"
    ),
    "an array of the iteration": (
        f"{F} {{ {LOOP} {{ char s[8]; {INNER} s[j & 7] = (char)work(x[j]); call(&all, s); }} }}"
    ),
    "a pointer to what an iteration has": (
        each("item t = { 0, work(x[i]) }, *p = m ? &t : NULL;", INNER, "if (p) take(&all, p);")
    ),
    "a structure that leads to what an iteration has": (
        each("char s[8] = { (char)work(x[i]) }; named t = { s, 1 }; if (m) call(&all, t.s);")
    ),
    "it ends the loop": each("if (work(x[i]) > 3) { pushed(&all, i, 1); if (all.n > m) break; }"),
    "anything may be called": f"{F} {{ {LOOP} {{ if (work(x[i]) > 3) unknown(x[i]); }} }}",
    "all of it": f"{F} {{ (void)m; (void)x; {LOOP} rounds = rounds * 3 + i; }}",
    "what is noted changes": (
        f"int f(const double *x, int n) {{ int s = 1; {LOOP} {{ int t = (int)work(x[i]);"
        " if (t) { s = s * 3 + t; t = s; } rounds += t; } return s; }"
    ),
    "a variable of the file": (
        f"static double now; static void tell(void) {{ pushed(&all, 1, now); }}"
        f"{F} {{ {LOOP} {{ now = work(x[i]); if (m) tell(); }} }}"
    ),
    "both branches": (
        "void f(int *t, const int *x, int n, int m) { for (int i = 1; i < n; i++) for (int j = 1; j < m; j++)"
        " if (x[i] > x[j]) t[j] = t[j - 1] + 1; else t[j] += t[j - 1]; }"
    ),
    "names that mean something else here": (
        "static void tell(double v) { for (int j = 0; j < 9; j++) v += work(j); pushed(&all, 1, v); }"
        f"void f(const double *x, int n) {{ int all = 3; {LOOP} tell(x[i] + all); }}"
    ),
    "a function that is called twice": (
        "static void tell(double v) { int j = 0; while (j < 9) if (work(v + j++) > 3) pushed(&all, j, v); }"
        f"void f(const double *x, int n) {{ {LOOP} {{ tell(x[i]); tell(x[i] + 1); }} }}"
    ),
    "a declaration's other variable": (
        f'{F} {{ {LOOP} {{ int a = (int)work(x[i]), b = rounds++; if (a > m) printf("%d", b); }} }}'
    ),
}


def made(text: str, *without: str) -> str:
    """The OpenMP program."""
    flags, analysis, library = PreprocessOptions(), AnalysisOptions(scops=True), Library.load()
    unit = read_translation_unit("later.c", flags, text=HEAD + text)
    options = CompileOptions(without=frozenset((THRESHOLD, *without)))
    found = generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options)
    return found.files["later.c"]


@pytest.mark.parametrize("name", TAKEN)
def test_statements_are_put_off(name: str) -> None:
    text, noted = TAKEN[name]
    loop = next(each for each in loops_of(HEAD + text) if each.function == "f" and each.deferral)
    assert loop.deferral is not None
    assert {each.variable for late in loop.deferral.late for each in late.noted} == noted
    program = made(text, DECOUPLE)
    assert "cuvier_later(" in program
    before, _, behind = program.partition("if (cuvier_later(timed")
    assert re.search(r"#pragma omp[^\n]*\n[^\n]*for \(int i = i_from; i < i_end; i\+\+\)", behind), before


@pytest.mark.parametrize("name", TAKEN)
def test_they_can_be_left(name: str) -> None:
    assert "cuvier_later" not in made(TAKEN[name][0], LATER)


@pytest.mark.parametrize("name", STAYING)
def test_others_stay(name: str) -> None:
    assert "cuvier_later" not in made(STAYING[name])


def test_names_of_the_users_are_respected() -> None:
    text = TAKEN["a list that grows"][0].replace("work(x[i] + j)", "work(x[i] + cuvier_first_note[j])")
    assert "cuvier_later" not in made(f"static int cuvier_first_note[9]; {text}")


def test_lines_are_respected() -> None:
    text = TAKEN["a list that grows"][0].replace("pushed(&all, i", "pushed(&all, __LINE__")
    assert "cuvier_later" not in made(text)


@needs_gcc
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(7000, 7012))
def test_random_loops(seed: int, tmp_path: Path) -> None:
    compare(program(seed), tmp_path, "openmp", strict_fp=False)
