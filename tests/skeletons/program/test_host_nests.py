"""The host's versions of a device's kernels: nests in the best order for threads, also of some iterations."""

# ruff: noqa: E501  (C, in lines as long as it likes)
from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from skeletons import CompileOptions
from tests.skeletons.program.test_host_versions import QUICK
from tests.support import accelerated

SOURCE = """#include <stdio.h>
#include <stdlib.h>
enum { M = 90, K = 70 };
static double a[M][K], b[K][M], c[M][M], d[M][M];
static void product(void) { int i, j, k; for (i = 0; i < M; i++) for (j = 0; j < M; j++) { c[i][j] *= 0.5; for (k = 0; k < K; k++) c[i][j] += 2 * a[i][k] * b[k][j]; } }
static void middle(int first, int last) { for (int i = first; i < last; i++) for (int j = 0; j < M; j++) for (int k = 0; k < K; k++) d[i][j] += a[i][k] * b[k][j]; }
static void triangle(int n) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) for (int k = 0; k < K; k++) d[i][j] += a[i][k] * a[j][k]; }
static void sums(int n, double r[M]) { for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < M; j++) s += c[i][j]; r[i] = s; } }
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : M; double r[M] = {0}, s = 0;
  for (int i = 0; i < M; i++) for (int k = 0; k < K; k++) { a[i][k] = (i * 3 + k) % 5; b[k][i] = (i + k * 7) % 4; }
  for (int i = 0; i < M; i++) for (int j = 0; j < M; j++) { c[i][j] = (i + j) % 8; d[i][j] = (i ^ j) % 16; }
  product(); middle(n / 5, n); triangle(n); sums(n, r);
  for (int i = 0; i < M; i++) { s += r[i] * (i % 3); for (int j = 0; j < M; j++) s += c[i][j] + d[i][j] * (j % 7); }
  printf("%.17g\\n", s); return 0;
}
"""
needs_gpp = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


def _written(folder: Path, **settings: Any) -> accelerated.Written:
    (folder / "app.c").write_text(SOURCE)
    options = CompileOptions(machine=QUICK, beside="openmp", policy="split", **settings)
    return accelerated.resident(folder / "app.c", "cuda", folder / "out", options)


@needs_gpp
@pytest.mark.parametrize("size", ["90", "0", "1", "2", "13"])
def test_every_division_prints_the_same(tmp_path: Path, size: str) -> None:
    """All sums are exact, in any order."""
    binary = accelerated.build_shim(_written(tmp_path), ("-fopenmp", "-DCUVIER_POISON"))
    expected = accelerated.run(accelerated.build_plain(tmp_path / "app.c", tmp_path), size)
    for share in ("0", "0.01", "0.4", "0.77", "1"):
        log = tmp_path / "log.json"
        settings = {"CUVIER_SHARE": share, "CUVIER_DECISIONS": str(log), "ASAN_OPTIONS": "detect_leaks=0"}
        assert accelerated.run(binary, size, **settings) == expected, share
        taken = {each["taken"] for each in json.loads(log.read_text())["decisions"]}
        assert "both" in taken or size != "90" or share in ("0", "1")


def test_products_begin_where_the_device_ends(tmp_path: Path) -> None:
    text = (_written(tmp_path).folder / "app.c").read_text()
    assert "row_first = app_host_at, row_end = M;" in text
    assert "product_product(app_host_at);" in text and "middle_product(first, app_host_at, last);" in text
    assert "triangle_product(app_host_at, n);" in text
    assert text.count("Blocked matrix products: what all of them share") == 1


@pytest.mark.parametrize("settings", [{"strict_fp": True}, {"wanted": frozenset({"deterministic"})}])
def test_the_order_of_sums_is_kept_where_it_counts(tmp_path: Path, settings: dict[str, Any]) -> None:
    assert "_product" not in (_written(tmp_path, **settings).folder / "app.c").read_text()
