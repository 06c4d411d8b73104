"""Sums in nests and loops that programs for accelerators leave to the host."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cuvier.verification.verify import VerifyOptions, verify
from skeletons import CompileOptions
from species.source import PreprocessOptions
from tests.support import accelerated
from tests.support.machines import CORES

# The sums of the solver depend on one another; the last loop depends on what they round.
PROGRAM = """#include <stdio.h>
#define N 301
static double L[N][N], x[N], z[N];
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            L[i][j] = i == j ? 9.0 : 1.0 / (3 + (i * 7 + j * 5) % 11);
    for (int i = 0; i < N; i++)
        x[i] = i % 13 + 0.1;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] /= L[i][i];
    }
    for (int i = 0; i < N; i++)
        z[i] = 3 * x[i];
    for (int i = 0; i < N; i++)
        printf("%.10e\\n", z[i]);
    return 0;
}
"""
PRAGMA = "#pragma omp simd"


def made(folder: Path, target: str, text: str = PROGRAM, **options: object) -> accelerated.Written:
    source = folder / "program.c"
    source.write_text(text)
    return accelerated.resident(
        source, target, folder / "out", replace(CompileOptions(machine=CORES), **options)
    )


def host(program: accelerated.Written) -> str:
    return (program.folder / "program.c").read_text()


@pytest.mark.parametrize("target", ["opencl", "cuda"])
def test_sums_of_serial_nests_are_in_variables(target: str, tmp_path: Path) -> None:
    program = made(tmp_path, target)
    text = host(program)
    assert "x_sum -= L[i][j] * x[j];" in text and f"{PRAGMA} reduction(+:x_sum)" in text
    assert "-fopenmp-simd" in (program.folder / "Makefile").read_text()
    binary = accelerated.build_shim(program) if target == "cuda" else accelerated.build_opencl(program)
    got = [float(line) for line in accelerated.run(binary).split()]
    plain = accelerated.run(accelerated.build_plain(tmp_path / "program.c", tmp_path))
    assert got == pytest.approx([float(line) for line in plain.split()], rel=1e-9)


@pytest.mark.parametrize("options", [{"strict_fp": True}, {"without": frozenset({"vectorise"})}], ids=str)
def test_sums_can_be_left_as_they_are(options: dict[str, object], tmp_path: Path) -> None:
    program = made(tmp_path, "opencl", **options)
    assert PRAGMA not in host(program)
    assert "-fopenmp-simd" not in (program.folder / "Makefile").read_text()


def test_loops_that_few_iterations_leave_to_the_host_are_marked(tmp_path: Path) -> None:
    text = """#include <stdio.h>
static double a[5000];
int main(void)
{
    double sum = 0;
    for (int i = 0; i < 5000; i++)
        a[i] = i % 7;
    for (int k = 1; k < 5000; k++) {
        double own = a[k];
        for (int i = 0; i < k; i++)
            own += a[i] * a[k - i - 1];
        a[k] = own / 1e5;
    }
    for (int i = 0; i < 5000; i++)
        sum += a[i];
    printf("%.9e\\n", sum);
    return 0;
}
"""
    program = made(tmp_path, "opencl", text)
    lines = host(program).split("\n")
    place = next(k for k, line in enumerate(lines) if f"{PRAGMA} reduction(+:own)" in line)
    indent = lines[place].index("#")
    assert lines[place + 1] == " " * indent + "for (int i = 0; i < k; i++)"
    got = float(accelerated.run(accelerated.build_opencl(program)))
    assert got == pytest.approx(
        float(accelerated.run(accelerated.build_plain(tmp_path / "program.c", tmp_path))), rel=1e-8
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["opencl", "cuda"])
def test_what_depends_on_them_is_compared_with_tolerance(target: str, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(PROGRAM)
    result = verify(source, target, VerifyOptions(PreprocessOptions()))
    assert result.ok and {"x", "z"} <= {item.name for item in result.items if not item.exact}
