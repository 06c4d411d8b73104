"""C that deceives about headers of loops: what they change, who reads the iterator, how they are spelt."""

from __future__ import annotations

import pytest

from species import AnalysisOptions, analyse
from species.annotate import AnnotateOptions, annotate
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import facts_of, loops_of

_HEAD = """#include <stdlib.h>
    #include <math.h>
    double a[300], b[300]; int c[300], gx, *gp; static int sx; void keep(int *p) { gp = p; }
    static int next(void) { return gx++; } static int put(int *p) { *p += 3; return 2; }
    static int same(int k) { return k + 1; } static int read(void) { return gx; }
    static int walk(int k) { return k > 0 ? walk(k - 1) : gx++; }
"""


def _loop(body: str, parameters: str = "int n, int k, int *p") -> LoopFacts:
    found = loops_of(f"{_HEAD} int f({parameters}) {{ int i; {body} return k; }}")
    return [loop for loop in found if loop.depth == 0][-1]


EFFECTS = {
    "a variable is counted up": "for (i = k++; i < n; i++) a[i] = b[i] * 2;",
    "a variable is counted down, in a declaration": "for (int j = --k; j < n; j++) a[j] = b[j] * 2;",
    "a variable is assigned": "for (i = (k = 3); i < n; i++) a[i] = b[i] + k;",
    "two variables are assigned": "for (i = k = 3; i < n; i++) a[i] = b[i] + k;",
    "a variable is moved": "for (i = k += 2; i < n; i++) a[i] = b[i] + k;",
    "a comma": "for (i = (gx++, 3); i < n; i++) a[i] = b[i];",
    "a choice": "for (i = gx++ ? 1 : 2; i < n; i++) a[i] = b[i];",
    "a pointer is moved": "for (i = *p++; i < n; i++) a[i] = b[i];",
    "memory is written": "for (i = p[1]++; i < n; i++) a[i] = b[i];",
    "the iterator is": "for (i = (i = 3) + 1; i < n; i++) a[i] = b[i];",
    "a callee counts": "for (i = next(); i < n; i++) a[i] = b[i];",
    "a callee writes through a pointer": "for (i = put(&k); i < n; i++) a[i] = b[i];",
    "a callee that calls itself counts": "for (i = walk(2); i < n; i++) a[i] = b[i];",
    "a random number": "for (i = rand() % 5; i < n; i++) a[i] = b[i];",
    "a function of others": "extern int other(int); for (i = other(3); i < n; i++) a[i] = b[i];",
    "with a sum": "double s = 0; for (i = k++; i < n; i++) s += b[i]; a[0] = s;",
}


@pytest.mark.parametrize("body", EFFECTS.values(), ids=EFFECTS.keys())
def test_every_thread_would_evaluate_the_start(body: str) -> None:
    loop = _loop(body)
    assert not loop.openmp
    assert loop.kernel is None


def test_a_start_with_an_effect_has_a_reason() -> None:
    assert "evaluating its start changes something" in _loop(EFFECTS["a callee counts"]).openmp_obstacle


def test_an_inner_start_with_an_effect() -> None:
    body = "for (int j = 0; j < 9; j++) { int m = k; for (i = m++; i < n; i++) c[100 * j + i] = m; }"
    outer, inner = loops_of(f"{_HEAD} int f(int n, int k) {{ int i; {body} return k; }}")
    assert outer.openmp and outer.collapse == 1
    assert not inner.openmp


QUIET = {
    "a number": "for (i = 3; i < n; i++) a[i] = b[i];",
    "a sum": "for (i = k + 2 * n; i < n; i++) a[i] = b[i];",
    "an element": "for (i = p[1]; i < n; i++) a[i] = b[i];",
    "a callee": "for (i = same(k); i < n; i++) a[i] = b[i];",
    "a callee that reads": "int s = 0; for (i = read(); i < n; i++) s += c[i]; k = s;",
    "the library": "for (i = abs(k); i < n; i++) a[i] = b[i];",
    "the library, rounded": "int s = 0; for (i = (int)floor(a[3]); i < n; i++) s += c[i]; k = s;",
    "the variable before it": "k++; for (i = k; i < n; i++) a[i] = b[i];",
}


@pytest.mark.parametrize("body", QUIET.values(), ids=QUIET.keys())
def test_threads_may_evaluate_the_start(body: str) -> None:
    assert _loop(body).openmp


READERS = {
    "a parameter": "for (gx = 0; gx < n; gx++) a[gx] = *p;",
    "a parameter, by its subscript": "for (gx = 0; gx < n; gx++) a[gx] = p[gx];",
    "a pointer of the file": "for (gx = 0; gx < n; gx++) a[gx] = *gp;",
    "in a while loop": "gx = 0; while (gx < n) { a[gx] = *p; gx++; }",
    "downwards": "for (gx = n; gx > 0; gx--) a[gx] = *p;",
    "a pointer to unsigned numbers": "unsigned *u = (unsigned *)p; for (gx = 0; gx < n; gx++) a[gx] = *u;",
    "a pointer to a pointer": "int **u = &gp; for (gx = 0; gx < n; gx++) a[gx] = **u;",
    "a member": "struct S { int k, m; } *u = (struct S *)p; for (gx = 0; gx < n; gx++) a[gx] = u->m;",
    "a static variable that is pointed to": "gp = &sx; for (sx = 0; sx < n; sx++) a[sx] = *gp;",
    "a variable that is pointed to": "int j; keep(&j); for (j = 0; j < n; j++) a[j] = *gp;",
    "a callee": "int j; keep(&j); for (j = 0; j < n; j++) a[j] = same(*gp);",
    "an inner loop": "for (gx = 0; gx < n; gx++) for (i = 0; i < 9; i++) a[9 * gx + i] = p[i];",
}


@pytest.mark.parametrize("body", READERS.values(), ids=READERS.keys())
def test_a_pointer_reads_the_iterator(body: str) -> None:
    loop = _loop(body)
    assert loop.verdict is not Verdict.PARALLEL
    assert not loop.openmp


APART = {
    "an array": "for (gx = 0; gx < n; gx++) a[gx] = c[gx];",
    "a cell of another type": "double *q = b; for (gx = 0; gx < n; gx++) a[gx] = q[gx];",
    "a static variable": "for (sx = 0; sx < n; sx++) a[sx] = *p;",
    "a variable of the function": "for (i = 0; i < n; i++) a[i] = *p;",
    "a copy of it": "for (gx = 0; gx < n; gx++) a[gx] = gx;",
    "restrict": "for (gx = 0; gx < n; gx++) a[gx] = q[gx];",
}


@pytest.mark.parametrize("body", APART.values(), ids=APART.keys())
def test_nothing_reads_the_iterator_but_its_name(body: str) -> None:
    loop = _loop(body, "int n, int k, int *p, int *restrict q")
    assert loop.verdict is Verdict.PARALLEL


FRACTIONS = {
    "an element": "for (i = (int)a[3]; i < n; i++) a[i] = 1;",
    "an element that is not cast": "for (i = a[3]; i < n; i++) a[i] = 1;",
    "a comparison": "for (i = a[3] > 2; i < n; i++) a[i] = 1;",
    "an element through a pointer": "double *q = a; for (i = *q; i < n; i++) a[i] = 1;",
    "a member": "struct S { double x; int y; } *u = (struct S *)a; for (i = u->x; i < n; i++) a[i] = 1;",
    "a variable of the file": "double *q = &g; for (i = g; i < n; i++) q[i] = 1;",
    "a callee": "for (i = first(); i < n; i++) a[i] = 1;",
    "a callee with an argument": "for (i = round_up(&a[3]); i < n; i++) a[i] = 1;",
}


@pytest.mark.parametrize("body", FRACTIONS.values(), ids=FRACTIONS.keys())
def test_threads_read_the_start_as_a_fraction(body: str) -> None:
    head = "static int first(void) { return a[3]; } static int round_up(double *q) { return *q; } double g;"
    assert not loops_of(f"{_HEAD} {head} void f(int n) {{ int i; {body} }}")[-1].openmp


def test_threads_read_the_start_as_a_number_beside_fractions() -> None:
    for start in ("p[1]", "c[2]", "gx", "*gp"):
        assert _loop(f"for (i = {start}; i < n; i++) a[i] = b[i];").openmp


SPELLINGS = {
    "a condition in parentheses": "for (i = 0; (i < n); i++) a[i] = 1;",
    "a condition in two pairs": "for (i = 0; ((i) < (n)); i++) a[i] = 1;",
    "a condition out of a macro": "\n#define MORE (i < n)\nfor (i = 0; MORE; i++) a[i] = 1;",
    "an iterator in parentheses": "for ((i) = 0; i < n; i++) a[i] = 1;",
    "an iterator out of a macro": "\n#define I (i)\nfor (I = 0; I < n; I++) a[I] = 1;",
    "an extension": "for (__extension__ int j = 0; j < n; j++) a[j] = 1;",
    "behind a hint": "\n#pragma GCC ivdep\nfor (i = 0; i < n; i++) a[i] = 1;",
    "behind a hint out of a macro": """
        #define FAST _Pragma("GCC unroll 4")
        FAST for (i = 0; i < n; i++) a[i] = 1;""",
    "behind two hints": '_Pragma("GCC ivdep") _Pragma("GCC unroll 4") for (i = 0; i < n; i++) a[i] = 1;',
}


@pytest.mark.parametrize("body", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_compilers_take_no_pragma_before_it(body: str) -> None:
    loop = _loop(body)
    assert loop.verdict is Verdict.PARALLEL
    assert not loop.openmp
    if "hint" in loop.openmp_obstacle:
        assert loop.kernel is None  # the hint would stand before a call


@pytest.mark.parametrize(
    "before", ['_Pragma("omp parallel for")', '\n#define PAR _Pragma("omp parallel for")\nPAR']
)
def test_what_an_operator_directs_is_no_kernel(before: str) -> None:
    loop = _loop(f"{before} for (i = 0; i < n; i++) a[i] = 1;")
    assert loop.kernel is None and not loop.openmp


PLAIN = {
    "parentheses inside": "for (i = (0); (i) < (n); (i)++) a[i] = 1;",
    "two pairs": "for (i = 0; (i) < (n); (i++)) a[i] = 1;",
    "a macro for the bound": "\n#define END (n)\nfor (i = 0; i < END; i++) a[i] = 1;",
    "a macro without parentheses": "\n#define MORE i < n\nfor (i = 0; MORE; i++) a[i] = 1;",
    "a declarator": "for (int (j) = 0; j < n; j++) a[j] = 1;",
    "a hint to another loop": """
        #pragma GCC ivdep
        while (k > 0) k = k / 2;
        for (i = 0; i < n; i++) a[i] = 1;""",
    "a hint inside": "for (i = 0; i < 9; i++)\n#pragma GCC ivdep\nfor (k = 0; k < 9; k++) a[9 * i + k] = 1;",
    "another pragma": "\n#pragma STDC FP_CONTRACT OFF\nfor (i = 0; i < n; i++) a[i] = 1;",
}


@pytest.mark.parametrize("body", PLAIN.values(), ids=PLAIN.keys())
def test_compilers_take_a_pragma_before_it(body: str) -> None:
    assert _loop(body).openmp


def test_the_header_of_an_inner_loop_is_joined_only_as_compilers_take_it() -> None:
    loops = "for (int i = 0; i < 60; i++) for (int j = 0; COND; j++) m[i][j] = 1;"
    text = f"double m[60][60]; void f(void) {{ {loops} }}"
    for condition, joined in (("j < 60", 2), ("(j < 60)", 1)):
        outer = loops_of(text.replace("COND", condition))[0]
        assert outer.collapse == joined


def test_what_is_annotated_has_no_pragma_between_a_hint_and_its_loop() -> None:
    text = f"""{_HEAD}
#define FAST _Pragma("GCC ivdep")
void f(void) {{
  FAST
  for (int i = 0; i < 99; i++) a[i] = 1;
  for (int i = 0; i < 99; i++) b[i] = 1;
}}
"""
    annotated = annotate(text, facts_of(text), AnnotateOptions("openmp"))
    assert annotated.count("#pragma omp parallel for") == 1
    assert "FAST\n  for" in annotated


def test_parentheses_out_of_a_macro_make_no_nest() -> None:
    text = f"{_HEAD} void f(int n) {{ int i;\n#define HDR (i = 0; i < n; i++)\nfor HDR a[i] = b[i]; }}"
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    assert facts.loops[0].verdict is Verdict.PARALLEL and not facts.scops


def test_where_an_array_begins_is_no_memory_that_threads_read() -> None:
    loop = _loop("for (double *q = a; q < a + 300; q++) *q = 3;")
    assert loop.verdict is Verdict.PARALLEL and loop.openmp
