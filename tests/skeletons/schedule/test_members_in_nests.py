"""Nests over arrays and sizes that are members of structures are reordered like any others."""

# ruff: noqa: E501  (programs in few lines)
from __future__ import annotations

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


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_also_where_members_point_to_the_same_memory(tmp_path: Path) -> None:
    source = tmp_path / "grid.c"
    source.write_text(PROGRAM.replace("HEAD", HEAD).replace("SWEEP", SWEEP))
    _, made = same_three_ways(source, tmp_path)
    assert "_wave" in made
