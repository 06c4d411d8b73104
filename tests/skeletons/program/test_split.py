"""Launches that a device and the host share: each makes some of the iterations."""

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

from models.machine import Machine
from skeletons import CompileOptions
from tests.skeletons.program.test_host_versions import QUICK
from tests.support import accelerated
from tests.support.machines import CORES
from tests.support.places import ROOT

SOURCE = """#include <stdio.h>
#include <stdlib.h>
#define W 40
static double a[300][W], b[300][W];
static void sweep(int n) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < W - 1; j++) b[i][j] = 0.25 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]); }
static void back(int n) { for (int i = 1; i < n - 1; i++) for (int j = 1; j < W - 1; j++) a[i][j] = b[i][j]; }
static void down(double *x, long n) { for (long k = n - 1; k >= 0; k--) x[k] = 2 * x[k] + k; }
static void thirds(double *x, unsigned n) { for (unsigned k = 1; k < n; k += 3) x[k] += 0.5; }
static void ends(double *x, int n) { for (int i = 0; i < n / 2; i++) { double t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t; } }
static double dot(const double *x, const double *y, size_t n) { double s = 3; for (size_t i = 0; i < n; i++) s += x[i] * y[i]; return s; }
static int last(const double *x, int n) { int i, kept = -1; for (i = 0; i < n; i++) { kept = (int)x[i] % 100; } return kept + i; }
static void count(const double *x, int n, int *bins) { for (int i = 0; i < n; i++) bins[(int)x[i] & 7]++; }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 300, bins[8] = {0}, k;
  double *x = calloc(n + 8, sizeof *x), *y = calloc(n + 8, sizeof *y), s = 0;
  for (k = 0; k < n; k++) { x[k] = k % 7; y[k] = k % 11; }
  for (int i = 0; i < n; i++) for (int j = 0; j < W; j++) a[i][j] = (i * 5 + j * 3) % 16;
  for (int t = 0; t < 6; t++) {
    sweep(n); back(n); down(x, n); thirds(y, n); ends(x, n); s += dot(x, y, n);
    if (t % 3 == 0) { x[t] = 1; a[n / 2][t] += 1; s += a[n / 3][5]; }
  }
  count(x, n, bins);
  for (int i = 0; i < n; i++) for (int j = 0; j < W; j++) s += a[i][j] * (j % 5);
  printf("%.17g %d %d %d\\n", s, bins[3], last(x, n), k);
  free(x); free(y); return 0;
}
"""
STEPS = """#include <stdio.h>
#define N 300
#define W 40
static double a[N][W], b[N][W];
int main(void) {
  for (int i = 0; i < N; i++) for (int j = 0; j < W; j++) a[i][j] = (i * 5 + j * 3) % 16;
  for (int t = 0; t < 20; t++) {
    for (int i = 1; i < N - 1; i++) for (int j = 1; j < W - 1; j++) b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j]);
    for (int i = 1; i < N - 1; i++) for (int j = 1; j < W - 1; j++) a[i][j] = b[i][j];
  }
  double s = 0;
  for (int i = 0; i < N; i++) for (int j = 0; j < W; j++) s += a[i][j];
  printf("%.17g\\n", s);
}
"""
SHARES = ("0", "0.01", "0.3", "0.5", "0.77", "0.999", "1")
needs_gpp = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def _program(
    folder: Path, target: str, source: str = SOURCE, machine: Machine = QUICK
) -> accelerated.Written:
    (folder / "app.c").write_text(source)
    options = CompileOptions(machine=machine, beside="openmp", policy="split")
    return accelerated.resident(folder / "app.c", target, folder / "out", options)


def _log(binary: Path, folder: Path, *arguments: str, **settings: str) -> tuple[str, dict[str, Any]]:
    log = folder / "log.json"
    settings |= {"CUVIER_DECISIONS": str(log), "ASAN_OPTIONS": "detect_leaks=0"}
    return accelerated.run(binary, *arguments, **settings), json.loads(log.read_text())


@needs_gpp
def test_all_divisions_print_the_same(tmp_path: Path) -> None:
    """Sums of halves are exact here, in any order; without a share, the shim divides at random (it poisons)."""
    program = _program(tmp_path, "cuda")
    binary, plain = (
        accelerated.build_shim(program, ("-Wno-unknown-pragmas", "-DCUVIER_POISON")),
        accelerated.build_plain(tmp_path / "app.c", tmp_path),
    )
    for size in ("300", "2", "3", "41"):
        expected = accelerated.run(plain, size)
        for share in (*SHARES, *[""] * 3):
            printed, log = _log(binary, tmp_path, size, CUVIER_SHARE=share)
            assert printed == expected, (size, share)
            if size == "300" and share == "0.3":
                both = {d["kernel"] for d in log["decisions"] if d["taken"] == "both"}
                whole = {d["kernel"] for d in log["decisions"] if d["taken"] != "both"}
                assert len(both) >= 6 and whole  # what turns an array over, counts, or keeps its last value
                assert all(
                    abs(d["part"] - 0.3) < 0.01 and d["seconds"]["host"] > 0
                    for d in log["decisions"]
                    if "part" in d
                )


@needs_gpp
def test_what_moves_is_the_border(tmp_path: Path) -> None:
    """A time loop sends a row each way in every step, as the host's half has its rows and the device its own."""
    binary = accelerated.build_shim(_program(tmp_path, "cuda", STEPS), ("-Wno-unknown-pragmas",))
    accelerated.run(
        binary, CUVIER_SHARE="0.5", CUVIER_COUNTERS=str(tmp_path / "c.json"), ASAN_OPTIONS="detect_leaks=0"
    )
    copies = json.loads((tmp_path / "c.json").read_text())["copies"]
    rows = {
        d: sum(c["bytes"] for c in copies if c["array"] == "a" and c["direction"] == d) / (40 * 8)
        for d in ("in", "out")
    }
    assert 19 <= rows["in"] <= 25 and 19 <= rows["out"] <= 25, rows


@pytest.mark.skipif(not accelerated.has_opencl(), reason="needs OpenCL")
@pytest.mark.parametrize("machine", [QUICK, CORES], ids=["GPU", "CPU"])
def test_opencl(machine: Machine, tmp_path: Path) -> None:
    program = _program(tmp_path, "opencl", machine=machine)
    binary = accelerated.build_opencl(program, ("-Wno-unknown-pragmas",))
    expected = accelerated.run(accelerated.build_plain(tmp_path / "app.c", tmp_path))
    for copies in ("0", "1"):
        printed, log = _log(binary, tmp_path, CUVIER_SHARE="0.4", CUVIER_OPENCL_COPY=copies)
        assert printed == expected
        assert "both" in {d["taken"] for d in log["decisions"]}


@needs_gpp
def test_the_device_is_opened_once_it_pays(tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(STEPS)
    device = replace(QUICK.devices[0], opening=2e-5)
    options = CompileOptions(machine=replace(QUICK, devices=(device,)), beside="openmp", policy="split")
    program = accelerated.resident(tmp_path / "app.c", "cuda", tmp_path / "out", options)
    _, log = _log(accelerated.build_shim(program, ("-Wno-unknown-pragmas",)), tmp_path)
    taken = [decision["taken"] for decision in log["decisions"]]
    assert taken[0] == "host" and {"both", "device"} & {*taken}


@needs_gpp
def test_a_share_is_a_number_from_0_to_1(tmp_path: Path) -> None:
    binary = accelerated.build_shim(_program(tmp_path, "cuda"), ("-Wno-unknown-pragmas",))
    for text in ("1.5", "half", "-1", "nan"):
        environment = {**os.environ, "CUVIER_SHARE": text, "ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run([binary], capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 1 and done.stderr.startswith(f"cuvier: CUVIER_SHARE={text}: expected")


UNITS = {  # seconds for an iteration and before the first, by unit; how many steps at most
    "a CPU and four GPUs": ((10e-9, 1e-9, 1e-9, 2e-9, 0.5e-9), (0, 1e-5, 1e-5, 1e-5, 1e-5), 6),
    "two that are alike": ((1e-9, 1e-9), (0, 0), 1),
    "one that is five times as fast": ((5e-9, 1e-9), (0, 2e-5), 6),
    "one that takes long to begin": ((1e-9, 1e-9), (0, 1.0), 6),
}
HARNESS = """#include <stdio.h>
#include <string.h>
#define CUVIER_FUNCTION static __attribute__((__unused__))
#include "cuvier_balance.h"
static const double each[] = {EACH}, start[] = {START};
static double seconds(const void *none, int unit, double trips) { (void)none; return start[unit] + each[unit] * trips; }
int main(void) {
  const int count = sizeof each / sizeof *each;
  long shares[16] = {0};
  printf("%d", cuvier_balance(count, seconds, NULL, 1000000, shares));
  for (int k = 0; k < count; k++) printf(" %ld", shares[k]);
}
"""


@pytest.mark.parametrize("name", UNITS)
def test_shares_are_balanced(name: str, tmp_path: Path) -> None:
    """Algorithm 5.3 of seed 000: all units that work are done within 5 %, found in six steps."""
    each, start, most = UNITS[name]
    text = HARNESS.replace("EACH", ", ".join(map(str, each))).replace("START", ", ".join(map(str, start)))
    (tmp_path / "b.c").write_text(text)
    subprocess.run(
        [
            "cc",
            "-std=gnu11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-I",
            ROOT / "runtime",
            tmp_path / "b.c",
            "-o",
            tmp_path / "b",
        ],
        check=True,
    )
    steps, *shares = map(int, re.findall(r"\d+", accelerated.run(tmp_path / "b")))
    times = [s + e * n for s, e, n in zip(start, each, shares, strict=True) if n]
    assert sum(shares) == 1_000_000 and steps <= most
    assert max(times) <= 1.05 * min(times)
