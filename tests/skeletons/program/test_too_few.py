"""Loops of few iterations stay on the host where the OpenCL device is the host's own processor."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cuvier.verification.verify import VerifyOptions, verify
from models.machine import DEFAULT, Machine
from skeletons import CompileOptions
from species.source import PreprocessOptions
from tests.skeletons.catalogue.test_with import compiled
from tests.support import accelerated
from tests.support.accelerated import run
from tests.support.machines import with_device

MACHINE = with_device(launch=3e-6, latency=2e-5)
SOURCE = """#include <stdio.h>
#include <stdlib.h>
static double a[200000], b[200000], sum;
static void smooth(double *to, double *from, int n) {
    for (int i = 1; i < n - 1; i++) to[i] = 0.5 * from[i] + 0.25 * (from[i - 1] + from[i + 1]);
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0, last;
    if (n)
        for (int i = 0; i < 200000; i++) b[i] = i % 5;
    for (int i = 0; i < n; i++) a[i] = i % 17;
    for (int t = 0; t < 10; t++) {
        smooth(b, a, n);
        for (last = 0; last < n; last++) a[last] = b[last] + 0.125;
        a[0] += last;
    }
    for (int i = 0; i < n; i++) sum += a[i] * b[n - 1 - i];
    printf("%.17g %.17g\\n", sum, a[n / 2]);
    return 0;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> tuple[Path, Path]:
    """The original and what is made of it for a CPU."""
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    source = tmp_path / "few.c"
    source.write_text(SOURCE)
    options = CompileOptions(machine=MACHINE, strict_fp=True)
    written = accelerated.resident(source, "opencl", tmp_path / "out", options)
    return accelerated.build_plain(source, tmp_path), accelerated.build_opencl(written)


@pytest.mark.parametrize(("count", "launched"), [(0, 0), (1, 1), (1000, 1), (200000, 22)])
def test_what_is_launched(
    count: int, launched: int, program: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, binary = program
    counters = tmp_path / "counters.json"
    monkeypatch.setenv("CUVIER_COUNTERS", str(counters))
    assert run(binary, str(count)) == run(plain, str(count))
    assert sum(json.loads(counters.read_text())["launches"].values()) == launched


def test_everything_can_be_launched(program: tuple[Path, Path], tmp_path: Path) -> None:
    plain, binary = program
    counters = tmp_path / "counters.json"
    found = run(binary, "1000", CUVIER_COUNTERS=str(counters), CUVIER_LAUNCH_ALL="1")
    assert found == run(plain, "1000")
    assert sum(json.loads(counters.read_text())["launches"].values()) == 22


def test_devices_with_a_memory_of_their_own_are_always_asked(
    program: tuple[Path, Path], tmp_path: Path
) -> None:
    plain, binary = program
    counters = tmp_path / "counters.json"
    found = run(binary, "1000", CUVIER_COUNTERS=str(counters), CUVIER_OPENCL_COPY="1")
    assert found == run(plain, "1000")
    assert sum(json.loads(counters.read_text())["launches"].values()) == 22


@pytest.mark.parametrize(
    ("machine", "without"),
    [(DEFAULT, set()), (MACHINE, {"threshold"})],
    ids=["a graphics processor", "--without threshold"],
)
def test_not_everywhere(machine: Machine, without: set[str], tmp_path: Path) -> None:
    source = tmp_path / "few.c"
    source.write_text(SOURCE)
    options = CompileOptions(machine=machine, without=frozenset(without))
    written = accelerated.resident(source, "opencl", tmp_path / "out", options)
    assert "cuvier_may_stay()" not in (written.folder / "few_kernels.c").read_text()


def test_unknown_work_is_launched(tmp_path: Path) -> None:
    source = tmp_path / "unknown.c"
    source.write_text(
        """double a[1000][1000], b[1000];
        void known(int n) { for (int i = 0; i < n; i++) b[i] *= 2; }
        void rows(int n, int m) {
            for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < m; k++) s += a[i][k]; b[i] = s; }
        }
        void steps(int n) { for (int i = 0; i < n; i++) { double x = b[i]; while (x > 1) x /= 2; b[i] = x; }
        }"""
    )
    written = accelerated.resident(source, "opencl", tmp_path / "out", CompileOptions(machine=MACHINE))
    text = (written.folder / "unknown_kernels.c").read_text()
    functions = re.split(r"\n(?=(?:int|void) unknown_k)", text)[1:]
    assert ["cuvier_may_stay()" in function for function in functions] == [True, False, False]


def test_verify_looks_at_kernels_all_the_same(tmp_path: Path) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    source = tmp_path / "few.c"
    source.write_text(SOURCE)
    options = VerifyOptions(
        PreprocessOptions(), arguments=("1000",), generation=CompileOptions(machine=MACHINE)
    )
    result = verify(source, "opencl", options)
    assert result.ok
    assert result.kernels
    assert not result.unlaunched


def test_loops_inside_of_those_that_are_spread_count(tmp_path: Path) -> None:
    """Of four loops over tiles, work-items share three: the fourth is part of their iterations."""
    source = tmp_path / "transpose.c"
    source.write_text(
        """double a[3000][3000], b[3000][3000];
        void turn(void) {
            for (int i = 0; i < 3000; i++) for (int j = 0; j < 3000; j++) b[j][i] = a[i][j]; }"""
    )
    written = accelerated.resident(source, "opencl", tmp_path / "out", CompileOptions(machine=MACHINE))
    text = (written.folder / "transpose_kernels.c").read_text()
    (few,) = re.findall(r"\(double\)j_tile_trips \* i_tile_trips \* j_trips < (\d+) &&", text)
    assert 100 <= int(few) <= 5000


def test_iterations_that_take_no_time_have_no_threshold() -> None:
    text = "void f(int n, int m) { for (int k = 0; k <= 4; k++) { (void)n; (void)m; } }"
    files = compiled(text, "opencl", machine=MACHINE).files
    assert "p_k1" in files["p_kernels.cl"]
