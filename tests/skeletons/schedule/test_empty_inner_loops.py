"""What inner loops touch that make no iteration need not be there: kernels must not copy it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skeletons import CompileOptions
from tests.support import accelerated
from tests.support.analysing import loops_of

REGIONS = {
    "a row that may be empty": ("s += A[i * 10 + j];", "m >= 1"),
    "a row of the loop's own length": ("s += A[i * m + j];", "m >= 1"),
}


@pytest.mark.parametrize("name", REGIONS)
def test_the_region_is_empty_then(name: str) -> None:
    body, condition = REGIONS[name]
    nest = f"for (int i = 0; i < n; i++) {{ double s = 0; for (int j = 0; j < m; j++) {body} C[i] = s; }}"
    text = f"void f(int n, int m, double *restrict C, const double *restrict A) {{ {nest} }}"
    kernel = loops_of(text)[0].kernel
    assert kernel is not None
    (region,) = (a.reads for a in kernel.arrays if a.name == "A")
    assert region is not None and str(region[0]).startswith(f"0:({condition} ? ")
    assert str(region[0]).endswith(" : -1)")


def test_declared_arrays_may_have_fewer_rows() -> None:
    """Where `m` is 0, `n` may be anything."""
    nest = "for (int i = 0; i < n; i++) { C[i] = 0; for (int j = 0; j < m; j++) C[i] += A[i][j]; }"
    kernel = loops_of(f"double A[9][9], C[99]; void f(int n, int m) {{ {nest} }}")[0].kernel
    assert kernel is not None
    reads = [str(r) for a in kernel.arrays if a.name == "A" for r in a.reads or ()]
    assert reads == ["0:(m >= 1 ? n-1 : -1)", "0:m-1"]


def test_a_base_loop_that_is_none_of_the_kernel_may_be_empty() -> None:
    """`k` is serial: the kernel spreads `i` alone, and `j` runs inside of it."""
    nest = "for (int i = 0; i < n; i++) for (int k = 0; k < 9; k++) for (int j = 0; j < m; j++)"
    text = f"void f(int n, int m, double *C) {{ {nest} C[i * 20 + j] = C[i * 20 + j] * 0.5 + k; }}"
    loop = loops_of(text)[0]
    assert loop.base_loops == ("i", "j") and loop.kernel is not None
    assert [one.iterator for one in loop.kernel.loops] == ["i"]
    assert all(str(a.writes[0]).startswith("0:(m >= 1 ? ") for a in loop.kernel.arrays if a.writes)


PROGRAM = """#include <stdio.h>
#include <stdlib.h>
static void f(int n, int m, int p, double *restrict C, const double *restrict A, const double *restrict B)
{
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < m; j++)
      s += A[i * 10 + j];
    for (int j = 0; j < p; j++)
      s += B[j] - A[50 + j];
    for (int j = i; j < m; j++)
      for (int k = 0; k < j - 3; k++)
        s += B[k + 7];
    C[i] += s;
  }
}
int main(void)
{
  for (int m = 0; m < 12; m += 4)
    for (int p = 0; p < 9; p += 4) {
      int a = m ? 40 + m : 0, b = p, last = m > 4 ? m - 1 - 3 + 7 : 0;
      if (p && a < 50 + p)
        a = 50 + p;
      if (b < last)
        b = last;
      double C[5] = {0}, *A = a ? malloc(a * sizeof *A) : NULL, *B = b ? malloc(b * sizeof *B) : NULL;
      for (int k = 0; k < a; k++)
        A[k] = k;
      for (int k = 0; k < b; k++)
        B[k] = k * k;
      f(5, m, p, C, A, B);
      printf("%d %d %g %g\\n", m, p, C[0], C[4]);
      free(A);
      free(B);
    }
  return 0;
}
"""


def checked(text: str, folder: Path, options: CompileOptions | None = None) -> accelerated.Written:
    """The CUDA program of a text, which under sanitizers prints what the text's own does."""
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    source = folder / "p.c"
    source.write_text(text)
    plain = accelerated.build_plain(source, folder, ["-w"])
    program = accelerated.written(source, "cuda", folder / "out", options=options or CompileOptions())
    binary = accelerated.build_shim(program, ["-w"])
    assert accelerated.run(binary, CUVIER_LAUNCH_ALL="1") == accelerated.run(plain)
    return program


def test_memory_that_is_not_there_is_not_copied(tmp_path: Path) -> None:
    assert checked(PROGRAM, tmp_path).skeletons


UP = "for (int k = 0; k < p; k++)"
REACHED = {
    "a branch": (f"{UP} if (k == 2) s += D[i][k];", "p >= 1 && p >= 3"),
    "a choice": (f"{UP} s += k != 2 ? A[i][k] : D[i][k];", "p >= 1 && p >= 3"),
    "downwards": ("for (int k = p - 1; k >= 0; k--) if (k == 2) s += D[i][k];", "p >= 1 && p >= 3"),
    "in steps": (
        "for (int k = p - 1; k > 0; k -= 3) if (k == 2) s += D[i][k];",
        "(p%3) == 0 && p >= 2 && p >= 3",
    ),
}


@pytest.mark.parametrize(("inner", "condition"), REACHED.values(), ids=REACHED.keys())
def test_an_iteration_that_is_not_reached(inner: str, condition: str) -> None:
    """Of `D`, only column 2 is read, and none where there are fewer."""
    nest = f"for (int i = 0; i < n; i++) {{ double s = 0; {inner} C[i] = s; }}"
    arrays = "double *restrict C, double A[restrict n][p], double D[restrict n][p]"
    kernel = loops_of(f"void f(int n, int p, {arrays}) {{ {nest} }}")[0].kernel
    assert kernel is not None
    (reads,) = (a.reads for a in kernel.arrays if a.name == "D")
    assert [str(r) for r in reads or ()] == [
        f"0:({condition} ? n-1 : -1)",
        f"2:({condition} ? 2 : 2-1)",
    ]


STRIPS = """#include <stdio.h>
static int m = 12, a[400];
static double b[500], c[12];
int main(void)
{
  for (int i = 0; i < 500; i++) b[i] = i;
  for (int s = 0; s < 499; s += 128) {
    for (int i = s; i <= (383 < s + 127 ? 383 : s + 127); i++)
      a[i] += m;
    m = (m * 5 + s) % 13;
  }
  for (int s = 0; s < 499; s += 128)
    for (int i = 0; i < m; i++)
      for (int j = s; j <= (383 < s + 127 ? 383 : s + 127); j++)
        c[i] = c[i] / 2 + b[j];
  unsigned long sum = 0;
  for (int i = 0; i < 400; i++) sum = sum * 3 + a[i];
  for (int i = 0; i < 12; i++) sum = sum * 3 + (unsigned long)c[i];
  printf("%lu\\n", sum);
  return 0;
}
"""


def test_a_strip_behind_the_last_one(tmp_path: Path) -> None:
    """Every strip is full, or empty: where the last begins, no array has as many cells as a full one."""
    options = CompileOptions(without=frozenset({"distribute", "interchange", "block"}))
    device = (checked(STRIPS, tmp_path, options).folder / "p_kernels.cu").read_text()
    assert "= (s <= 383 ? 128 : 0);" in device and "(s <= 383 ? (long)s+127 : s-1)" in device


FEWER_ROWS = """#include <stdio.h>
static unsigned A[200][200], B[200][200], C[200][200];
void below(int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = i + 1; k < n; k++)
        B[i][j] += A[i][k] * B[k][j];
}
void strip(int n, int m, int b)
{
  for (int i = b; i < b + 64; i++)
    for (int j = 0; j < m; j++)
      for (int k = b + 64; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}
int main(void)
{
  unsigned sum = 0;
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 200; j++)
      A[i][j] = i + j * 3, B[i][j] = i ^ j, C[i][j] = 1;
  below(200, 5);
  strip(200, 5, 192);
  strip(200, 7, 64);
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 200; j++)
      sum = sum * 31 + B[i][j] + C[i][j];
  printf("%u\\n", sum);
  return 0;
}
"""


def test_rows_that_an_array_does_not_have(tmp_path: Path) -> None:
    """Of the last strip, and the last block, no cell is touched: their rows would lie behind the arrays."""
    assert "contraction-narrow" in checked(FEWER_ROWS, tmp_path).skeletons
