"""Sums into members of structures: where they go through variables, and where they stay as they are."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library
from skeletons.catalogue.passes import SUMS, THRESHOLD
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.filters.fuzz import compare
from tests.stages.test_stages import compiles, needs_gcc
from tests.sums.generator import program

HEAD = """#include <stddef.h>
typedef struct stats { long count; double sum, most; int small : 4; volatile int seen; struct stats *next; } stats;
static stats all;
static double work(double x) { double s = 0; for (int k = 0; k < 9; k++) s += x * k; return s; }
"""
LOOP = "for (int i = 0; i < n; i++)"
TAKEN = {
    "by a pointer": f"void f(stats *s, const double *x, int n) {{ {LOOP} s->sum += work(x[i]); }}",
    "counted on a condition": f"void f(stats *s, int n) {{ {LOOP} if (work(i) > 3) s->count++; }}",
    "of a local structure": f"double f(int n) {{ stats t = {{ 0 }}; {LOOP} t.sum -= work(i); return t.sum; }}",
    "of a static structure": f"void f(int n) {{ {LOOP} all.sum = all.sum + work(i); }}",
    "of one behind another": f"void f(stats *s, int n) {{ {LOOP} s->next->count += work(i) > 2; }}",
    "the greatest": f"void f(stats *s, int n) {{ {LOOP} {{ double v = work(i); if (v > s->most) s->most = v; }} }}",
    "two": f"void f(stats *s, int n) {{ {LOOP} {{ double v = work(i); s->sum += v; if (v > 1) s->count++; }} }}",
}
STAYING = {
    "it is read": f"void f(stats *s, double *y, int n) {{ {LOOP} {{ s->sum += work(i); y[i] = s->sum; }} }}",
    "the pointer moves": f"void f(stats *s, int n) {{ {LOOP} {{ s->sum += work(i); s = s->next; }} }}",
    "a pointer of the body": f"void f(stats *s, int n) {{ {LOOP} {{ stats *t = s + 1; t->sum += work(i); }} }}",
    "volatile": f"void f(stats *s, int n) {{ {LOOP} s->seen += work(i) > 3; }}",
    "by a macro": f"#define SUM s->sum\\nvoid f(stats *s, int n) {{ {LOOP} SUM += work(i); }}".replace(
        "\\n", "\n"
    ),
}


def made(text: str, *without: str) -> str:
    """The OpenMP program."""
    flags, analysis, library = PreprocessOptions(), AnalysisOptions(scops=True), Library.load()
    unit = read_translation_unit("sums.c", flags, text=HEAD + text)
    options = CompileOptions(without=frozenset((THRESHOLD, *without)))
    found = generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options)
    return found.files["sums.c"]


def loop_of(text: str) -> str:
    """The text from the loop over i on."""
    return text[text.index("int n)") :]


@pytest.mark.parametrize("name", TAKEN)
def test_sums_go_through_variables(name: str) -> None:
    found = loop_of(made(TAKEN[name]))
    assert "#pragma omp parallel for" in found and "reduction(" in found
    assert "reduction(" not in loop_of(made(TAKEN[name], SUMS))


@pytest.mark.parametrize("name", STAYING)
def test_others_stay(name: str) -> None:
    assert "!= 0) s->" not in loop_of(made(STAYING[name]))


CHOSEN = {
    "a pointer": "void f(double *a, const int *k, int n) { LOOP a[k[i]] += work(i); }",
    "members": "void f(stats *a, const int *k, int n) { LOOP { a[k[i]].sum += work(i); a[k[i]].count++; } }",
    "a pointer in the body": "void f(stats *a, const int *k, int n) { LOOP { stats *p = &a[k[i]]; p->sum += work(i); } }",
    "behind a structure": "typedef struct { stats *a; int *k; } all_of; void f(all_of *s, int n) { LOOP s->a[s->k[i]].sum += work(i); }",
    "extremes and sums": "void f(stats *a, const int *k, int n) { LOOP { stats *p = &a[k[i]]; double v = work(i); p->sum += v; p->count++; if (v > p->most) p->most = v; } }",
    "rows": "void f(stats *a, const int *k, int n) { LOOP for (int j = 0; j < n; j++) a[k[i * n + j]].sum += work(i); }",
}
APART = {
    "the numbers change": "void f(double *a, int *k, int n) { LOOP { a[k[i]] += work(i); k[i] = 3; } }",
    "a null pointer": "void f(double *a, const int *k, int n) { LOOP if (a != NULL) a[k[i]] += work(i); }",
    "an array in it": "typedef struct { double a[3]; } three; void f(three *a, const int *k, int n) { LOOP a[k[i]].a[1] += work(i); }",
    "a constant": "typedef struct { const int id; double a; } one; void f(one *a, const int *k, int n) { LOOP a[k[i]].a += work(i); }",
    "a pointer that stays": "double *last; void f(double *a, const int *k, int n) { LOOP { double *q = a + k[i]; *q += work(i); last = q; } }",
    "a pointer in a structure": "struct at { double *p; int k; } kept; void f(double *a, const int *k, int n) { LOOP { double *q = a + k[i]; struct at m = { q, i }; *q += work(i); kept = m; } }",
    "a pointer as a number": "long kept; void f(double *a, const int *k, int n) { LOOP { double *q = a + k[i]; *q += work(i); kept = (long)q; } }",
    "numbers that may not be there": "void f(double *a, const int *k, int n) { LOOP for (int j = k[i] % 8; j < 8; j++) a[k[i * 8 + j]] += work(i); }",
    "an address that is compared": "const double *home[99]; void f(double *a, const int *k, char *m, int n) { LOOP { double *q = a + k[i]; m[i] = home[i] != q; *q += work(i); } }",
    "an address that a function compares": "static double *one; static int same(const double *p, const double *q) { return p == q; } void f(double *a, const int *k, char *m, int n) { one = a; LOOP { a[k[i]] += work(i); m[i] = same(a, one); } }",
    "an address that is subtracted": "static double *one; void f(double *a, const int *k, long *m, int n) { one = a; LOOP { double *q = a + k[i]; m[i] = q - one; *q += work(i); } }",
    "two operators": "void f(stats *a, const int *k, int n) { LOOP { a[k[i]].sum += work(i); if (a[k[i]].sum > 9) a[k[i]].sum = 9; } }",
    "numbers behind the last ones": "void f(double *a, const int *k, int n) { LOOP for (int j = 0, m = k[i] % 8; j < 8 && j < m; j++) a[k[i * 8 + j]] += work(i); }",
    "it is read": "void f(stats *a, const int *k, int n) { LOOP { a[k[i]].sum += work(i); a[k[i]].most = a[0].sum; } }",
}


@pytest.mark.parametrize("name", CHOSEN)
def test_threads_have_copies_of_what_numbers_choose(name: str) -> None:
    found = made(CHOSEN[name].replace("LOOP", LOOP))
    assert "cuvier_greatest(" in found and "_copies" in found
    compiles(found)


def test_structures_may_have_no_name() -> None:
    found = made(
        "static struct { double x; long c; } cell[3000]; "
        f"void f(const int *k, int n) {{ {LOOP} {{ cell[k[i]].x += work(i); cell[k[i]].c += 2; }} }}"
    )
    assert "cell_copies" in found and "@" not in found
    compiles(found)


@pytest.mark.parametrize("name", APART)
def test_there_are_no_copies_of_others(name: str) -> None:
    found = made(APART[name].replace("LOOP", LOOP))
    assert "_copies" not in found
    compiles(found)


@pytest.mark.parametrize("name", ["a pointer", "members", "extremes and sums"])
def test_order_of_chosen_sums_is_kept_if_wanted(name: str) -> None:
    flags, analysis, library = PreprocessOptions(), AnalysisOptions(scops=True), Library.load()
    unit = read_translation_unit("sums.c", flags, text=HEAD + CHOSEN[name].replace("LOOP", LOOP))
    options = CompileOptions(without=frozenset((THRESHOLD,)), strict_fp=True)
    found = generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options).files
    assert "_copies" not in found["sums.c"]


def test_order_of_sums_is_kept_if_wanted() -> None:
    flags, analysis, library = PreprocessOptions(), AnalysisOptions(scops=True), Library.load()
    unit = read_translation_unit("sums.c", flags, text=HEAD + TAKEN["by a pointer"])
    options = CompileOptions(without=frozenset({THRESHOLD}), strict_fp=True)
    found = generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options)
    assert "s->sum += work(x[i])" in found.files["sums.c"]


@needs_gcc
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(7000, 7010))
def test_random_sums(seed: int, tmp_path: Path) -> None:
    assert compare(program(seed), tmp_path, "openmp", strict_fp=False)


def test_variables_of_conditions_stay_used() -> None:
    """A loop that is counted instead does not ask its condition: gcc has nothing to say of what is in it."""
    body = "const int *end = k + n; for (int i = 0; k + i < end; i++) a[k[i]] += work(i);"
    found = made(f"void f(double *a, const int *k, int n) {{ {body} }}")
    assert "counted_" in found and "_copies" in found
    compiles(found)


@needs_gcc
def test_without_iterations_there_are_no_addresses(tmp_path: Path) -> None:
    """Downwards, the first element of no array would be before it."""
    text = """#include <stdio.h>
#include <stdlib.h>
static void f(long *a, const int *k, int n) { for (int i = n - 1; i >= 0; i--) { long v = i; for (int q = 0; q < 20; q++) v = (v * 31 + q) % 1009; a[k[i]] += v; } }
int main(int argc, char **argv) {
  int n = 50 * atoi(argv[argc - 1]); long *a = calloc(70, sizeof *a), s = 0; int *k = malloc((n + 1) * sizeof *k);
  for (int i = 0; i < n; i++) k[i] = i * 7 % 61;
  f(NULL, NULL, 0); f(a, k, n);
  for (int i = 0; i < 70; i++) s = s * 3 % 10007 + a[i];
  printf("%ld\\n", s); free(a); free(k); return 0; }
"""
    assert compare(text, tmp_path, "openmp")
