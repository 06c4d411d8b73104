"""Buffers and tallies that functions use: of which threads have their own, and of which they must not."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library
from skeletons.catalogue.passes import THREADPRIVATE, THRESHOLD
from species import AnalysisOptions, analyse
from species.facts.loops import Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.filters.fuzz import compare
from tests.privatised.generator import program
from tests.stages.test_stages import compiles, needs_gcc
from tests.support.analysing import loops_of

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double buf[32], total, grid[4][8]; static long hits, table[2][5]; static int most;
static double *held; static struct { double a[8]; int n; } space;
static struct { long seen; struct { double best; int n; } in; long other; } stats;
int outside(const double *);
"""
FILL = "for (int k = 0; k < 32; k++) buf[k] = x[i] * k;"
LOOP = "for (int i = 0; i < n; i++)"
# What functions do, and the variables of which threads have their own, sums with an operator behind them.
TAKEN = {
    "a buffer": (f"{FILL} y[i] = buf[3] + buf[30];", {"buf"}),
    "a buffer that a function fills": ("fill(buf, x[i]); y[i] = buf[3];", {"buf"}),
    "a buffer by a pointer": (f"double *p = buf; {FILL} y[i] = p[7];", {"buf"}),
    "memset": ("memset(buf, 0, sizeof buf); buf[i & 31] = x[i]; y[i] = buf[3];", {"buf"}),
    "a structure": (
        "memset(&space, 0, sizeof space); space.n = i; space.a[i & 7] = 3; y[i] = space.a[2];",
        {"space"},
    ),
    "a variable": ("total = x[i] * 2; later(); y[i] = total;", {"total"}),
    "a static variable of a function": (
        "static double own[4]; for (int k = 0; k < 4; k++) own[k] = x[i]; y[i] = own[i & 3];",
        {"own"},
    ),
    "a count": ("if (x[i] > 3) hits++;", {"hits+"}),
    "counts": ("table[i & 1][i % 5] += 2; hits -= 1;", {"table+", "hits+"}),
    "counts by a pointer": ("bump(table[i & 1], i % 5);", {"table+"}),
    "the greatest": ("if (i % 7 > most) most = i % 7;", {"mostmax"}),
    "counts in a structure": ("stats.seen++; if (x[i] > 1) stats.in.n += 2;", {"stats.seen+", "stats.in.n+"}),
    "counts of a function in a structure": ("note(i);", {"stats.seen+", "stats.in.nmax"}),
    "both": (f"{FILL} if (buf[3] > 2) hits++; total += buf[4];", {"buf", "hits+", "total+"}),
}
STAYING = {
    "what an iteration leaves": "y[i] = buf[3]; buf[i & 31] = x[i];",
    "half of a buffer": "for (int k = 0; k < 16; k++) buf[k] = x[i]; y[i] = buf[20];",
    "on a condition": f"if (x[i] > 2) {{ {FILL} }} y[i] = buf[3];",
    "a count that is read": "y[i] = hits; hits++;",
    "a member that is read": "stats.seen++; y[i] = stats.other;",
    "a structure that is copied": "stats.seen++; { __typeof__(stats) was = stats; y[i] = was.in.best; }",
    "a structure that is set": "stats.in.n += 1; stats = stats;",
    "a member for which two operators stand": "stats.seen += 1; stats.seen *= 2;",
    "two operators": "hits += 2; hits *= 3;",
    "a pointer that stays": f"held = buf; {FILL} y[i] = held[3];",
    "a function that is not known": f"{FILL} y[i] = outside(buf);",
    "a random number": "hits = hits * 5 % 97; y[i] = hits;",
}
_F = "long f(const double *x, double *y, int n) {{ long r = 0; {start} {loop} one(x, y, i); {end} return r; }}\n"
_MAIN = "int main(void) { static double x[9], y[9]; return (int)f(x, y, 9); }\n"


def text_of(body: str, start: str = "", end: str = "", more: str = "") -> str:
    helpers = """static void fill(double *p, double v) { for (int k = 0; k < 32; k++) p[k] = v + k; }
static void later(void) { total += 1; }
static void note(int v) { stats.seen += v; if (v % 9 > stats.in.n) stats.in.n = v % 9; }
static void bump(long *p, int k) { p[k] += 1; }
"""
    one = f"static void one(const double *x, double *y, int i) {{ (void)x; (void)y; {body} }}\n"
    return HEAD + helpers + one + more + _F.format(start=start, loop=LOOP, end=end) + _MAIN


def made(text: str, *without: str, strict_fp: bool = False) -> str:
    """The OpenMP program."""
    flags, analysis, library = PreprocessOptions(), AnalysisOptions(scops=True), Library.load()
    unit = read_translation_unit("own.c", flags, text=text)
    options = CompileOptions(without=frozenset((THRESHOLD, *without)), strict_fp=strict_fp)
    found = generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options)
    return found.files["own.c"]


@pytest.mark.parametrize("name", TAKEN)
def test_threads_have_their_own(name: str) -> None:
    body, wanted = TAKEN[name]
    text = text_of(body)
    loop = next(each for each in loops_of(text) if each.function == "f")
    assert loop.verdict is Verdict.SERIAL and loop.own_copies is not None
    assert {f"{each.place}{each.operator}" for each in loop.own_copies.copies} == wanted
    found = made(text)
    compiles(found)
    assert "threadprivate" in found and "#pragma omp parallel for" in found[found.index("long f(") :]
    assert "threadprivate" not in made(text, THREADPRIVATE)


@pytest.mark.parametrize("name", STAYING)
def test_others_stay(name: str) -> None:
    assert "threadprivate" not in made(text_of(STAYING[name]))


AROUND = {
    "it is read behind the loop": ("", "r = (long)buf[3];", ""),
    "it is read by another function": ("", "", "double g(void) { return buf[3]; }\n"),
    "a pointer from before": ("double *q = buf;", "r = (long)q[2];", ""),
    "the file keeps a pointer": ("", "", "double *kept(void) { static double *p = buf + 1; return p; }\n"),
}


@pytest.mark.parametrize("name", AROUND)
def test_what_is_needed_stays(name: str) -> None:
    start, end, more = AROUND[name]
    assert "threadprivate" not in made(text_of(f"{FILL} y[i] = buf[3];", start, end, more))


def test_pointers_in_structures_lead_to_the_variable_itself() -> None:
    text = f"""typedef struct {{ double *x; int n; }} block;
    static void apply(block *b, double gain) {{ for (int i = 0; i < b->n; i++) b->x[i] = gain; b->x[0] = b->x[2]; }}
    int main(int argc, char **argv) {{ static double x[1000]; block b = {{ x, 1000 - argc }}; int n = argc + 99;
      (void)argv; {LOOP} apply(&b, i); return x[3] > 1; }}"""
    assert "threadprivate" not in made(text)


def test_other_loops_do_not_read_copies() -> None:
    """Those of other threads have nothing in them."""
    more = f"void h(double *y, int n) {{ {LOOP} y[i] = table[1][i % 5]; }}\n"
    found = made(text_of("bump(table[i & 1], i % 5);", more=more))
    assert "threadprivate" not in found


@pytest.mark.parametrize("threads", ["pthread_create(&t, 0, run, 0);", "signal(2, caught);"])
def test_tallies_of_other_threads_are_not_counted_elsewhere(threads: str) -> None:
    """What a thread of the program's own counts, all others read."""
    more = (
        "typedef int pthread_t; extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);\n"
    )
    more += "extern void (*signal(int, void (*)(int)))(int); static void caught(int k) { (void)k; }\n"
    more += f"void *run(void *p) {{ pthread_t t; (void)run; (void)caught; {threads} return p; }}\n"
    tally = text_of("if (x[i] > 3) hits++;", more=more)
    buffer = text_of(f"{FILL} y[i] = buf[3];", more=more)
    assert "threadprivate" not in made(tally) and "threadprivate" in made(buffer)
    assert "threadprivate" not in made(text_of("if (x[i] > 3) hits++;").replace(_MAIN, ""))


LATER = {
    "a tentative definition": "static long late; static void one(int i) { late += i & 3; }\n%s\nstatic long late = 7;",
    "a declaration in another one": "static void one(int i);\n%s\nstatic long late; static void one(int i) { late += i & 3; }",
}


def test_one_of_two_loops_may_be_left() -> None:
    text = """#include <stdlib.h>
    static long hits, more; static void one(int v) { hits += v & 3; } static void two(int v, long *y) { more += v & 1; y[v / 2] = v; }
    int main(int n, char **v) { long *y = calloc(n + 1, sizeof *y); (void)v;
      for (int i = 0; i < n; i++) one(i);
      for (int i = 0; i < n; i++) { two(i, y); if (y[i] == 7) exit(1); }
      for (int i = 0; i < n; i++) two(i, y);
      return (int)(hits + more + y[0]); }"""
    assert "threadprivate(hits)" in made(text)


UNSEEN = {
    "of a function": "static void one(int i) { static long late; late += i & 3; }\n%s",
    "further down": "static void one(int i);\n%s static long late; static void one(int i) { late += i & 3; }",
    "under another one": "static long late; static void one(int i) { late += i & 3; }\n%s",
    "directives of the user's": "static long late; static void one(int i) {\n#pragma omp atomic\nlate += i & 3; }\n%s",
}


@pytest.mark.parametrize("name", UNSEEN)
def test_tallies_have_a_name_at_the_loop(name: str) -> None:
    local = "int late = n;" if name == "under another one" else ""
    found = made(UNSEEN[name] % f"int main(int n, char **v) {{ {local} (void)v; {LOOP} one(i); return 0; }}")
    assert "threadprivate" not in found


def test_directives_stand_behind_one_declaration_and_before_all_uses() -> None:
    loop = f"long f(int n) {{ {LOOP} one(i); return 0; }}"
    assert "threadprivate" not in made(LATER["a tentative definition"] % loop)
    compiles(made(LATER["a declaration in another one"] % loop))


@needs_gcc
def test_iterators_have_their_values_behind_loops_without_iterations(tmp_path: Path) -> None:
    text = """#include <stdio.h>
#include <stdlib.h>
static long hits, bins[900]; static void one(int v) { hits += v & 1; bins[v % 900]++; }
int main(int argc, char **argv) { int n = 99 * atoi(argv[argc - 1]), i = 42; long sum = 0;
  for (i = 3; i < n; i++) one(i);
  for (int k = 0; k < 900; k++) sum = sum * 3 % 10007 + bins[k];
  printf("%d %ld %ld\\n", i, hits, sum); return 0; }
""".replace("\\\\n", "\\n")
    assert "threadprivate" in made(text)
    assert compare(text, tmp_path, "openmp", strict_fp=False)


def test_sums_keep_their_order_if_wanted() -> None:
    body, _ = TAKEN["both"]
    assert "threadprivate" not in made(text_of(body), strict_fp=True)
    assert "threadprivate" in made(text_of("if (x[i] > 3) hits++;"), strict_fp=True)


@needs_gcc
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", [7, 14, 19, 302, 307, 314, 326, 333, 343, 344])
def test_random_programs(seed: int, tmp_path: Path) -> None:
    """In these, threads have variables of their own; others are of the fuzzer."""
    text = program(seed)
    assert "threadprivate" in made(text)
    assert compare(text, tmp_path, "openmp", strict_fp=False)


def test_of_loops_that_call_others_the_outer_one_is_shared() -> None:
    text = """#include <stdio.h>
    static struct { long cells, high; } seen;
    static void note(double v) { seen.cells++; if (v > 3) seen.high++; }
    static double row(const double *x, int i, int m) {
      double s = 0;
      for (int k = 0; k < m; k++) { note(x[i * m + k]); s += x[i * m + k]; }
      return s; }
    int main(int argc, char **argv) {
      static double x[90000], y[300]; (void)argv;
      for (int i = 0; i < 90000; i++) x[i] = i % 5;
      for (int i = 0; i < 300; i++) y[i] = row(x, i, 299 + argc);
      printf("%g %ld %ld", y[3], seen.cells, seen.high); }"""
    found = made(text)
    compiles(found)
    before, _, main = found.partition("int main")
    assert "seen_cells_of" in main and "reduction" not in before
    assert "seen_cells_of" not in before and "#pragma omp parallel" not in before
