"""Programs of which the generated one has to build, wherever macros, `#if` and names of files come from."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app
from cuvier.verification.verify import VerifyOptions, verify
from skeletons import CompileOptions, Library, compile_unit
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from transfers import around_kernels

pytestmark = pytest.mark.skipif(
    not (shutil.which("cc") and shutil.which("make")), reason="needs a C compiler `cc` and make"
)

TAKEN_BACK = """
#include <stdio.h>
#define A 256
static double x[A];
static void f(void) { for (int i = 0; i < A; i++) x[i] = i; }
#undef A
static void g(double *restrict A) { for (int i = 0; i < 200; i++) A[i] = 2 * A[i]; }
int main(void) { f(); g(x); printf("%g\\n", x[9]); return 0; }
"""
# The same names as macros of two kinds and as variables, and in functions that kernels call.
ANOTHER = """
#include <stdio.h>
#define N 100
#define SCALE(x) ((x) * K)
#define K 2
static double g(double x) { return x * K + N; }
double a[400], b[400];
static void one(void) { for (int i = 0; i < N; i++) a[i] = SCALE(b[i]) + g(i); }
#undef N
#undef K
#define N 200
#define K 5
static void two(void) { for (int i = 0; i < N; i++) b[i] = SCALE(a[i]) + g(i); }
#undef N
static void three(int N, double *restrict p) {
#undef K
  double K = 3;
  for (int i = 0; i < N; i++) p[i] = K * i;
}
int main(void) { one(); two(); three(300, a); printf("%g %g\\n", a[9], b[150]); return 0; }
"""
CONDITIONAL = """
#include <stdio.h>
#ifndef N
#define N 100
#endif
double a[N], b[N];
static void f(int n,
#if 1
  double *x,
#endif
  double *y)
{
  for (int i = 0; i < n; i++) x[i] = 2 * y[i];
}
#if N > 5
static void g(int n) {
#else
static void g(long n) {
#endif
  for (int i = 0; i < n; i++)
#ifdef N
    a[i] += b[i];
#else
    b[i] = 0;
#endif
}
int main(void) {
  for (int i = 0; i < N; i++) b[i] = i;
  f(N, a, b);
  g(N);
  printf("%g\\n", a[5]);
  return 0;
}
"""
# The function begins in another file, so nothing can stand before it.
BEGUN_ELSEWHERE = """
#include <stdio.h>
double p[100], q[100][100], r[100][100];
#include "head.inc"
  for (int i = 0; i < n; i++) p[i] = i;
  for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++)
    for (int k = 0; k < 100; k++) q[i][j] += r[i][k] * r[k][j];
}
int main(void) {
  for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) r[i][j] = i + j;
  split(p, 100);
  printf("%g %g\\n", p[5], q[4][5]);
  return 0;
}
"""
PROGRAMS = {
    "taken-back": TAKEN_BACK,
    "another": ANOTHER,
    "conditional": CONDITIONAL,
    "begun-elsewhere": BEGUN_ELSEWHERE,
}


def compiled(source: Path, folder: Path, *flags: str) -> None:
    done = CliRunner().invoke(build_app(), ["compile", str(source), "-o", str(folder), *flags])
    assert done.exit_code == 0, done.output


@pytest.mark.sampled(12)
@pytest.mark.parametrize("target", ["openmp", "opencl", "cuda"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_builds_and_does_the_same(name: str, target: str, tmp_path: Path) -> None:
    source = tmp_path / f"{name}.c"
    source.write_text(PROGRAMS[name])
    (tmp_path / "head.inc").write_text("static void split(double *restrict p, int n) {\n")
    device = "host-shim" if target == "cuda" else None
    result = verify(source, target, VerifyOptions(PreprocessOptions(), device=device))
    assert result.ok and result.kernels


@pytest.mark.parametrize("target", ["openmp", "opencl"])
def test_files_of_one_name_can_be_linked(target: str, tmp_path: Path) -> None:
    texts = {
        "one": "void fill(double *restrict a, int n) { for (int i = 0; i < n; i++) a[i] = i; }",
        "two": "void twice(double *restrict a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }",
    }
    for folder, text in texts.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "util.c").write_text(text)
        compiled(tmp_path / folder / "util.c", tmp_path / f"out-{folder}", "--target", target)
        subprocess.run(["make", "-s", "-C", tmp_path / f"out-{folder}"], check=True)
    main = tmp_path / "main.c"
    main.write_text(
        "#include <stdio.h>\nvoid fill(double *, int), twice(double *, int); double a[1000];\n"
        'int main(void) { fill(a, 1000); twice(a, 1000); printf("%g\\n", a[999]); return 0; }\n'
    )
    objects = sorted(tmp_path.glob("out-*/*.o"))
    libraries = ["-lOpenCL"] if target == "opencl" else ["-fopenmp"]
    subprocess.run(["cc", main, *objects, *libraries, "-lm", "-o", tmp_path / "main"], check=True)
    assert subprocess.run([tmp_path / "main"], capture_output=True, check=True).stdout == b"1998\n"


def test_folders_of_headers_are_found_from_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "size.h").write_text("#define SIZE 100\n")
    source = tmp_path / "app.c"
    source.write_text(
        "#include <size.h>\ndouble a[SIZE];\n"
        "int main(void) { for (int i = 0; i < SIZE; i++) a[i] = i; return a[7] != 7; }\n"
    )
    monkeypatch.chdir(tmp_path)
    compiled(source, tmp_path / "elsewhere" / "out", "-Iinclude", "--target", "openmp")
    subprocess.run(["make", "-s", "-C", "elsewhere/out"], check=True)


def test_a_parameter_is_a_macro_of_the_command_line(tmp_path: Path) -> None:
    source = tmp_path / "app.c"
    source.write_text(TAKEN_BACK.replace("#define A 256\n", ""))
    result = verify(source, "opencl", VerifyOptions(PreprocessOptions(defines=("A=256",))))
    assert result.ok and len(result.kernels) == 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suffix", [".c", ".i"])
def test_preprocessed_input(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "app.c").write_text(CONDITIONAL)
    source = tmp_path / f"done{suffix}"
    subprocess.run(["cc", "-E", tmp_path / "app.c", "-o", source], check=True)
    result = verify(source, "opencl", VerifyOptions(PreprocessOptions()))
    assert result.ok and result.kernels


def test_gcc_compiles_conditions_about_rows_beside_arrays_of_any_length(tmp_path: Path) -> None:
    """gcc 12 ended with an internal error at a compound literal in an `if` clause."""
    text = """\
void f(long wide, long high, float in[wide][high], float **out, int rows, int cols)
{
  for (int r = 0; r < rows; r++) {
    float run = 0;
    for (int c = 0; c < cols; c++) {
      run = run * 0.5 + in[r][c];
      out[r][c] = run;
    }
  }
}
"""
    source = tmp_path / "rows.c"
    source.write_text(text)
    unit = read_translation_unit(str(source), PreprocessOptions())
    facts = analyse(unit, AnalysisOptions(scops=True))
    made = compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), CompileOptions())
    (tmp_path / "made.c").write_text(made.files["rows.c"])
    assert "(cuvier_rows_apart((void *)" in made.files["rows.c"]
    command = ["gcc", "-O2", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-c", "made.c", "-o", "made.o"]
    subprocess.run(command, cwd=tmp_path, check=True)


REORDERED = """
#define VARIABLES int n = 3;
static double x[300][300], y[300][300];
int main(void) {
  int t, i, j;
  double half, other;
  VARIABLES
  for (t = 0; t < 5; t++) {
    for (j = 1; j < 299; j++)
      for (i = 1; i < 299; i++) { half = 0.5 * x[i][j]; other = half + y[i][j - 1]; y[i][j] = half * other; }
    for (j = 1; j < 299; j++)
      for (i = 1; i < 299; i++) x[i][j] = y[i][j] * n;
  }
  return (int)x[3][4];
}
"""


def test_nothing_is_left_declared_for_nothing(tmp_path: Path) -> None:
    """Nests that are reordered for a device have iterators of their own."""
    source = tmp_path / "app.c"
    source.write_text(REORDERED)
    done = CliRunner().invoke(
        build_app(), ["compile", str(source), "--target", "cuda", "-o", str(tmp_path / "out")]
    )
    assert done.exit_code == 0, done.output
    command = ["cc", "-c", "-fopenmp", "-Wall", "-Wextra", "-Werror", "app.c", "-o", "app.o"]
    subprocess.run(command, cwd=tmp_path / "out", check=True)
