"""Loops that programs for CPUs leave to the host for good, with the loops around them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cuvier.verification.verify import VerifyOptions, verify
from skeletons import CompileOptions
from species.source import PreprocessOptions
from tests.support import accelerated
from tests.support.machines import with_device

MACHINE = with_device(launch=3e-6, latency=2e-5)
PROGRAM = """#include <stdio.h>
#define N 300
static double A[N][N], x[N], big[400][1000];
static void steps(int t)
{
    STEPS
}
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            A[i][j] = i == j ? 9.0 : 1.0 / (3 + (i * 7 + j * 5) % 11);
    for (int i = 0; i < N; i++)
        x[i] = i % 13 + 0.1;
    for (int t = 0; t < 4; t++)
        steps(t);
    for (int i = 0; i < N; i++)
        printf("%.9e %.9e %.9e\\n", A[i][i / 2], x[i], big[i][i]);
    return 0;
}
"""
LEFT = {  # rows that need others from end to end
    "a triangle": """for (int k = 1; k < N; k++)
        for (int j = k; j < N; j++) A[k][j] = A[k - 1][N - 1 - j] / A[k - 1][k];""",
    "a recurrence": """for (int k = 1; k < N; k++) {
        double s = x[k];
        for (int i = 0; i < k; i++) s += A[k][i] * x[i];
        for (int i = 0; i < N; i++) A[k][i] = A[k - 1][N - 1 - i] + 0.01 * s;
        x[k] = s / 400; }""",
    "outer iterators": """for (int m = 0; m < 3; m++) { for (int k = 1; k < N; k++)
        for (int j = 0; j < N; j++) A[k][j] += 0.25 * A[k - 1][N - 1 - j] * m; }""",
    "a loop without an iteration": """const int n = 2; for (int m = 0; m < 3; m++) {
        for (int i = 2; i < n - 1; i++) for (int j = 0; j < N; j++) A[i][j] = A[i][N - 1 - j] + m;
        for (int k = 1; k < N; k++) for (int j = 0; j < N; j++) A[k][j] = A[k - 1][N - 1 - j] * 0.5 + m; }""",
    "iterators outside": """int k, j; for (k = 1; k < N; k++) for (j = 0; j < N; j++)
        A[k][j] = A[k - 1][N - 1 - j] + 1;""",
    "a while loop around": """int m = 0; while (m++ < 3) for (int k = 1; k < N; k++)
        for (int j = 0; j < N; j++) A[k][j] += A[k - 1][N - 1 - j] * 0.25;""",
    "a guard": """for (int k = 1; k < N; k++) for (int j = 0; j < N; j++)
        if (k > 2 * t) A[k][j] = A[k - 1][N - 1 - j] * 0.5 + t;""",
}
BIG = "for (int i = 0; i < 400; i++) for (int j = 0; j < 1000; j++) big[i][j] += A[i % N][j % N] * x[j % N];"


def made(loops: str, folder: Path, **options: object) -> accelerated.Written:
    source = folder / "program.c"
    source.write_text(PROGRAM.replace("STEPS", loops))
    wanted = CompileOptions(machine=MACHINE, **options)  # type: ignore[arg-type]
    return accelerated.resident(source, "opencl", folder / "out", wanted)


def body(program: accelerated.Written) -> str:
    """What is made of the steps, from the first loop on."""
    text = (program.folder / "program.c").read_text()
    return "for (" + text.split("void steps")[1].split("int main")[0].split("for (", 1)[1]


@pytest.mark.parametrize("name", LEFT)
def test_nothing_is_asked_inside(name: str, tmp_path: Path) -> None:
    program = made(LEFT[name], tmp_path)
    assert not re.search(r"program_(k\d|host)", body(program))
    assert any("the host is faster" in text for c in program.choices for _, _, text in c.why)


@pytest.mark.sampled(18)
@pytest.mark.skipif(not accelerated.has_opencl(), reason="no OpenCL device")
@pytest.mark.parametrize("name", LEFT)
@pytest.mark.parametrize("others", ["", BIG])
def test_the_same_comes_out(name: str, others: str, tmp_path: Path) -> None:
    made("{" + LEFT[name] + "}" + others, tmp_path)
    options = VerifyOptions(PreprocessOptions(), generation=CompileOptions(machine=MACHINE))
    result = verify(tmp_path / "program.c", "opencl", options)
    assert result.ok


@pytest.mark.sampled(2)
@pytest.mark.skipif(not accelerated.has_opencl(), reason="no OpenCL device")
@pytest.mark.parametrize("count", [0, 5])
def test_beside_loops_that_may_make_no_iteration(count: int, tmp_path: Path) -> None:
    nest = """for (int i = 0; i < c; i++) x[i] = x[i + 1] + m;
        for (int k = 1; k < N; k++) for (int j = 0; j < N; j++) A[k][j] = A[k - 1][N - 1 - j] * 0.5 + m;"""
    made(f"int c = x[0] * 10 + {count} - 1; for (int m = 0; m < 5; m++) {{ {nest} {BIG} }}", tmp_path)
    options = VerifyOptions(PreprocessOptions(), generation=CompileOptions(machine=MACHINE))
    assert verify(tmp_path / "program.c", "opencl", options).ok


@pytest.mark.sampled(4)
@pytest.mark.skipif(not accelerated.has_opencl(), reason="no OpenCL device")
@pytest.mark.parametrize("ctype", ["int", "unsigned", "unsigned char", "long"])
def test_outer_iterators_of_any_type(ctype: str, tmp_path: Path) -> None:
    """What is launched beside a nest leaves the loop around both as it is."""
    nest = """for (int k = 1; k < N; k++) for (int j = m; j + m < N; j++)
        A[k][j - m] = A[k - 1][N - 1 - j] + x[j] * m;"""
    text = f"for ({ctype} m = 0; m < 5; m++) {{ {nest} {BIG} }}"
    found = body(made(text, tmp_path))
    assert ("omp simd" in found) == (ctype != "unsigned char") and "program_k" in found
    options = VerifyOptions(PreprocessOptions(), generation=CompileOptions(machine=MACHINE))
    assert verify(tmp_path / "program.c", "opencl", options).ok


def test_others_that_are_launched_beside_them_keep_them(tmp_path: Path) -> None:
    """The host asks for what the loop needs, which is less than all that code around it may touch."""
    once = "for (int j = 1; j < N; j++) x[j] = A[j][N - j] * x[0];"
    program = made(f"for (int m = 0; m < 3; m++) {{ {once} x[0] += x[N / 2]; {BIG} }}", tmp_path)
    assert len(re.findall(r"program_k\d", body(program))) == 2


@pytest.mark.parametrize(
    "options",
    [{"without": frozenset({"threshold"})}, {"comm": "naive"}, {"forced": {"program_k1": "chunks"}}],
)
def test_they_can_be_kernels_all_the_same(options: dict[str, object], tmp_path: Path) -> None:
    program = made(LEFT["a triangle"], tmp_path, **options)
    assert re.search(r"program_k\d", body(program))


def test_unknown_sizes_are_asked_when_the_program_runs(tmp_path: Path) -> None:
    program = made(
        """int n = x[0]; for (int k = 1; k < N; k++)
        for (int j = 0; j < n; j++) A[k][j] += A[k - 1][n - 1 - j];""",
        tmp_path,
    )
    assert re.search(r"program_k\d", body(program))
