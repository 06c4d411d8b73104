"""Threads that make several iterations: of which loop, where, and what the compiler is told then."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skeletons import CompileOptions
from tests.support import accelerated

ARRAYS = "double A[3000][3000], B[3000][3000], T[99][99][99], U[99][99][99], x[9000000], y[9000000]; int k;\n"
SKIP = "#define SKIP(c) if (c) continue\n"
ROW, COLUMN = "for (int i = 1; i < n; i++)", "for (int j = 1; j < m; j++)"
LANES = "for (int l = 1; l < p; l++)"


def text(body: str, folder: Path) -> str:
    source = folder / "p.c"
    source.write_text(f"{SKIP}{ARRAYS}void f(int n, int m, int p, double *v, double *w) {{ {body} }}\n")
    others = "reduction" if "s +=" in body and "q" not in body else "combine" if "k +" in body else "default"
    options = CompileOptions(preferred=(others,), without=frozenset({"distribute", "interchange"}))
    found = accelerated.written(source, "cuda", folder / "out", options=options)
    return (found.folder / f"{found.name}_kernels.cu").read_text()


NEIGHBOURS = {
    "rows of a stencil": (f"{ROW} {COLUMN} B[i][j] = A[i - 1][j] + A[i][j];", "i"),
    "rows of a flat stencil": (
        f"{ROW} for (int j = 1; j < 2999; j++) y[i * 3000 + j] = x[i * 3000 + j] + x[(i - 1) * 3000 + j];",
        "i",
    ),
    "layers": (f"{ROW} {COLUMN} {LANES} T[i][j][l] = U[i - 1][j][l] + U[i][j][l];", "i"),
    "rows in layers": (f"{ROW} {COLUMN} {LANES} T[i][j][l] = U[i][j - 1][l] + U[i][j][l];", "j"),
    "a short loop": (f"{ROW} {COLUMN} for (int q = 0; q < 2; q++) B[i][j] += A[i - q][j];", "i"),
}
APART = {
    "a copy": ("for (int i = 0; i < n; i++) y[i] = x[i];", "i"),
    "a copy of rows": (f"{ROW} {COLUMN} B[i][j] = A[i][j];", "j"),
    "a stencil along memory": ("for (int i = 1; i < n; i++) y[i] = x[i - 1] + x[i];", "i"),
    "a sum": ("double s = 0; for (int i = 0; i < n; i++) s += x[i]; y[0] = s;", "i"),
    "a histogram": ("for (int i = 0; i < n; i++) y[k + (int)x[i] % 9] += 1;", "i"),
}
ALONE = {
    "a long loop": f"{ROW} {{ double s = 0; for (int q = 0; q < m; q++) s += x[q]; y[i] = s; }}",
    "a triangle": f"{ROW} for (int j = 0; j < i; j++) B[i][j] = A[i][j] * 2;",
    "an end that a macro hides": "for (int i = 0; i < n; i++) { SKIP(x[i] > 3); y[i] = x[i]; }",
    "a loop that data ends": f"{ROW} {{ int q = 1; while (q < x[i]) q *= 2; y[i] = q; }}",
}


@pytest.mark.parametrize(("body", "loop"), NEIGHBOURS.values(), ids=NEIGHBOURS.keys())
def test_neighbours_share_what_they_read(body: str, loop: str, tmp_path: Path) -> None:
    found = text(body, tmp_path)
    assert re.search(rf"long {loop}_base = CUVIER_ID\(\w\) \* {loop}_each", found)
    assert f"iteration({loop}_first + {loop}_in);" in found


@pytest.mark.parametrize(("body", "loop"), APART.values(), ids=APART.keys())
def test_neighbouring_threads_touch_neighbouring_cells(body: str, loop: str, tmp_path: Path) -> None:
    assert f"iteration({loop}_base + {loop}_in * blockDim.x);" in text(body, tmp_path)


@pytest.mark.parametrize("body", ALONE.values(), ids=ALONE.keys())
def test_one_iteration_at_a_time(body: str, tmp_path: Path) -> None:
    found = text(body, tmp_path)
    assert "_coarse" not in found and "__restrict__" not in found


def test_the_compiler_is_told_what_is_apart(tmp_path: Path) -> None:
    found = text("for (int i = 0; i < n; i++) v[i] = w[i];", tmp_path)
    assert "double *__restrict__ v," in found and "const double *__restrict__ w," in found


def test_it_is_not_told_what_only_a_user_says(tmp_path: Path) -> None:
    species = "#pragma species kernel assume w[0:n-1]|element -> v[0:n-1]|element\n"
    found = text(f"\n{species}for (int i = 0; i < n; i++) v[i] = w[i];", tmp_path)
    assert "_device(" in found and "__restrict__" not in found


def test_transpositions_have_fewer(tmp_path: Path) -> None:
    assert "j_coarse = 2" in text(f"{ROW} {COLUMN} B[j][i] = A[i][j];", tmp_path)
