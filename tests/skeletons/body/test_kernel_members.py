"""Kernels over members of structures, and over what pointers lead to that are set before the nest."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from cuvier.verification.verify import VerifyOptions, verify
from skeletons import CompileOptions, Library, Program
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.analysing import facts_of, only_loop

HEAD = """
#include <stdio.h>
#include <stdlib.h>
#define ROWS 12
enum { COLUMNS = 9 };
typedef struct { int n; double *x, *y; double scale; } vec;
typedef struct { int w, h; double cells[ROWS][COLUMNS]; } grid;
struct owner { grid *g; vec v; unsigned bits : 3; };
static grid board;
static vec one;
"""

# Each is a function with a loop that becomes a kernel; what `main` calls prints what it has done.
KERNELS = {
    "pointers and numbers": """
        static void f(vec *v) { for (int i = 0; i < v->n; i++) v->y[i] += v->scale * v->x[i]; }""",
    "a local structure": """
        static void f(vec *p) { vec v = *p; for (int i = 0; i < v.n; i++) v.y[i] = 2 * v.x[i]; }""",
    "a global structure": """
        static void f(vec *v) {
            one = *v; for (int i = 0; i < one.n; i++) one.y[i] = one.x[i] + one.scale; }""",
    "an array in a structure": """static void f(vec *v) {
        for (int i = 0; i < board.w; i++)
            for (int j = 0; j < COLUMNS; j++) board.cells[i][j] = i + j;
        v->y[3] = board.cells[3][2]; }""",
    "an array behind a pointer": """static void g(grid *b, const grid *c) {
        for (int i = 1; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) b->cells[i][j] = c->cells[i - 1][j] + 1; }
        static void f(vec *v) { static grid other; other.cells[2][1] = v->x[1]; g(&board, &other); }""",
    "structures in structures": """static void g(struct owner *o) {
        for (int i = 0; i < o->g->w; i++) o->v.y[i] = o->g->h + o->v.x[i]; }
        static void f(vec *v) { struct owner o = {&board, *v, 3}; g(&o); }""",
    "an array of structures": """struct point { double at[2]; float weight; int id; };
        static struct point points[20];
        static void g(struct point *p, int n) {
            for (int i = 0; i < n; i++) p[i].at[1] += p[i].weight * p[i].id; }
        static void f(vec *v) {
            for (int i = 0; i < 20; i++) { points[i].weight = i; points[i].id = i % 3; }
            g(points, v->n); points[3].at[1] = 7;
            for (int i = 0; i < 20; i++) v->y[i] = points[i].at[1]; }""",
    "rows of structures": """
        typedef struct { unsigned char r, g; short tag; } pixel; static pixel image[4][5];
        static void g(pixel (*im)[5], int n) {
            for (int i = 0; i < n; i++) for (int j = 0; j < 5; j++) im[i][j].tag = im[i][j].r + j; }
        static void f(vec *v) { image[2][3].r = 200; g(image, 4); v->y[0] = image[2][3].tag; }""",
    "an array in a structure of numbers": """static void g(grid *b) {
            for (int i = 0; i < b->w; i++) for (int j = 0; j < COLUMNS; j++) b->cells[i][j] = i - b->h * j; }
        static void f(vec *v) { g(&board); v->y[1] = board.cells[3][2]; }""",
    "pointers set before": """static void f(vec *v) {
        double *x = v->x, *y = v->y; int n = v->n; for (int i = 0; i < n; i++) y[i] = 3 * x[i]; }""",
    "a pointer to an array": """static double table[20];
        static void f(vec *v) { double *t = table; for (int i = 0; i < 20; i++) t[i] = i;
            for (int i = 0; i < 20; i++) v->y[i] = table[i]; }""",
    "a pointer to rows": """static void f(vec *v) { double (*c)[COLUMNS] = board.cells; int n = v->n / 4;
        for (int i = 0; i < n; i++) for (int j = 0; j < COLUMNS; j++) c[i][j] = i * j; }""",
}

# In these, a member may not be read once and for all, or has no variable of its own.
HOST = {
    "a member that changes": """static void f(vec *v) {
        for (int i = 0; i < v->n; i++) { v->scale = i; v->y[i] = v->scale; } }""",
    "a bit-field": """static void f(vec *v) { struct owner o = {&board, *v, 3};
        for (int i = 0; i < (int)o.bits; i++) o.v.y[i] = i; }""",
    "a layout of its own": """struct __attribute__((packed)) point { char tag; double x; };
        static struct point points[20];
        static void f(vec *v) { for (int i = 0; i < 20; i++) points[i].x = i; v->y[0] = points[7].x; }""",
    "a layout of its own, whole": """
        #pragma pack(1)
        struct point { char tag; double x; }; static struct point points[20], others[20];
        static void f(vec *v) {
            for (int i = 0; i < 20; i++) points[i] = others[i]; v->y[0] = points[7].x; }""",
    "numbers that devices do not have": """struct point { char tag; long double x; };
        static struct point points[20];
        static void f(vec *v) { for (int i = 0; i < 20; i++) points[i].tag = i; v->y[0] = points[7].x; }""",
    "addresses in structures": """struct point { char tag; char *text; };
        static struct point points[20];
        static void f(vec *v) { for (int i = 0; i < 20; i++) points[i].tag = i; v->y[0] = points[7].tag; }""",
    "a macro": """#define SIZE(v) ((v)->n)
        static void f(vec *v) { for (int i = 0; i < SIZE(v); i++) v->y[i] = i; }""",
    "two names of one object": """static double table[20];
        static void f(vec *v) { double *t = table;
            for (int i = 0; i < 10; i++) t[i] = table[i + 10] + v->n; }""",
    "another pointer in every iteration": """
        static void f(vec *v) { for (int i = 0; i < 2; i++) { vec *w = v + i; w->y[0] = w->n; } }""",
}

MAIN = """
int main(void) {
  vec v[2] = {{20, malloc(160), malloc(160), 1.5}, {3, malloc(160), malloc(160), 2}};
  for (int k = 0; k < 2; k++) for (int i = 0; i < 20; i++) { v[k].x[i] = i + k; v[k].y[i] = 2 * i; }
  board.w = ROWS; board.h = COLUMNS;
  f(v);
  double sum = v->scale + v[1].y[0];
  for (int i = 0; i < 20; i++) sum = 2 * sum + v->y[i];
  for (int i = 0; i < ROWS * COLUMNS; i++) sum = 3 * sum + board.cells[i / COLUMNS][i % COLUMNS];
  printf("%.17g\\n", sum);
  free(v[0].x); free(v[0].y); free(v[1].x); free(v[1].y);
  return 0;
}
"""


def made(source: Path, target: str) -> Program:
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    unit, options = (
        read_translation_unit(str(source), flags),
        CompileOptions(without=frozenset({"threshold"})),
    )
    return generate(unit, analyse(unit, analysis), target, Library.load(), flags, analysis, options)


def within(program: Program, source: Path) -> list[str]:
    """The kernels that have replaced loops of `f` and `g`."""
    last = source.read_text()[: source.read_text().index("int main")].count("\n") + 1
    loops = [loop for loop in program.replaced if loop.position.line < last]
    return [loop.kernel.name for loop in loops if loop.kernel is not None]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_gets_members_in_variables(name: str, tmp_path: Path) -> None:
    source = tmp_path / "members.c"
    source.write_text(HEAD + KERNELS[name] + MAIN)
    assert within(made(source, "opencl"), source)
    result = verify(source, "opencl", VerifyOptions(PreprocessOptions()))
    assert result.ok


@pytest.mark.parametrize("name", HOST)
def test_what_no_variable_stands_for_stays_on_the_host(name: str, tmp_path: Path) -> None:
    source = tmp_path / "members.c"
    source.write_text(HEAD + HOST[name] + MAIN)
    assert not within(made(source, "opencl"), source)


def test_a_member_that_is_an_element_of_what_the_loop_writes(tmp_path: Path) -> None:
    source = tmp_path / "members.c"
    source.write_text(
        r"""#include <stdio.h>
        struct point { double x; int n; };
        static struct point points[20];
        static double y[20];
        static void f(struct point *p) { for (int i = 0; i < p->n; i++) {
            p[i].x = 3 + i; if (i == 0) y[i] = p->x; else y[i] = 1; } }
        int main(void) { points[0].n = 20; f(points); printf("%g %g\n", y[0], points[7].x); return 0; }"""
    )
    assert verify(source, "opencl", VerifyOptions(PreprocessOptions())).ok


def test_members_are_not_looked_at_where_the_loop_would_not(tmp_path: Path) -> None:
    """Null pointers to structures; members that overlap with what is written: the loop as it was."""
    source = tmp_path / "members.c"
    source.write_text(
        """#include <stdio.h>
        struct s { double k; double *x; };
        void f(int n, struct s *s) { for (int i = 0; i < n; i++) s->x[i] = s->k + 1; }
        int main(void) { struct s own = {1, 0}; double cells[9]; f(0, 0);
            own.x = &own.k; f(1, &own); printf("%g\\n", own.k);
            own.x = cells; f(9, &own); printf("%g\\n", cells[8]); return 0; }"""
    )
    program = made(source, "opencl")
    assert within(program, source)
    result = verify(source, "opencl", VerifyOptions(PreprocessOptions()))
    assert result.ok
    plain = tmp_path / "plain"
    subprocess.run(["gcc", source, "-o", plain], check=True)
    assert subprocess.run([plain], check=True, capture_output=True, text=True).stdout == "2\n3\n"


def test_the_region_of_an_array_in_elements_is_that_of_the_elements() -> None:
    """Its rows are none of its dimensions, also where an inner loop decides whether it is reached."""
    loop = only_loop(
        "for (i = 0; i < n; i++) for (j = 1; j < n; j++) ga[i] = gp[i].v[i];",
        "struct S { int x, y, v[16]; } gp[20]; int ga[20], n;",
    )
    assert loop.kernel is not None
    (read,) = (array.reads for array in loop.kernel.arrays if array.name == "gp")
    assert read is not None and [(r.low, r.high) for r in read] == [("0", "(n >= 2 ? n-1 : -1)")]


def test_tables_of_callees_keep_loops_off_devices_only() -> None:
    text = """static double of(const double *x, int k) { static const double table[3] = { 4, 0, 2 };
            double s = 0; for (int j = 0; j < 3; j++) s += table[j] * x[k + j]; return s; }
        void f(int n, double *restrict a, double *restrict b) {
            for (int i = 0; i < n; i++) a[i] = of(b, i); }"""
    (loop,) = (loop for loop in facts_of(text).loops if loop.function == "f")
    assert loop.kernel is not None and not loop.kernel.sharing_obstacle
    assert any("only a function knows 'table'" in reason.message for reason in loop.kernel.obstacles)
