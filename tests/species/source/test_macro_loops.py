"""Loops whose headers macros make: they are marked, and become kernels with the headers in their text."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.support.batch_trees import cuvier

PROGRAM = """\
#include <stdio.h>
#define SIZE 600
#define ROWS(y) for (unsigned y = 0; y < SIZE; ++y)
#define CELLS(y, x) ROWS(y) ROWS(x)
#define BLOCK { for (int z = 0; z < SIZE; z++) height[z][z] = 0; }
static float height[SIZE][SIZE], slope[SIZE][SIZE];
int main(void)
{
    double sum = 0;
    CELLS(y, x)
        height[y][x] = (float)(y * 7 + x * 3) / 5;
    for (int t = 0; t < 20; t++) {
        ROWS(y)
            ROWS(x) {
                float h = height[y][x];
                slope[y][x] = h * h + (float)t / (1 + h * h) + slope[y][x] / 3;
            }
        if (t == 3)
            BLOCK
    }
    ROWS(y)
        ROWS(x)
            sum += slope[y][x];
    printf("%.6e\\n", sum);
    return 0;
}
"""


def _run(*command: object) -> str:
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


def test_marks_stand_before_the_macros(tmp_path: Path) -> None:
    """They mean the loop that the macro begins with; one in the middle of a macro has no place for them."""
    source = tmp_path / "rows.c"
    source.write_text(PROGRAM)
    cuvier(tmp_path, "annotate", "--style", "openmp", "--all", "--in-place", "rows.c")
    text = source.read_text()
    assert re.findall(r"#pragma omp parallel for[^\n]*\n *(\w+)\(", text) == ["CELLS", "ROWS", "ROWS"]
    assert "BLOCK" in text and not re.search(r"#pragma[^\n]*\n *BLOCK", text)
    (tmp_path / "plain.c").write_text(PROGRAM)
    outputs = []
    for name in ("rows", "plain"):
        _run("gcc", "-fopenmp", "-O1", "-Wall", "-Werror", tmp_path / f"{name}.c", "-o", tmp_path / name)
        outputs.append(_run(tmp_path / name))
    assert outputs[0] == outputs[1]


def test_they_are_kernels(tmp_path: Path) -> None:
    """On threads; the loops of the source are counted as run."""
    source = tmp_path / "rows.c"
    source.write_text(PROGRAM)
    done = cuvier(tmp_path, "compile", "--target", "openmp", "-o", "out", "rows.c")
    assert "loops run on threads" in done.stderr and not re.search(r"\b0 of \d+ loops", done.stderr)
    assert "#pragma omp parallel for" in (tmp_path / "out" / "rows.c").read_text()
    _run("make", "-s", "-C", tmp_path / "out")
    _run("gcc", "-O1", source, "-o", tmp_path / "plain")
    one, other = (float(_run(program)) for program in (tmp_path / "out" / "rows", tmp_path / "plain"))
    assert abs(one - other) <= 1e-5 * abs(other)


PARENTHESES = """\
#include <stdio.h>
#define LOOP(i, a, b) for ((i) = (a); (i) <= (b); (i)++)
#define N 900
static double a[N + 1], c[N + 1][N + 1];
int main(void)
{
    int i, j;
    double t = 0;
    LOOP(i, 1, N) LOOP(j, 1, N) c[i][j] = (double)(i * j) / (1 + i);
    for ((i) = 1; ((i) <= N); (i)++)
        for (a[(i)] = 0, j = 1; j <= N; j++)
            a[i] += c[i][(j)] / (a[i] * a[i] + 1);
    LOOP(i, 1, N) t += a[i];
    printf("%.6e\\n", t);
    return 0;
}
"""


def test_parentheses_around_iterators_go(tmp_path: Path) -> None:
    """Compilers take no pragma before `for ((i) = 1; ..)`: generated programs have none."""
    source = tmp_path / "loops.c"
    source.write_text(PARENTHESES)
    cuvier(tmp_path, "compile", "--target", "openmp", "-o", "out", "loops.c")
    made = (tmp_path / "out" / "loops.c").read_text()
    assert len(re.findall(r"#pragma omp parallel for[^\n]*\n *for \(i = ", made)) == 2
    _run("make", "-s", "-C", tmp_path / "out")
    _run("gcc", "-O1", source, "-o", tmp_path / "plain")
    one, other = (float(_run(program)) for program in (tmp_path / "out" / "loops", tmp_path / "plain"))
    assert abs(one - other) <= 1e-5 * abs(other)
