"""Rows per thread: matrices are transposed where that pays, and the values are right either way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skeletons import CompileOptions
from tests.support import accelerated

SOURCE = accelerated.PROGRAMS / "rows.c"
SIZES = (0, 1, 2, 31, 32, 33, 65, 89)
ALWAYS = {"least": 1, "width": 32}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    plain = accelerated.build_plain(SOURCE, tmp_path_factory.mktemp("plain"))
    return {size: accelerated.run(plain, str(size)) for size in SIZES}


def chosen(found: accelerated.Written) -> list[int]:
    """The lines of the kernels with transposed matrices."""
    text = "".join(file.read_text() for file in found.folder.glob("rows_kernels.c*"))
    return [c.kernel.loops[0].spans.whole.start for c in found.choices if f"{c.kernel.name}_turned" in text]


def transposed(folder: Path, parameters: dict[str, int]) -> accelerated.Written:
    """With rows per thread, also where teams of threads would be faster."""
    options = CompileOptions(parameters=parameters, preferred=("rows",))
    return accelerated.written(SOURCE, "cuda", folder, options=options)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("parameters", [{}, {"least": 32}, ALWAYS])
def test_in_the_shim(parameters: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    found = transposed(tmp_path, parameters)
    assert found.skeletons.count("rows") == len(chosen(found)) == 4
    binary = accelerated.build_shim(found)
    for order in accelerated.ORDERS:
        assert {size: accelerated.run(binary, str(size), order=order) for size in SIZES} == expected


@pytest.mark.sampled(4)
@pytest.mark.parametrize("parameters", [{}, {"least": 32}, ALWAYS])
def test_with_opencl(parameters: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    options = CompileOptions(parameters=parameters, preferred=("rows",))
    found = accelerated.written(SOURCE, "opencl", tmp_path, options=options)
    assert found.skeletons.count("rows") == 4
    binary = accelerated.build_opencl(found)
    assert {size: accelerated.run(binary, str(size)) for size in SIZES} == expected


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert accelerated.spills(transposed(tmp_path, {}), architecture) == []


REFUSED = {
    "columns": "s += A[j][i];",
    "the row moves with the column": "s += A[i][j] + A[i][i];",
    "another matrix of the name": "s += A[i][j]; { double A[9][9]; A[1][j % 9] = 1; s += A[1][j % 9]; }",
    "a macro": "s += ROW[j];",
    "the iterator again": "for (int i = 0; i < 3; i++) s += A[i][j]; s += A[i][j];",
    "a pointer to the row": "{ double *p = A[i]; s += p[j]; }",
    "itself in a subscript": "s += A[i][(int)A[i][j]];",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str, tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(
        f"#define ROW A[i]\ndouble A[99][99], y[99];\nvoid f(int n) {{ for (int i = 0; i < n; i++) {{\n"
        f"double s = 0; for (int j = 0; j < n; j++) {{ {body} }} y[i] = s; }} }}\n"
    )
    assert "rows" not in accelerated.written(source, "cuda", tmp_path / "out").skeletons


WRITTEN = """#include <stdio.h>
#include <stdlib.h>
#define M 300
static double A[M][M], B[M][M], y[M];
static float C[M][M];
int main(int argc, char **argv)
{
  const int n = argc > 1 ? atoi(argv[1]) : M, m = argc > 2 ? atoi(argv[2]) : M;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      A[i][j] = i + 3 * j, B[i][j] = i - j, C[i][j] = i % 7 + j % 5;
  for (int i = 2; i < n; i++) {
    A[i][1] = B[i][1] / 2;
    for (int j = 2; j < m; j++)
      A[i][j] = (A[i][j] + A[i][j - 1]) / (2 + B[i][j - 1]) + C[i - 1][j];
    for (int j = m - 2; j >= 2; j--)
      B[i][j] = B[i][j + 1] / 4 - A[i][j];
    y[i] = A[i][m - 1];
  }
  double sum = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      sum = sum / 3 + A[i][j] + 2 * B[i][j];
  for (int i = 0; i < M; i++)
    sum = sum / 3 + y[i];
  printf("%.17g\\n", sum);
  return 0;
}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_written_matrices_are_turned_back(target: str, tmp_path: Path) -> None:
    if target == "opencl" and not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    source = tmp_path / "p.c"
    source.write_text(WRITTEN)
    plain = accelerated.build_plain(source, tmp_path, ["-w"])
    options = CompileOptions(preferred=("rows",), parameters={"least": 16})
    found = accelerated.written(source, target, tmp_path / "out", options=options)
    assert "rows" in found.skeletons
    device = "".join(path.read_text() for path in found.folder.glob("p_kernels.c*"))
    assert "A_turned" in device and "B_turned" in device
    binary = accelerated.build_shim(found, ["-w"]) if target == "cuda" else accelerated.build_opencl(found)
    for sizes in (("300", "300"), ("299", "37"), ("20", "300"), ("2", "2"), ("9", "1")):
        order = {"CUVIER_LAUNCH_ALL": "1"}
        assert accelerated.run(binary, *sizes, **order) == accelerated.run(plain, *sizes)
