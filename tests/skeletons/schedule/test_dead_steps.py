"""Iterations of outermost loops whose results others overwrite (`dead-steps`)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cuvier.verification.verify import VerifyOptions, verify
from skeletons import CompileOptions
from skeletons.catalogue.passes import THRESHOLD
from species.source import PreprocessOptions
from tests.support import accelerated
from tests.support.machines import CORES

PROGRAM = """#include <stdio.h>
#define N 400
#define M 300
static double A[N][M], B[N][M], x[N + M], s;
static int k[N];
static void work(int steps, int m)
{
    NESTS
}
int main(void)
{
    for (int i = 0; i < N; i++) {
        k[i] = (i * 7) % N;
        for (int j = 0; j < M; j++)
            A[i][j] = (i * 7 + j * 3) % 31, B[i][j] = (i + j) % 5;
    }
    for (int i = 0; i < N + M; i++)
        x[i] = i % 17;
    work(0, M);
    work(1, M);
    work(9, M / 2);
    work(4, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            s += A[i][j] * (i % 7) + B[i][j] * (j % 5) + x[i + j] * (i % 3);
    printf("%.12e\\n", s);
    return 0;
}
"""
ROWS = "for (int i = 0; i < N; i++) for (int j = 0; j < m; j++)"
DEAD = {
    "one nest": f"for (int t = 0; t < steps; t++) {ROWS} A[i][j] = B[i][j] / (1.0 + t);",
    "one needs the other": f"""for (int t = 0; t < steps; t++) {{
        {ROWS} A[i][j] = B[i][j] * t;
        for (int i = 1; i < N; i++) for (int j = 0; j < m; j++) B[i][j] = B[0][j] + 2; }}""".replace(
        "B[i][j] * t", "x[j] * t"
    ),
    "running sums": """for (int t = 0; t < steps; t++) {
        for (int i = 0; i < N; i++) { A[i][0] = x[i] + t;
            for (int j = 1; j < m; j++) A[i][j] = A[i][j - 1] + x[j]; } }""",
    "downwards": f"for (int t = steps; t > 0; t -= 2) {ROWS} A[i][j] = x[i] * t;",
    "known steps": f"for (int t = 0; t < 50; t++) {ROWS} A[i][j] = x[i] * t;",
    "the last one read behind": f"""for (int t = 0; t < 50; t++) {ROWS} A[i][j] = x[i] * t;
        {ROWS} B[i][j] += A[i][j];""",
}
ALIVE = {
    "a sum": f"for (int t = 0; t < steps; t++) {ROWS} A[i][j] += B[i][j];",
    "the step before": f"""for (int t = 0; t < steps; t++) {{
        for (int i = 1; i < N; i++) for (int j = 0; j < m; j++) B[i][j] = A[i - 1][j] + 1;
        {ROWS} A[i][j] = B[i][j] * 0.5; }}""",
    "another row each time": "for (int t = 0; t < steps; t++) for (int j = 0; j < m; j++) A[t][j] = x[j];",
    "a condition of data": f"for (int t = 0; t < steps; t++) {ROWS} if (B[i][j] > t) A[i][j] = x[i] * t;",
    "a condition of the step": f"for (int t = 0; t < steps; t++) {ROWS} if (j > t) A[i][j] = x[i] * t;",
    "a place of data": f"for (int t = 0; t < steps; t++) {ROWS} A[k[i]][j] = x[i] * t;",
    "fewer each time": """for (int t = 0; t < steps; t++) for (int i = 0; i < N; i++)
        for (int j = 0; j < m - t; j++) A[i][j] = x[i] * t;""",
    "what another step left": f"""for (int t = 0; t < steps; t++) {{
        {ROWS} A[i][j] = x[j] + t;
        for (int i = 0; i < N; i++) B[i][t] = A[i][0]; }}""",
}


def text_of(nests: str, folder: Path, target: str, *without: str) -> str:
    source = folder / "program.c"
    source.write_text(PROGRAM.replace("NESTS", nests))
    short = {THRESHOLD} if target == "openmp" else set()  # loops are to be taken, too
    options = CompileOptions(machine=CORES, without=frozenset({*without, *short}))
    accelerated.resident(source, target, folder / "out", options)
    text = (folder / "out" / "program.c").read_text().split("void work")[1].split("int main")[0]
    kernels = [*(folder / "out").glob("*_kernels.c*")]
    return text + "".join(each.read_text().split("kernel_", 1)[-1] for each in kernels)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
@pytest.mark.parametrize("name", DEAD)
def test_the_last_one_is_made_alone(name: str, target: str, tmp_path: Path) -> None:
    text = text_of(DEAD[name], tmp_path, target)
    assert not re.search(r"\bint t\b", text)
    if target == "openmp":
        assert re.search(r"\bint t\b", text_of(DEAD[name], tmp_path, target, "dead-steps"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ALIVE)
def test_others_are_all_made(name: str, tmp_path: Path) -> None:
    assert "t" in {
        word.rstrip("_") for word in text_of(ALIVE[name], tmp_path, "openmp").replace(";", " ").split()
    }


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    ("name", "target"), [*((n, "openmp") for n in (*DEAD, *ALIVE)), *((n, "opencl") for n in DEAD)]
)
def test_the_same_comes_out(name: str, target: str, tmp_path: Path) -> None:
    if target == "opencl" and not accelerated.has_opencl():
        pytest.skip("no OpenCL device")
    source = tmp_path / "program.c"
    source.write_text(PROGRAM.replace("NESTS", (DEAD | ALIVE)[name]))
    result = verify(
        source, target, VerifyOptions(PreprocessOptions(), generation=CompileOptions(machine=CORES))
    )
    assert result.ok
