"""Blocks of several time steps in kernels for CPUs through OpenCL (`time-tile`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from skeletons import CompileOptions
from skeletons.schedule.transform import timetile
from species.facts.loops import Verdict
from tests.support import accelerated
from tests.support.analysing import loops_of
from tests.support.machines import CORES

SWEEPS = {
    "there and back": """for (int i = 1; i < N - 1; i++) for (int j = 1; j < M - 1; j++)
            B[i][j] = 0.25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
        for (int i = 1; i < N - 1; i++) for (int j = 1; j < M - 1; j++) A[i][j] = B[i][j];""",
    "a staggered grid": """for (int j = 0; j < M; j++) B[0][j] = t;
        for (int i = 1; i < N; i++) for (int j = 0; j < M; j++) B[i][j] -= 0.5 * (C[i][j] - C[i - 1][j]);
        for (int i = 0; i < N; i++) for (int j = 1; j < M; j++) A[i][j] -= 0.5 * (C[i][j] - C[i][j - 1]);
        for (int i = 0; i < N - 1; i++) for (int j = 0; j < M - 1; j++)
            C[i][j] -= 0.7 * (A[i][j + 1] - A[i][j] + B[i + 1][j] - B[i][j]);""",
}
LEFT = {
    "no neighbours": """for (int i = 0; i < N; i++) for (int j = 0; j < M; j++)
            A[i][j] = A[i][j] * 0.5 + B[i][j];""",
    "rows far away": """for (int i = 9; i < N; i++) for (int j = 0; j < M; j++) B[i][j] = A[i - 9][j];
        for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) A[i][j] += B[i][j];""",
}
PROGRAM = """#include <stdio.h>
#define N {rows}
#define M 210
#define STEPS {steps}
static double A[N][M], B[N][M], C[N][M];
int main(void)
{{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            A[i][j] = (i * 7 + j * 3) % 31, B[i][j] = (i + j) % 5, C[i][j] = (i * j) % 7;
    for (int t = 0; t < STEPS; t++) {{
        {sweeps}
    }}
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            printf("%a %a %a\\n", A[i][j], B[i][j], C[i][j]);
    return 0;
}}
"""


def made(sweeps: str, folder: Path, rows: int, steps: int, *without: str) -> accelerated.Written:
    source = folder / "program.c"
    source.write_text(PROGRAM.format(sweeps=sweeps, rows=rows, steps=steps))
    options = CompileOptions(machine=CORES, without=frozenset(without))
    return accelerated.resident(source, "opencl", folder / "out", options)


def kernels(program: accelerated.Written) -> str:
    return (program.folder / "program_kernels.cl").read_text()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("rows", "steps"), [(601, 1), pytest.param(377, 40, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SWEEPS)
def test_the_results_are_the_same(name: str, rows: int, steps: int, tmp_path: Path) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    program = made(SWEEPS[name], tmp_path, rows, steps)
    assert "i_gap" in kernels(program) or "j_gap" in kernels(program) or steps == 1
    plain, binary = (
        accelerated.build_plain(tmp_path / "program.c", tmp_path),
        accelerated.build_opencl(program),
    )
    assert accelerated.run(binary, CUVIER_LAUNCH_ALL="1") == accelerated.run(plain)


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left(name: str, tmp_path: Path) -> None:
    assert "_gap" not in kernels(made(LEFT[name], tmp_path, 600, 23))


def test_it_can_be_left_out(tmp_path: Path) -> None:
    program = made(SWEEPS["there and back"], tmp_path, 600, 23, timetile.NAME)
    assert "_gap" not in kernels(program)


# Nobody knows which rows of memory of unknown size a block touches.
UNKNOWN = """void sweep(int n, int m, int steps, double a[restrict n][m], double b[restrict n][m])
{ for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++)
        b[i][j] = a[i - 1][j] + a[i + 1][j];
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) a[i][j] = b[i][j]; } }
"""


@pytest.mark.long
def test_blocks_that_devices_cannot_be_given_are_not_made(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(UNKNOWN)
    program = accelerated.resident(source, "opencl", tmp_path / "out", CompileOptions(machine=CORES))
    assert program.skeletons == ["chunks", "chunks"]
    assert "_block" not in (program.folder / "program.c").read_text()


@pytest.mark.long
def test_other_nests_of_the_file_keep_theirs(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(UNKNOWN + PROGRAM.format(sweeps=SWEEPS["there and back"], rows=600, steps=23))
    program = accelerated.resident(source, "opencl", tmp_path / "out", CompileOptions(machine=CORES))
    assert "_gap" in kernels(program)
    before = (program.folder / "program.c").read_text().split("int main")[0]
    assert "_block" not in before and "t < steps" in before


@pytest.mark.parametrize("sign", "<>")
def test_bounds_may_be_the_extreme_of_three(sign: str) -> None:
    inner = f"(b {sign} 2 * b ? b : 2 * b)"
    text = f"""int a[9000];
        void f(int n) {{ for (int b = 300; b < n; b += 100)
            for (int i = {inner} {sign} b - 300 ? {inner} : b - 300; i < b + 40; i++) a[i] = b; }}"""
    assert loops_of(text)[0].verdict is (Verdict.PARALLEL if sign == ">" else Verdict.SERIAL)
