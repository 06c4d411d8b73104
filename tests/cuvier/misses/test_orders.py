"""Orders of threads, ranked by what they ask of caches."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app

# Sums of columns with the loops the wrong way round: neighbouring threads are a row apart.
COLUMNS = """
#define N 64
static int in[N][N], out[N][N];
int main(void) {
  for (int x = 0; x < N; x++)
    for (int y = 0; y < N; y++) {
      int sum = 0;
      for (int k = 0; k <= y; k++) sum += in[k][x];
      out[y][x] = sum;
    }
  return out[N - 1][N - 1] != 0;
}
"""
pytestmark = pytest.mark.skipif(
    not (shutil.which("gcc") and shutil.which("g++") and shutil.which("readelf")), reason="no gcc or g++"
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "columns.c"
    path.write_text(COLUMNS)
    return path


def asked(source: Path, *more: str) -> tuple[int, str]:
    command = ["cache", "orders", str(source), "--machine", "fermi-16k", *more]
    done = CliRunner().invoke(build_app(), command)
    return done.exit_code, f"{done.output}{done.exception or ''}"


def test_a_stride_puts_neighbours_side_by_side(source: Path) -> None:
    """As the seed found of the integral image by columns: it becomes the one by rows."""
    code, text = asked(source, "--json", "--order", "sequential", "--order", "stride(1)")
    assert code == 0, text
    (kernel,) = json.loads(text)["kernels"]
    assert kernel["levels"] == ["L1", "L2", "memory"]
    by_order = {each["order"]: each for each in kernel["orders"]}
    first, strided = by_order["sequential"], by_order["stride(1)"]
    assert first["accesses"] == strided["accesses"]  # of threads: the same, in another order
    assert strided["requests"][1] * 2 < first["requests"][1]
    assert [each["cost"] for each in kernel["orders"]] == sorted(each["cost"] for each in kernel["orders"])
    assert any("+cores(14)" in order for order in by_order)


def test_the_text_says_what_to_do(source: Path) -> None:
    code, text = asked(source, "--order", "stride(1)")
    assert code == 0 and "columns_k1" in text and "default" in text
    assert "--with order=columns_k1:" in text or "no order is better" in text


def test_a_kernel_that_no_order_changes(source: Path) -> None:
    source.write_text("int a[99]; int main(void) { for (int i = 0; i < 99; i++) a[i] = i; return 0; }")
    code, text = asked(source, "--order", "tile(8,8)")
    assert code == 0 and "no order" in text


def test_mistakes(source: Path) -> None:
    code, text = asked(source, "--order", "rings(3)")
    assert code != 0 and "is no order of threads" in text
    command = ["compile", str(source), "--target", "cuda", "-o", str(source.parent / "out"), "--no-check"]
    done = CliRunner().invoke(build_app(), [*command, "--with", "order=columns_k9:tile(8,8)"])
    assert "no kernel 'columns_k9'; there are columns_k1" in str(done.exception)
    done = CliRunner().invoke(build_app(), [*command, "--with", "order=columns_k1:tile(8,8)"])
    assert done.exit_code == 0
    text = (source.parent / "out" / "columns_kernels.cu").read_text()
    assert "= cuvier_order_tile(cuvier_turn, cuvier_points, y_trips, 8, 8)" in text
