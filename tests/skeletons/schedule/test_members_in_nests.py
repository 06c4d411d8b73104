"""Nests over arrays and sizes that are members of structures are reordered like any others."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from skeletons.catalogue.passes import WAVEFRONT
from species import AnalysisOptions, analyse
from species.facts import Scop
from species.source import PreprocessOptions, read_translation_unit
from tests.skeletons.program.test_sizes import program_of
from tests.support.three_ways import same_three_ways

HEAD = """typedef struct { int nx, ny; double *u, *rhs, h[8]; } grid;
typedef struct { int n, m; int *a; } table;
#define U(g, i, j) (g)->u[(i) + (j) * (g)->nx]
"""
SWEEP = """for (int j = 1; j < g->ny - 1; j++) for (int i = 1; i < g->nx - 1; i++)
 g->u[i + j * g->nx] = 0.25 * (g->u[i - 1 + j * g->nx] + g->u[i + 1 + j * g->nx] + g->u[i + (j - 1) * g->nx] + g->rhs[i + j * g->nx]);"""
SAME = {
    "members": f"void f(grid *g) {{ {SWEEP} }}",
    "a pointer and a size of its own": f"void f(grid *g) {{ double *u = g->u; int nx = g->nx; {SWEEP.replace('g->u', 'u').replace('g->nx', 'nx')} }}",
    "a structure by its name": f"void f(grid g) {{ {SWEEP.replace('g->', 'g.')} }}",
    "macros": "void f(grid *g) { for (int j = 1; j < g->ny; j++) for (int i = 1; i < g->nx; i++) U(g, i, j) = U(g, i - 1, j) + U(g, i, j - 1); }",
}  # fmt: skip


def scops(text: str) -> tuple[Scop, ...]:
    unit = read_translation_unit("members.c", PreprocessOptions(), text=HEAD + text)
    return analyse(unit, AnalysisOptions(scops=True)).scops


@pytest.mark.parametrize("name", SAME)
def test_sweeps_are_wavefronts(name: str) -> None:
    program = program_of(HEAD + SAME[name], "openmp")
    assert any(WAVEFRONT in choice.steps for choice in program.choices)


def test_arrays_have_the_names_of_the_text() -> None:
    [own], [local] = scops(SAME["members"]), scops(SAME["a pointer and a size of its own"])
    assert {a.variable for a in own.arrays} == {"g->u", "g->rhs"} and all(a.is_member for a in own.arrays)
    assert {a.variable for a in local.arrays} == {"u", "g->rhs"}


def test_members_are_no_cells() -> None:
    [scop] = scops(
        "void f(grid *g) { for (int i = 0; i < g->nx; i++) g->u[i] = g->rhs[i] * g->h[i & 7] / g->ny; }"
    )
    assert {a.name for a in scop.arrays} == {"g_u", "g_rhs"}


@pytest.mark.parametrize(
    "text",
    [
        "void f(grid *g) { for (int i = 0; i < 8; i++) for (int j = 0; j < g->nx; j++) { g->h[i] += g->u[j]; } }",
        "void f(table *t) { for (int i = 1; i < t->n; i++) for (int j = 1; j < t->m; j++) t->a[i * t->m + j] += t->a[i * t->m + j - 1]; }",
        "void f(grid *g, grid *other) { for (int i = 0; i < g->nx; i++) { g->u[i] = i; *g = other[i]; } }",
        "void f(grid *g) { for (int i = 0; i < 9; i++, g++) for (int j = 0; j < g->nx; j++) g->u[j] = i; }",
    ],
    ids=["a member is written", "of the type of what is written", "the structure is written", "another structure each"],
)  # fmt: skip
def test_members_that_may_change_keep_nests_as_they_are(text: str) -> None:
    assert not any(getattr(scop.nodes[0], "iterator", "") == "i" for scop in scops(text))


PROGRAM = """#include <stdio.h>
#include <stdlib.h>
HEAD
static void fill(grid *g) { for (int k = 0; k < g->nx * g->ny; k++) { g->u[k] = k % 7; g->rhs[k] = k % 5; } }
void sweep(grid *g) { SWEEP }
void columns(grid *g, double *x) { for (int i = 0; i < g->nx; i++) for (int j = 0; j < g->ny; j++) x[j] += g->u[i + j * g->nx] * g->h[1]; }
int main(void)
{
    int sizes[][2] = {{1, 1}, {3, 2}, {70, 9}, {130, 150}};
    for (int k = 0; k < 4; k++) {
        grid g = {sizes[k][0], sizes[k][1], malloc(sizes[k][0] * sizes[k][1] * sizeof(double)), malloc(sizes[k][0] * sizes[k][1] * sizeof(double)), {1, 2}};
        double *x = calloc(g.ny, sizeof *x), sum = 0;
        fill(&g);
        sweep(&g);
        double *own = g.rhs;
        g.rhs = g.u;
        sweep(&g);
        columns(&g, g.u);
        g.rhs = own;
        columns(&g, x);
        for (int j = 0; j < g.ny; j++) sum += x[j];
        for (int j = 0; j < g.nx * g.ny; j++) sum += g.u[j] * (j % 3);
        printf("%.12g\\n", sum);
        free(g.u), free(g.rhs), free(x);
    }
    return 0;
}
"""  # fmt: skip


OWN = {
    "a pointer": f"void f(grid *g) {{ {SWEEP} }}",
    "a variable": f"void f(int n) {{ grid s; fill(&s); {SWEEP.replace('g->', 's.')} use(&s); }}",
    "by macros": SAME["macros"],
    "an inlined helper": f"static double old(const grid *s, int k) {{ return s->rhs[k]; }} void f(grid *g) {{ {SWEEP.replace('g->rhs[i + j * g->nx]', 'old(g, i + j * g->nx)')} }}",
}  # fmt: skip
SHARED = {
    "a large one": f"struct {{ int nx, ny; double *u, *rhs, h[400]; }} *g; void f(void) {{ {SWEEP} }}",
    "a macro that pastes names": f"#define NAME(x) g##x\nvoid f(grid *g, int g1) {{ {SWEEP.replace('0.25', 'NAME(1)')} }}",
    "a pointer to several": f"void f(grid *g) {{ {SWEEP.replace('0.25', 'g[1].h[2]')} }}",
    "a pointer to several, in a function": f"static double next(const grid *s) {{ return (s + 1)->h[2]; }} void f(grid *g) {{ {SWEEP.replace('0.25', 'next(g)')} }}",
    "an array of it as an address": f"void f(grid *g) {{ {SWEEP.replace('0.25', '*(g->h + 1)')} }}",
}


@pytest.mark.parametrize("name", OWN)
def test_threads_have_copies_of_small_structures(name: str) -> None:
    text = program_of(f"{HEAD}void fill(grid *), use(grid *);\n{OWN[name]}", "openmp").files["sized.c"]
    directives = [line for line in text.splitlines() if "#pragma omp parallel" in line]
    assert directives and all(re.search(r" firstprivate\((g_own|s)\)", each) for each in directives)


def test_copies_are_made_where_the_nest_reads_the_structure_at_all() -> None:
    """Its sizes are no bounds: without iterations, the pointer may lead nowhere."""
    body = "for (int j = 1; j < m; j++) for (int i = 1; i < n; i++) U(g, i, j) = U(g, i - 1, j) + U(g, i, j - 1);"
    text = program_of(f"{HEAD}void f(grid *g, int n, int m) {{ {body} }}", "openmp").files["sized.c"]
    assert re.search(r"if \(\(m >= 2\) && \(n >= 2\).*\{\n *__typeof__\(\*g\) g_own = \*g;", text)


@pytest.mark.parametrize("name", SHARED)
def test_others_are_shared(name: str) -> None:
    assert "_own" not in program_of(HEAD + SHARED[name], "openmp").files["sized.c"]


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_also_where_members_point_to_the_same_memory(tmp_path: Path) -> None:
    source = tmp_path / "grid.c"
    source.write_text(PROGRAM.replace("HEAD", HEAD).replace("SWEEP", SWEEP))
    _, made = same_three_ways(source, tmp_path)
    assert "_wave" in made


HELPERS = """static double get(const grid *s, int i, int j) { return s->u[i + j * s->nx]; }
static void set(grid *s, int i, int j, double v) { s->u[i + j * s->nx] = v; }
static double *at(grid *s, int i, int j) { return &s->u[i + j * s->nx]; }
double total, base[9];
static void note(double v) { total += v; }
static double based(int i) { return base[i]; }
static void halved(double *v) { *v /= 2; }
static int first(const grid *s, int j) { for (int i = 0; i < s->nx; i++) if (s->u[i + j * s->nx] > 0) return i; return 0; }
"""
OVER = "for (int j = 1; j < g->ny; j++) for (int i = 1; i < g->nx; i++)"


@pytest.mark.parametrize(
    "body",
    [
        "set(g, i, j, get(g, i - 1, j) + get(g, i, j - 1));",
        "*at(g, i, j) = *at(g, i - 1, j) + *at(g, i, j - 1);",
        "{ double v = get(g, i - 1, j) + based(i & 7); g->u[i + j * g->nx] = v + get(g, i, j - 1); }",
    ],
)
def test_functions_may_get_and_set_elements(body: str) -> None:
    program = program_of(f"{HEAD}{HELPERS}void f(grid *g) {{ {OVER} {body} }}", "openmp")
    assert any(WAVEFRONT in choice.steps for choice in program.choices)


@pytest.mark.parametrize(
    "body",
    [
        "{ set(g, i, j, get(g, i - 1, j) + get(g, i, j - 1)); note(g->u[i]); }",
        "{ base[i & 7] = get(g, i, j - 1); set(g, i, j, based(j & 7)); }",
        "{ double v = get(g, i - 1, j) + get(g, i, j - 1); halved(&v); set(g, i, j, v); }",
        "set(g, i, j, get(g, i - 1, j) + get(g, i, j - 1) + first(g, j - 1));",
    ],
    ids=[
        "a sum in a function",
        "a written array by its name",
        "a variable by its address",
        "a loop in a function",
    ],
)
def test_functions_that_do_more_keep_the_nest_as_it_is(body: str) -> None:
    program = program_of(f"{HEAD}{HELPERS}void f(grid *g) {{ {OVER} {body} }}", "openmp")
    assert not any(choice.steps for choice in program.choices)
