"""Programs that choose by measured tables, the work that they count, and what they say of it."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.machine import ASSUMED, DEFAULT
from models.prediction.tables import KernelTables, Row, Rows, Tables
from skeletons import CompileOptions
from tests.support import accelerated

SHIM = "Cuvier host shim, driver CUDA 12.0"
SOURCE = """#include <stdio.h>
#include <stdlib.h>
static void twice(double *y, int n) { for (int i = 0; i < n; i++) y[i] *= 2; }
static void more(double *y, int n) { for (int i = 0; i < n; i++) y[i] += 1; }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 30000;
  double *a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = i % 7;
  for (int t = 0; t < 3; t++) { twice(a, n); more(a, n); }
  printf("%.17g\\n", a[n / 2]);
  free(a); return 0;
}
"""
QUICK = replace(DEFAULT, devices=(replace(ASSUMED, launch=1e-9, latency=1e-9, opening=0.0, copying=1e15),))
pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def _built(folder: Path, source: str = SOURCE, tables: Tables | None = None) -> Path:
    (folder / "app.c").write_text(source)
    options = CompileOptions(machine=QUICK, beside="openmp")
    program = accelerated.resident(folder / "app.c", "cuda", folder / "out", options)
    if tables is not None:
        (folder / "out/app_tables.h").write_text(tables.c_text("app.c"))
    return accelerated.build_shim(program, ("-Wno-unknown-pragmas",))


def _run(binary: Path, **settings: str) -> tuple[str, str]:
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **settings}
    done = subprocess.run([binary], capture_output=True, text=True, check=True, env=environment)
    return done.stdout, done.stderr


def _taken(folder: Path, binary: Path) -> tuple[dict[str, set[str]], list[dict[str, Any]], str]:
    """By kernel, where it ran; the decisions; and what was said on stderr."""
    log = folder / "log.json"
    _, said = _run(binary, CUVIER_DECISIONS=str(log))
    decisions = json.loads(log.read_text())["decisions"]
    found: dict[str, set[str]] = {}
    for each in decisions:
        found.setdefault(each["kernel"], set()).add(each["taken"])
    return found, decisions, said


def _level(each: float) -> Rows:
    return (Row(1000.0, 0.0, each),)


def _kernels(folder: Path) -> list[str]:
    manifest = json.loads((folder / "out/app_versions.json").read_text())
    return [each["name"] for each in manifest["kernels"] if each["function"] in ("twice", "more")]


def test_tables_decide(tmp_path: Path) -> None:
    """Each kernel runs where its tables say that it is faster; predictions are those of the tables."""
    _built(tmp_path)
    one, other = _kernels(tmp_path)
    slow, fast = {1: _level(1.0)}, {1: _level(1e-12)}
    tables = Tables(
        SHIM, {one: KernelTables("", slow, _level(1e-3)), other: KernelTables("", fast, _level(1e-3))}
    )
    found, decisions, said = _taken(tmp_path, _built(tmp_path, tables=tables))
    assert found[one] == {"device"} and found[other] == {"host"} and not said
    first = next(each for each in decisions if each["kernel"] == one)
    assert first["predicted"]["host"] == pytest.approx(30000) and first["iterations"] == 30000


def test_tables_of_another_device_are_not_used(tmp_path: Path) -> None:
    """It is said once, and the estimate is taken."""
    _built(tmp_path)
    one, other = _kernels(tmp_path)
    both = KernelTables("", {}, _level(1e-12))
    found, decisions, said = _taken(
        tmp_path, _built(tmp_path, tables=Tables("a GPU", {one: both, other: both}))
    )
    assert (
        said
        == f"cuvier: the tables of `cuvier profile` are for 'a GPU', this is '{SHIM}': they are not used\n"
    )
    last = [each for each in decisions if each["kernel"] == other][-1]
    assert last["predicted"]["device"] != pytest.approx(3e-8, rel=0.5)
    assert set(found) >= {one, other}


def test_copies_are_predicted_by_their_tables(tmp_path: Path) -> None:
    _built(tmp_path)
    one, other = _kernels(tmp_path)
    free = KernelTables("", {1: _level(1e-12)}, _level(1e-15))
    curves = ((1.0, 1e-9), (1e6, 1e-9)), ((1.0, 100.0), (1e6, 200.0))
    tables = Tables(SHIM, {one: free, other: free}, *curves)
    _, decisions, _ = _taken(tmp_path, _built(tmp_path, tables=tables))
    moving = [each for each in decisions if each["kernel"] == one and each["to_host"]]
    assert moving[0]["to_host"] == 240_000  # the loop before it has filled the array on the device
    assert moving[0]["predicted"]["host"] == pytest.approx(100 + 100 * (240_000 - 1) / (1e6 - 1), rel=1e-6)


NESTS = """#include <stdio.h>
#define N 70
static double a[N][N], b[N][N], c[N][N], y[4 * N];
static void product(int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0; for (int k = 0; k < n; k++) s += a[i][k] * b[k][j]; c[i][j] = s; } }
static void triangle(int n) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) c[i][j] = a[i][j] + b[j][i]; }
static void sweeps(int n) { for (int t = 0; t < 3; t++) for (int i = 1; i < n - 1; i += 2) y[i] = y[i] + t; }
static void solve(int n) { for (int k = 0; k < n - 1; k++) for (int i = k + 1; i < n; i++) for (int j = k + 1; j < n; j++) { double s = 0; for (int l = 0; l < 3; l++) s += l; b[i][j] -= b[i][k] * b[k][j] + s; } }
static void uneven(int n) { for (int i = 0; i < n; i++) { double s = i; while (s > 1) s /= 2; y[i] = s; } }
int main(void) { product(N - 3); triangle(N - 1); sweeps(N); uneven(N); solve(N); printf("%g %g\\n", c[5][3], y[7]); return 0; }
"""


def test_the_work_of_launches_is_counted(tmp_path: Path) -> None:
    """How often statements run, exactly, where loops say it; else the iterations of the base loops."""
    binary, log = _built(tmp_path, NESTS), tmp_path / "profile.json"
    _run(binary, CUVIER_PROFILE=str(log), CUVIER_POLICY="gpu")
    manifest = json.loads((tmp_path / "out/app_versions.json").read_text())
    names = {each["name"]: each["function"] for each in manifest["kernels"]}
    found = json.loads(log.read_text())
    assert found["device"] == SHIM
    sizes = [
        (names[p["kernel"]], (p["version"], p["outer"], p["parallel"], p["work"])) for p in found["points"]
    ]
    work = dict(sizes)
    n = 70
    assert work["product"] == ("device", n - 3, (n - 3) ** 2, (n - 3) ** 3)
    assert work["triangle"][3] == (n - 1) * n // 2
    assert work["sweeps"] == ("device", 34, 34, 3 * 34)
    solved = {size[1]: size[3] for name, size in sizes if name == "solve"}
    assert solved == {n - 1 - k: 3 * (n - 1 - k) ** 2 for k in range(n - 1)}
    assert work["uneven"] == ("device", n, n, n)


def test_profiles_time_every_launch(tmp_path: Path) -> None:
    binary, log = _built(tmp_path), tmp_path / "profile.json"
    plain, _ = _run(binary, CUVIER_POLICY="cpu", CUVIER_PROFILE=str(log))
    points = json.loads(log.read_text())["points"]
    assert plain == _run(accelerated.build_plain(tmp_path / "app.c", tmp_path))[0]
    assert sorted(p["count"] for p in points) == [1, 3, 3]
    assert all(0 < p["fastest"] <= p["seconds"] and p["version"] == "host" for p in points)
    unwritable = subprocess.run(
        [binary],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "CUVIER_PROFILE": "/no/folder/x"},
    )
    assert (
        unwritable.stdout == plain and "CUVIER_PROFILE=/no/folder/x: cannot be written" in unwritable.stderr
    )
