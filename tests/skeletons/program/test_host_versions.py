"""Programs that choose between a device and the host's threads, launch by launch."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app
from models.machine import ASSUMED, DEFAULT, Machine
from skeletons import CompileOptions
from tests.support import accelerated

SOURCE = """#include <stdio.h>
#include <stdlib.h>
static void scale(double *y, const double *x, double a, int n) { for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i]; }
static double dot(const double *y, const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
static void turn(double *y, int n) { for (int i = 0; i < n / 2; i++) { double t = y[i]; y[i] = y[n - 1 - i]; y[n - 1 - i] = t; } }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 30000, i;
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), s = 0;
  for (i = 0; i < n; i++) { a[i] = i % 7; b[i] = i % 11; }
  for (int t = 0; t < 12; t++) { scale(a, b, 0.5, n); turn(b, n); s += dot(a, b, n); if (t % 5 == 0) a[t] = s; }
  printf("%.17g %d\\n", s, i);
  free(a); free(b); return 0;
}
"""
QUICK = replace(
    DEFAULT,
    devices=(
        replace(ASSUMED, launch=1e-9, latency=1e-9, opening=0.0, copying=1e15, bandwidth=1e15, double=1e15),
    ),
)
SLOW = replace(DEFAULT, devices=(replace(ASSUMED, launch=10.0),))
needs_gpp = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def _built(
    folder: Path, machine: Machine = QUICK, source: str = SOURCE, **settings: Any
) -> accelerated.Written:
    file = folder / "pair.c"
    file.write_text(source)
    options = CompileOptions(machine=machine, beside="openmp", **settings)
    return accelerated.resident(file, "cuda", folder / "out", options)


def _decided(binary: Path, policy: str | None, log: Path, *arguments: str) -> tuple[str, dict[str, Any]]:
    settings = {"CUVIER_DECISIONS": str(log), "ASAN_OPTIONS": "detect_leaks=0"}
    printed = accelerated.run(binary, *arguments, **settings, **({"CUVIER_POLICY": policy} if policy else {}))
    return printed, json.loads(log.read_text())


@needs_gpp
def test_policies(tmp_path: Path) -> None:
    """All print the same; each takes the versions that it says, and the log says which these were."""
    binary = accelerated.build_shim(_built(tmp_path), ("-Wno-unknown-pragmas",))
    plain = accelerated.run(accelerated.build_plain(tmp_path / "pair.c", tmp_path))
    log = tmp_path / "log.json"
    runs = {policy: _decided(binary, policy, log) for policy in ("gpu", "cpu", "fastest", "predict", None)}
    assert {printed for printed, _ in runs.values()} == {plain}
    taken = {policy: {d["taken"] for d in log["decisions"]} for policy, (_, log) in runs.items()}
    assert taken["gpu"] == {"device"} and taken["cpu"] == {"host"} and taken["fastest"] == {"host", "device"}
    assert runs[None][1]["policy"] == "predict"
    fastest = runs["fastest"][1]
    assert all(k["host"]["runs"] + k["device"]["runs"] in (1, 12) for k in fastest["kernels"])
    assert fastest["all"] == len(fastest["decisions"]) == 37


@needs_gpp
@pytest.mark.parametrize(("machine", "first"), [(QUICK, "device"), (SLOW, "host")], ids=["quick", "slow"])
def test_predictions_are_for_the_machine(machine: Machine, first: str, tmp_path: Path) -> None:
    binary = accelerated.build_shim(_built(tmp_path, machine), ("-Wno-unknown-pragmas",))
    _, log = _decided(binary, "predict", tmp_path / "log.json")
    assert log["decisions"][0]["taken"] == first
    for each in log["decisions"]:
        better = min(("host", "device"), key=lambda version: each["predicted"][version])
        assert each["taken"] == better


@needs_gpp
def test_bytes_that_would_move_are_counted(tmp_path: Path) -> None:
    """Once it is on the device, an array is not to be moved again; what the device wrote, the host waits for."""
    binary = accelerated.build_shim(_built(tmp_path), ("-Wno-unknown-pragmas",))
    _, log = _decided(binary, "gpu", tmp_path / "log.json", "1000")
    filling, scaling, turning, adding = log["decisions"][:4]
    assert (filling["to_device"], filling["to_host"]) == (0, 0)
    assert {d["to_device"] for d in (scaling, turning, adding)} == {
        0
    }  # the loop before them has filled both there
    assert scaling["to_host"] == 16000 and turning["to_host"] == 8000
    _, log = _decided(binary, "cpu", tmp_path / "log.json", "1000")
    assert {d["to_device"] for d in log["decisions"] if d["kernel"].endswith("k1")} == {16000}
    assert {d["to_host"] for d in log["decisions"]} == {0}


@needs_gpp
def test_a_device_is_opened_once_it_has_paid(tmp_path: Path) -> None:
    costly = replace(QUICK, devices=(replace(QUICK.devices[0], opening=1e-4),))
    binary = accelerated.build_shim(_built(tmp_path, costly), ("-Wno-unknown-pragmas",))
    _, log = _decided(binary, "predict", tmp_path / "log.json")
    taken = [d["taken"] for d in log["decisions"]]
    assert taken[0] == "host" and "device" in taken


@needs_gpp
def test_an_unknown_policy_names_the_known_ones(tmp_path: Path) -> None:
    binary = accelerated.build_shim(_built(tmp_path, policy="cpu"), ("-Wno-unknown-pragmas",))
    environment = {**os.environ, "CUVIER_POLICY": "gpus", "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([binary], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr == "cuvier: CUVIER_POLICY=gpus: there are predict, fastest, cpu, gpu, split, energy\n"
    _, log = _decided(binary, None, tmp_path / "log.json")
    assert log["policy"] == "cpu"


NESTED = """void add(double *x, int n, double v) { for (int i = 0; i < n; i++) x[i] += v; }
void rows(double x[40][9000]) { for (int k = 0; k < 40; k++) add(x[k], 9000, k); }
"""


FAR = """static double row(int i) { double s = 0; for (int k = 0; k < 3000; k++) s += (i ^ k) % 7; return s; }
static double mean(int i) { return row(i) / 3000; }
void rows(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 3 * mean(i); }
"""
POINTER = """struct way { double (*at)(int); };
static double row(int i) { double s = 0; for (int k = 0; k < 3000; k++) s += (i ^ k) % 7; return s; }
static const struct way way = {row}; double y[9000];
static void fill(void) { for (int i = 0; i < 9000; i++) y[i] = i; }
static void rows(double *x, int n) { for (int i = 0; i < n; i++) x[i] = way.at(i); }
int main(void) { static double x[9000]; fill(); rows(x, 9000); return x[7] > y[8]; }
"""


@pytest.mark.parametrize("source", [NESTED, FAR, POINTER], ids=["by name", "far away", "by a pointer"])
def test_threads_launch_nothing(source: str, tmp_path: Path) -> None:
    """A loop whose functions launch kernels has no version for threads, however far the calls lead."""
    text = (_built(tmp_path, source=source).folder / "pair.c").read_text()
    around = text[text.index("void rows") :].partition("int main")[0]
    assert "#pragma omp" not in around


def test_plain_loops_of_the_host_leave_the_users_directives_alone(tmp_path: Path) -> None:
    (tmp_path / "pair.c").write_text(SOURCE)
    options = CompileOptions(machine=QUICK, beside="c")
    made = accelerated.resident(tmp_path / "pair.c", "opencl", tmp_path / "out", options)
    assert "-fopenmp" not in (made.folder / "Makefile").read_text().replace("-fopenmp-simd", "")


def test_sums_stay_in_their_order(tmp_path: Path) -> None:
    text = (_built(tmp_path, strict_fp=True).folder / "pair.c").read_text()
    assert "reduction(" not in text and "#pragma omp parallel for" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--target", "openmp,c"), "name one device and one of openmp and c"),
        (("--target", "opencl,cuda,openmp"), "name one device and one of openmp and c"),
        (("--target", "cuda,openmp", "--comm", "naive"), "needs --comm static"),
        (("--target", "cuda,openmp", "--policy", "race"), "'race' is not one of"),
    ],
)
def test_what_no_program_chooses_between(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "pair.c").write_text(SOURCE)
    done = CliRunner().invoke(
        build_app(), ["compile", str(tmp_path / "pair.c"), *options, "-o", str(tmp_path / "out")]
    )
    assert done.exit_code == 2 or done.exception is not None
    assert said in done.output + str(done.exception)


def test_tuning_takes_one_target(tmp_path: Path) -> None:
    (tmp_path / "pair.c").write_text(SOURCE)
    done = CliRunner().invoke(build_app(), ["tune", str(tmp_path / "pair.c"), "--target", "opencl,openmp"])
    assert "takes one target, such as --target opencl" in done.output + str(done.exception)


def test_no_gain_is_predicted_of_a_device_that_nobody_has_measured(tmp_path: Path) -> None:
    text = (_built(tmp_path, DEFAULT).folder / "pair_kernels.cu").read_text()
    sites = re.findall(r"\{\{[\d.e+-]+, ([\d.e+-]+), 1, .*?\}, \{[\d.e+-]+, ([\d.e+-]+), 1", text)
    assert sites and all(float(device) >= float(host) for host, device in sites)


TRIANGLE = """void f(int n, double a[n][n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[i][j] = a[i][j] * 2 + i; }
"""


@pytest.mark.parametrize("target", ["opencl", "cuda"])
def test_every_way_out_of_a_launch_answers(target: str, tmp_path: Path) -> None:
    (tmp_path / "pair.c").write_text(TRIANGLE)
    options = CompileOptions(machine=QUICK, beside="openmp")
    made = accelerated.resident(tmp_path / "pair.c", target, tmp_path / "out", options)
    text = (made.folder / f"pair_kernels.{'c' if target == 'opencl' else 'cu'}").read_text()
    launch = text[text.index("int pair_k1(") :]
    assert "return 1;" in launch and "return;" not in launch[: launch.index("\n}")]
