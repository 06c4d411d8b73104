"""What is touched of every row, where the rows differ; and what is copied of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.accelerated import build_opencl, build_plain, build_shim, has_opencl, resident, run
from tests.support.analysing import loops_of

HEAD = "double A[40][50], B[40][50], V[50]; void f(int n, int k, double (*p)[50])"


def rows(body: str) -> tuple[str, str]:
    """Of the outermost loop's kernel: the rows of A that it reads, and those that it writes."""
    loop = next(loop for loop in loops_of(f"{HEAD} {{ {body} }}") if loop.depth == 0)
    assert loop.kernel is not None
    array = next(a for a in loop.kernel.arrays if a.name == "A")
    read, written = (", ".join(map(str, region)) for region in (array.read_rows, array.written_rows))
    return read, written


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("for (int i = 0; i < 40; i++) for (int j = 0; j <= i; j++) A[i][j] = 1;", "0:39, 0:cuvier_row"),
        ("for (int i = 0; i < 40; i++) for (int j = i; j < 50; j++) A[i][j] = 1;", "0:39, cuvier_row:49"),
        ("for (int i = 0; i < 40; i++) for (int j = 0; j < i; j++) A[j][i] = 1;", "0:38, cuvier_row+1:39"),
        ("for (int i = 0; i < 40; i++) A[i][i] = 1;", "0:39, cuvier_row:cuvier_row"),
        ("for (int i = 0; i < 40; i++) A[i][7] = 1;", "0:39, 7:7"),
        ("for (int i = 2; i < 40; i++) A[i][40 - i] = 1;", "2:39, -cuvier_row+40:-cuvier_row+40"),
        ("for (int i = 0; i < 40; i++) { A[i][i] = 1; for (int j = 0; j < i; j++) A[i][j] = 2; }",
         "0:39, 0:cuvier_row"),
    ],
)  # fmt: skip
def test_written_rows(body: str, written: str) -> None:
    assert rows(body) == ("", written)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 40; i++) for (int j = 0; j < 50; j++) A[i][j] = 1;",  # all of it
        "for (int i = 0; i < 40; i++) for (int j = 1; j < 49; j++) A[i][j] = 1;",  # nearly
        "for (int i = 0; i < 40; i++) for (int j = i; j < 50; j += 2) A[i][j] = 1;",
        "for (int i = 0; i < 40; i++) for (int j = 0; j < i; j++) if (V[j] > 0) A[i][j] = 1;",
        "for (int i = 0; i < 40; i++) for (int j = 0; j < i; j++) A[i][(int)V[j]] = 1;",
        "for (int i = 0; i < 20; i++) for (int j = 0; j < i; j++) A[2 * i][j] = 1;",  # not in every row
        "for (int i = 0; i < 40; i++) { A[i][i] = 1; if (i + 3 < 50) A[i][i + 3] = 2; }",  # two pieces
    ],
)
def test_rows_that_are_not_known(body: str) -> None:
    loop = loops_of(f"{HEAD} {{ {body} }}")[0]
    if loop.kernel is not None:
        assert all(array.written_rows == () for array in loop.kernel.arrays)


def test_read_rows() -> None:
    body = "for (int i = 0; i < 40; i++) { V[i] = 0; for (int j = 0; j < i; j++) V[i] += A[i][j]; }"
    assert rows(body) == ("1:39, 0:cuvier_row-1", "")


def test_rows_that_end_at_variables() -> None:
    body = "if (n < 40) for (int i = 0; i < n; i++) for (int j = i; j < k; j++) A[i][j] = 1;"
    assert rows(body)[1] == "0:(k-1 < n-1 ? k-1 : n-1), cuvier_row:k-1"


PROGRAM = """#include <stdio.h>
double A[SIZE][SIZE], B[SIZE][SIZE], sums[SIZE];
int main(void)
{
  for (int i = 0; i < SIZE; i++)
    for (int j = i; j < SIZE; j++)
      A[i][j] = i + 2 * j;
  for (int i = 1; i < SIZE; i++)
    sums[i] = sums[i - 1] * 0.5 + A[i / 2][i] + A[SIZE - 1][0];
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      B[i][j] = A[i][j] + 1;
  printf("%g %g %g\\n", sums[SIZE - 1], B[SIZE - 1][0], B[3][5]);
  return 0;
}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["cuda", "opencl"])
@pytest.mark.parametrize("size", [40, 300])
def test_pieces_and_what_lies_between(target: str, size: int, tmp_path: Path) -> None:
    if target == "opencl" and not has_opencl():
        pytest.skip("needs an OpenCL device")
    source = tmp_path / "rows.c"
    source.write_text(PROGRAM.replace("SIZE", str(size)))
    made = resident(source, target, tmp_path / target)
    build = build_opencl if target == "opencl" else build_shim
    binary = build(made, ("-DCUVIER_POISON",))
    counters = tmp_path / "counters.json"
    settings = {"CUVIER_OPENCL_COPY": "1", "CUVIER_COUNTERS": str(counters), "ASAN_OPTIONS": "detect_leaks=0"}
    assert run(binary, **settings) == run(build_plain(source, tmp_path))
    copies = json.loads(counters.read_text())["copies"]
    found = {(c["array"], c["direction"]): (c["count"], c["bytes"]) for c in copies if c["array"] == "A"}
    triangle = 8 * size * (size + 1) // 2
    rest = 8 * size * size - triangle
    if size <= 256:  # the lower triangle comes in rows, one of which ends where the next begins
        assert found == {("A", "out"): (size, triangle), ("A", "in"): (size - 1, rest)}
    else:
        assert found["A", "out"] == (1, 8 * size * size)
        assert found["A", "in"][0] == 1
