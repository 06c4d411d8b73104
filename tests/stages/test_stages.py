"""Serial loops with a parallel part: which are taken apart, and what the stages hand on."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library
from skeletons.catalogue.passes import DECOUPLE, LATER, THRESHOLD
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.filters.fuzz import compare
from tests.stages.generator import program
from tests.support.analysing import loops_of

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct rec { double a, b; char name[8]; } rec;
static double work(double x) { double s = 0; for (int k = 0; k < 9; k++) s += x * k; return s; }
static rec both(double x) { rec r = { work(x), x, "r" }; return r; }
void g(double), h(rec *);
"""
LOOP = "for (int i = 0; i < n; i++)"
WORK = "double v = work(x[i]);"
F = "void f(double *x, int n)"
# Before the parallel stage, and behind it, is there a serial one?
TAKEN = {
    "printed": (
        f'{F} {{ {LOOP} {{ {WORK} printf("%f", v); }} }}',
        0,
        1,
    ),
    "carried": (
        f"""double f(const double *restrict x, double *restrict y, int n) {{ double s = 0;
        {LOOP} {{ {WORK} s = s * 0.5 + v; y[i] = s; }} return s; }}""",
        0,
        1,
    ),
    "a generator": (
        f"""double f(int n, unsigned s) {{ double t = 0;
        {LOOP} {{ s = s * 1664525u + 1; t += work(s >> 9); }} return t; }}""",
        1,
        0,
    ),
    "numbers of the library": (
        f"double f(int n) {{ double t = 0; {LOOP} {{ int r = rand(); t += work(r); }} return t; }}",
        1,
        0,
    ),
    "three stages": (
        f"""void f(int n, unsigned s) {{ {LOOP} {{ s = s * 9 + 1; double v = work(s);
        printf("%f", v); }} }}""",
        1,
        1,
    ),
    "a structure": (f'void f(int n) {{ {LOOP} {{ rec r = both(i); printf("%s", r.name); }} }}', 0, 1),
    "a pointer": (
        f'void f(rec *r, int n) {{ {LOOP} {{ rec *p = r + i; p->a = work(p->b); printf("%f", p->a); }} }}',
        0,
        1,
    ),
    "up to a bound": (
        f'{F} {{ for (int i = 1; i <= n; i++) {{ x[i] = work(x[i]); printf("%f", x[i]); }} }}',
        0,
        1,
    ),
    "temporaries from outside": (
        f'{F} {{ double v; {LOOP} {{ v = work(x[i]); printf("%f", v); }} }}',
        0,
        1,
    ),
    "an extreme and where it is": (
        f"""int f(const double *x, int n, int *at) {{ double b = 0;
        {LOOP} {{ {WORK} if (v > b) {{ b = v; *at = i; }} }} return b > 1; }}""",
        0,
        1,
    ),
    "constants": (
        f"""{F} {{ {LOOP} {{ const int k = n - i; const double v = work(x[k]), *const p = x + k;
        printf("%d %f", k, v + *p); }} }}""",
        0,
        1,
    ),
    "what is made of what is made": (
        f"""{F} {{ {LOOP} {{ int k = i / 2; double *p = x + k, v = work(k);
        printf("%f", *p + v); }} }}""",
        0,
        1,
    ),
    "members that are set": (
        f"""{F} {{ {LOOP} {{ rec r = {{ 0 }}; r.a = work(x[i]); r.b = 2; printf("%f", r.a); }} }}""",
        0,
        1,
    ),
    "a bound that is a choice": (
        f"""void f(double *x, int n, int m) {{ for (int i = 0; i < (n <= m ? n : m); i++) {{
        {WORK} printf("%f", v); }} }}""",
        0,
        1,
    ),
    "it goes on early": (
        f'{F} {{ {LOOP} {{ {WORK} if (v > 1) continue; printf("a"); }} }}',
        0,
        1,
    ),
}
STAYING = {
    "it goes on before the rest": (
        f'{F} {{ {LOOP} {{ if (x[i] > 1) continue; x[i] = work(x[i]); printf("a"); }} }}'
    ),
    "what is printed is needed": (
        f"""{F} {{ double v = 0;
        {LOOP} {{ v = work(x[i] + v); printf("%f", v); }} }}"""
    ),
    "the end writes what the beginning reads": (f'{F} {{ {LOOP} {{ {WORK} x[i + 1] = v; printf("a"); }} }}'),
    "anything may be called": f"{F} {{ {LOOP} {{ {WORK} g(v); }} }}",
    "it leaves": f"int f(double *x, int n) {{ {LOOP} {{ {WORK} if (v > 1) return i; }} return 0; }}",
    "it breaks": f'{F} {{ {LOOP} {{ {WORK} if (v > 1) break; printf("a"); }} }}',
    "input": f'{F} {{ {LOOP} {{ scanf("%lf", x); double v = work(x[i]); printf("%f", v); }} }}',
    "output first": f'{F} {{ {LOOP} {{ printf("a"); x[i] = work(x[i]); printf("b"); }} }}',
    "an array": (
        f"""{F} {{
        {LOOP} {{ double t[4]; for (int k = 0; k < 4; k++) t[k] = work(x[i]); printf("%f", t[i & 3]); }} }}"""
    ),
    "a pointer to what an iteration has": (
        f"""{F} {{
        {LOOP} {{ rec r = both(x[i]), *p = x[i] > 2 ? &r : 0; printf("%f", p ? p->a : 0); }} }}"""
    ),
    "memory": f"{F} {{ {LOOP} {{ double *t = malloc(8 * n); t[0] = work(i); x[i] = *t; free(t); }} }}",
    "a bound that is no integer": (
        f'{F} {{ for (int i = 0; i < n / 2.0; i++) {{ {WORK} printf("%f", v); }} }}'
    ),
    "a type of the body": (
        f'{F} {{ {LOOP} {{ struct t {{ int a; }} l; l.a = work(i); printf("%d", l.a); }} }}'
    ),
    "rows that may be the same": (
        f'void f(double **r, int n) {{ {LOOP} {{ *r[i] = work(i); printf("%f", *r[i]); }} }}'
    ),
    "what a pointer of an iteration leads to": (
        "void f(double **r, int *k, int n) {"
        f' {LOOP} {{ double *p = r[k[i]]; *p = work(i); printf("%f", *p); }} }}'
    ),
    "a pointer to a literal": (
        f'{F} {{ {LOOP} {{ double *p = (double[]){{ work(x[i]), 3 }}; printf("%f", p[0]); }} }}'
    ),
    "volatile memory": (
        f"void f(volatile int *p, int n) {{ {LOOP} {{ int k = *p; double v = work(k); *p = (int)v; }} }}"
    ),
    "memory of the library": (
        f'void f(char *s, int *y, int n) {{ {LOOP} {{ char *t = strtok(s, " "); y[i] = (int)work(*t); }} }}'
    ),
    "a variable by a pointer": (
        f'static int g1; void f(int *p, int n) {{ {LOOP} {{ *p = work(i); printf("%d", g1); }} }}'
    ),
    "a constant member": (
        f"""struct cm {{ const int id; double v; }}; struct cm make(double);
        {F} {{ {LOOP} {{ {WORK} struct cm r = {{ i, v }}; g(v); printf("%d %f", r.id, r.v); }} }}"""
    ),
    "a function is declared": (
        f'{F} {{ {LOOP} {{ long labs2(int); {WORK} printf("%ld", labs2((int)v)); }} }}'
    ),
    "static": f'void f(int n) {{ {LOOP} {{ static double v; v = work(i); printf("%f", v); }} }}',
    "labels": f'void f(int n) {{ {LOOP} {{ double v = work(i); if (v > 3) goto a; printf("%f", v); a:; }} }}',
    "the iterator moves": f'void f(int n) {{ {LOOP} {{ double v = work(i); i++; printf("%f", v); }} }}',
    "the bound moves": f'void f(int n) {{ {LOOP} {{ double v = work(i); n--; printf("%f", v); }} }}',
    "all is printed": f'void f(int n) {{ {LOOP} {{ printf("%d", i); printf("%f", work(i)); }} }}',
}


def made(text: str, *without: str) -> str:
    """The OpenMP program."""
    flags, analysis, library = PreprocessOptions(), AnalysisOptions(scops=True), Library.load()
    unit = read_translation_unit("stages.c", flags, text=HEAD + text)
    options = CompileOptions(without=frozenset((THRESHOLD, *without)))
    found = generate(unit, analyse(unit, analysis), "openmp", library, flags, analysis, options)
    return found.files["stages.c"]


def compiles(text: str, *more: str) -> None:
    """Has gcc nothing to say of it?"""
    if shutil.which("gcc"):
        flags = ["-Wall", "-Wextra", "-Wno-unused-function", "-fopenmp", "-fsyntax-only", "-xc", "-", *more]
        done = subprocess.run(["gcc", *flags], input=text, capture_output=True, text=True, check=False)
        assert not done.stderr, done.stderr


@pytest.mark.parametrize("name", TAKEN)
def test_loops_with_a_parallel_part_run_in_stages(name: str) -> None:
    text, before, behind = TAKEN[name]
    loop = next(each for each in loops_of(HEAD + text) if each.function == "f")
    assert loop.stages is not None
    assert (loop.stages.first is not None, loop.stages.last is not None) == (before, behind)
    found = made(text)
    compiles(found)
    assert re.search(r"i_from.*for \(int i = i_from; i < i_end; i\+\+\)", found, re.DOTALL)
    assert "#pragma omp parallel for" in found and "i_from" not in made(text, DECOUPLE)


def test_what_is_only_named_is_declared() -> None:
    text = f'{F} {{ {LOOP} {{ double v = work(x[i]), w = v + 1; printf("%f %d", v, (int)sizeof w); }} }}'
    compiles(made(text), "-Wno-unused-variable")


def test_what_only_later_stages_use_is_used() -> None:
    text = """static int up(int a) { return a + 1; }
    static int down(int a) { return a - 1; }"""
    body = f'int (*next)(int) = k[i] ? up : down; {WORK} printf("%d", next((int)v));'
    compiles(made(f"{text} void f(const double *x, const int *k, int n) {{ {LOOP} {{ {body} }} }}"))
    rows = "s = s * 9 + 1; int *row = r[i]; double v = work(s); row[2] = (int)v; d = d * .5 + v;"
    compiles(made(f"double f(unsigned s, int *r[], int n) {{ double d = 0; {LOOP} {{ {rows} }} return d; }}"))


def test_bounds_have_the_type_of_the_iterator() -> None:
    text = f'void f(double *x, unsigned short n) {{ {LOOP} {{ {WORK} printf("%f", v); }} }}'
    for sign in ("<", "<="):
        compiles(made(text.replace("int i", "size_t i").replace("i < n", f"i {sign} n")))


def test_tables_are_apart_from_what_regions_need() -> None:
    """gcc 12 gives a table that is declared in a loop the place of what a region in it is given."""
    text, _, _ = TAKEN["printed"]
    assert re.search(r"double v_of\[\d+\];\s*while", made(text))


def test_headers_that_set_another_variable_stay() -> None:
    loop = f'int i = 3, j; for (j = 1; i < n; i++) {{ {WORK} printf("%f", v); }} return j;'
    assert "i_from" not in made(f"int f(double *x, int n) {{ {loop} }}")


@pytest.mark.parametrize("name", STAYING)
def test_others_stay(name: str) -> None:
    loop = next(each for each in loops_of(HEAD + STAYING[name]) if each.function == "f")
    assert loop.stages is None and "i_from" not in made(STAYING[name], LATER)


@needs_gcc
def test_programs_in_stages_are_verified(tmp_path: Path) -> None:
    """What variables of ours say of a stage is not asked of the original, which has none of them."""
    main = "int main(void) { static double x[3000]; f(x, 3000); return 0; }\nvoid g(double x) { (void)x; }"
    text, _, _ = TAKEN["printed"]
    (tmp_path / "stages.c").write_text(f"{HEAD}{text}\n{main}\n")
    command = [sys.executable, "-m", "cuvier", "verify", "--target", "openmp", "stages.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "replaced" in done.stdout, done.stdout + done.stderr


@needs_gcc
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(5000, 5012))
def test_random_stages(seed: int, tmp_path: Path) -> None:
    assert compare(program(seed), tmp_path, "openmp", strict_fp=False)


@pytest.mark.parametrize("call", ["again(n - 1)", "outer(n - 1)", "each(x, n, again)"])
def test_chunks_do_not_fill_the_stack(call: str) -> None:
    """Functions that may call themselves have none, whichever way they do it."""
    text = f"""static double x[9], y[9]; static void (*again)(int);
    void each(double *, int, void (*)(int));
    static void outer(int n); double work(double) __attribute__((const));
    static void f(int n) {{ int c = 0;
    {LOOP} {{ double v = work(x[i]); if (v > 2) y[c++] += v; }} if (n) CALL; }}
    static void outer(int n) {{ f(n); }} int main(void) {{ again = f; f(5); return 0; }}"""
    staged = [loop.stages for loop in loops_of(text.replace("CALL", "y[c] = 1")) if loop.function == "f"]
    assert staged[0] is not None
    assert [loop.stages for loop in loops_of(text.replace("CALL", call)) if loop.function == "f"] == [None]
