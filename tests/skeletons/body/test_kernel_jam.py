"""Iterations side by side in kernels for CPUs: of outermost base loops, and of serial loops inside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skeletons import CompileOptions
from tests.nests.fuzz import Tally, for_opencl, run
from tests.support import accelerated
from tests.support.machines import CORES

PROGRAM = """#include <stdio.h>
#define N {size}
#define M {columns}
static double A[N + 1][M + 1], B[N + 1][M + 1];
static double u[N + M + 1], v[N + M + 1], w[N + M + 1];
static int work(void)
{{
    int p = 0, q = 0;
    {nest}
    return p + q;
}}
int main(void)
{{
    for (int i = 0; i < N + 1; i++)
        for (int j = 0; j < M + 1; j++)
            A[i][j] = (i * 7 + j * 3) % 31, B[i][j] = (i + 2 * j) % 9;
    for (int i = 0; i < N + M + 1; i++)
        u[i] = i % 5, v[i] = i % 11, w[i] = 0;
    int done = work();
    for (int i = 0; i < N + 1; i++)
        for (int j = 0; j < M + 1; j++)
            printf("%a %a\\n", A[i][j], B[i][j]);
    for (int i = 0; i < N + M + 1; i++)
        printf("%a\\n", w[i]);
    return done == 0;
}}
"""
ROWS = {
    "rank one": "for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) A[i][j] -= u[i] * v[j];",
    "offsets": "for (int i = 1; i < N; i++) for (int j = 2; j <= M; j++) A[i][j] = B[i - 1][j] + v[j - 2];",
    "steps": "for (int i = 0; i < N; i += 3) for (int j = M; j > 0; j -= 2) A[i][j] += u[j] * B[i][j];",
    "down": "for (int i = N; i >= 0; i--) for (int j = 0; j < M; j++) A[i][j] += v[j];",
    "parentheses": "for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) (A[i][j]) = (v[j]) + (B[i][j]);",
    "iterators outside": "for (p = 0; p < N; p++) for (q = 0; q < M; q++) A[p][q] += v[q];",
    "elimination": """for (int k = 0; k < (N < M ? N : M); k++)
        for (int i = k + 1; i < N; i++) for (int j = k + 1; j < M; j++) A[i][j] -= A[i][k] * A[k][j] / 64;""",
}
INSIDE = {
    "columns": "for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) w[j] += B[i][j] * u[i];",
    "and an update": """for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) {
        A[i][j] = A[i][j] + u[i] * v[j]; w[j] = w[j] + A[i][j] * 0.5; }""",
}


def made(nest: str, folder: Path, size: int, columns: int, **options: object) -> accelerated.Written:
    source = folder / "program.c"
    source.write_text(PROGRAM.format(nest=nest, size=size, columns=columns))
    wanted = CompileOptions(machine=CORES, strict_fp=True, **options)  # type: ignore[arg-type]
    return accelerated.resident(source, "opencl", folder / "out", wanted)


def kernels(program: accelerated.Written) -> str:
    return (program.folder / "program_kernels.cl").read_text()


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_several_base_loops_share_what_they_read(name: str, tmp_path: Path) -> None:
    text = kernels(made(ROWS[name], tmp_path, 300, 200, without=frozenset({"threshold"})))
    assert len(re.findall(r"enum { \w+_merged = 8 };", text)) == 1


@pytest.mark.parametrize(
    "nest",
    [
        ROWS["rank one"].replace("v[j]", "v[i + j]"),
        ROWS["rank one"].replace("j < M", "j < i % M"),
        ROWS["rank one"].replace("A[i][j] -=", "if (A[i][j] > 3) A[i][j] -="),
    ],
)
def test_others_are_made_one_by_one(nest: str, tmp_path: Path) -> None:
    assert "_merged" not in kernels(made(nest, tmp_path, 300, 200))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", INSIDE)
def test_serial_loops_inside_are_unrolled(name: str, tmp_path: Path) -> None:
    text = kernels(made(INSIDE[name], tmp_path, 300, 200))
    assert "i += 8" in text and "w_cell" in text
    assert "w_cell" not in kernels(made(INSIDE[name], tmp_path, 300, 200, without=frozenset({"jam"})))


@pytest.mark.parametrize("update", ["w[j] += u[i]", "(w[j]) += u[i]", "w[j]++", "--w[j]"])
def test_cells_of_a_single_row_are_no_shared_ones(update: str, tmp_path: Path) -> None:
    nest = f"for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) A[i][j] = v[j], {update};"
    assert not re.search(r"w_shared\b", kernels(made(nest, tmp_path, 1, 9)))


@pytest.mark.long
@pytest.mark.skipif(not accelerated.has_opencl(), reason="no OpenCL device")
def test_cells_that_all_iterations_combine_are_not_kept_by_each(tmp_path: Path) -> None:
    """`x[i - 1] ^= ...` in an inner loop, the same cell for all iterations that are made together."""
    tally = Tally()
    run([29031], tmp_path, tally, compiler=for_opencl)
    assert tally.functions == 1 and not tally.wrong


@pytest.mark.sampled(8)
@pytest.mark.skipif(not accelerated.has_opencl(), reason="no OpenCL device")
@pytest.mark.parametrize(("size", "columns"), [(1, 1), (7, 9), (8, 16), (65, 130), (133, 67), (521, 3)])
def test_results_are_equal_to_the_last_bit(size: int, columns: int, tmp_path: Path) -> None:
    """Each of the additions is made in the order of the source."""
    blocks = "\n".join("{" + nest + "}" for nest in (*ROWS.values(), *INSIDE.values()))
    program = made(blocks, tmp_path, size, columns)
    plain = accelerated.run(accelerated.build_plain(tmp_path / "program.c", tmp_path))
    binary = accelerated.build_opencl(program)
    assert accelerated.run(binary, CUVIER_LAUNCH_ALL="1") == plain
