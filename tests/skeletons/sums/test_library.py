"""`--with library`: products as calls of CBLAS, where it computes just that; run with one of our own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from skeletons import CompileOptions, Library, Program, compile_unit
from skeletons.program.requested import unmade
from species import analyse
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions, read_translation_unit
from tests.cuvier.commands.test_cli_commands import Cuvier, cuvier  # noqa: F401  (a fixture)
from tests.support.places import TESTS
from transfers import around_kernels

HERE = TESTS / "cblas"
needs_gcc = pytest.mark.skipif(
    not (shutil.which("gcc") and shutil.which("make")), reason="needs gcc and make"
)

ROWS = "for (int i = 0; i < n; i++) "
NEST = ROWS + "for (int j = 0; j < m; j++) for (int k = 0; k < p; k++) "
LOWER = ROWS + "for (int j = 0; j <= i; j++) for (int k = 0; k < p; k++) "
UPPER = ROWS + "for (int j = i; j < n; j++) for (int k = 0; k < p; k++) "
FORMS = {  # nests, and the functions that they become
    "plain": (NEST + "C[i][j] += A[i][k] * B[k][j];", ["dgemm"]),
    "scaled": (NEST + "C[i][j] += alpha * A[i][k] * B[k][j];", ["dgemm"]),
    "subtracted": (NEST + "C[i][j] -= A[i][k] * alpha * B[k][j];", ["dgemm"]),
    "left transposed": (NEST + "C[i][j] += A[k][i] * B[k][j];", ["dgemm"]),
    "right transposed": (NEST + "C[i][j] += A[i][k] * B[j][k];", ["dgemm"]),
    "both transposed": (NEST + "C[i][j] += A[k][i] * B[j][k];", ["dgemm"]),
    "output transposed": (NEST + "C[j][i] += A[i][k] * B[k][j];", ["dgemm"]),
    "shifted": (
        """for (int i = 2; i < n; i++) for (int j = 1; j <= m; j++) for (int k = 3; k < p; k++)
           C[i - 2][j + 1] += A[i][k - 3] * B[k][j - 1];""",
        ["dgemm"],
    ),
    "other order of loops": (
        """for (int k = 0; k < p; k++) for (int j = 0; j < m; j++) for (int i = 0; i < n; i++)
           C[i][j] = C[i][j] + B[k][j] * A[i][k];""",
        ["dgemm"],
    ),
    "two products": (NEST + "C[i][j] += A[i][k] * B[k][j] - D[i][k] * A[k][j];", ["dgemm", "dgemm"]),
    "batches": (
        "for (int b = 0; b < 40; b++) " + NEST + "V[b][i][j] += W[b][i][k] * U[b][k][j];",
        ["dgemm"],
    ),
    "several loops of rows": (
        """for (int b = 0; b < 40; b++) for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)
           for (int k = 0; k < p; k++) V[b][i][j] += W[b][i][k] * B[k][j];""",
        ["dgemm"],
    ),
    "floats": (NEST + "F[i][j] += 3 * G[i][k] * H[k][j];", ["sgemm"]),
    "numbers as sizes": (
        """for (int i = 0; i < 40; i++) for (int j = 0; j < 41; j++) for (int k = 0; k < 42; k++)
           X[i * 41 + j] += Y[i * 42 + k] * Z[k * 41 + j];""",
        ["dgemm"],
    ),
    "a lower triangle": (LOWER + "C[i][j] += A[i][k] * A[j][k];", ["dsyrk"]),
    "an upper triangle": (UPPER + "C[i][j] -= alpha * A[k][i] * A[k][j];", ["dsyrk"]),
    "columns outside": (
        "for (int j = 0; j < n; j++) for (int i = j; i < n; i++) for (int k = 0; k < p; k++) "
        "C[i][j] += A[i][k] * A[j][k];",
        ["dsyrk"],
    ),
    "columns outside, upper": (
        "for (int j = 2; j < n; j++) for (int i = 2; i <= j; i++) for (int k = 0; k < p; k++) "
        "C[i][j] += A[i][k] * A[j][k];",
        ["dsyrk"],
    ),
    "a shifted triangle": (
        "for (int i = 3; i < n; i++) for (int j = i; j < n; j++) for (int k = 1; k < p; k++) "
        "C[i][j] += A[i - 1][k] * A[j - 1][k];",
        ["dsyrk"],
    ),
    "two of a pair": (LOWER + "C[i][j] += alpha * (A[i][k] * B[j][k] + B[i][k] * A[j][k]);", ["dsyr2k"]),
    "two of a pair, transposed": (UPPER + "C[i][j] += A[k][i] * B[k][j] + B[k][i] * A[k][j];", ["dsyr2k"]),
}
REFUSED = {  # and why
    "whole numbers": (NEST + "I[i][j] += J[i][k] * K[k][j];", "its numbers are int"),
    "no diagonal": (
        LOWER.replace("<=", "<") + "C[i][j] += A[i][k] * A[j][k];",
        "no triangle with its diagonal",
    ),
    "no symmetry": (LOWER + "C[i][j] += A[i][k] * B[k][j];", "not of a symmetric product"),
    "no pair": (LOWER + "C[i][j] += A[i][k] * B[j][k] - B[i][k] * A[j][k];", "not of a symmetric product"),
    "a triangle as factor": (
        ROWS + "for (int j = 0; j < m; j++) for (int k = 0; k <= i; k++) C[i][j] += A[i][k] * B[k][j];",
        "a factor is a triangle",
    ),
    "weights": (NEST + "C[i][j] += A[i][k] * w[k] * B[k][j];", "no single element"),
    "two factors": (NEST + "C[i][j] += alpha * beta * A[i][k] * B[k][j];", "several factors"),
    "floats in a product of doubles": (NEST + "C[i][j] += G[i][k] * B[k][j];", "no element of an array"),
    "overlapping rows": (
        """for (int i = 0; i < 40; i++) for (int j = 0; j < 41; j++) for (int k = 0; k < 42; k++)
           X[i * 41 + j] += Y[i * 5 + k] * Z[k * 41 + j];""",
        "may overlap",
    ),
    "every other column": (
        NEST.replace("j < m", "j < 40") + "C[i][j] += A[i][k] * B[k][2 * j];",
        "takes no neighbours",
    ),
    "long iterators": (
        NEST.replace("int", "long") + "C[i][j] += A[i][k] * B[k][j];",
        "than an int can count",
    ),
    "from a negative number": (
        "for (int i = s; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < p; k++) "
        "C[i + 40][j] += A[i + 40][k] * B[k][j];",
        "than an int can count",
    ),
}
HEAD = """#include <stdio.h>
double A[90][90], B[90][90], C[90][90], D[90][90], U[40][90][90], V[40][90][90], W[40][90][90];
double X[40 * 41 + 99], Y[40 * 42 + 99], Z[42 * 41 + 99], w[90];
float F[90][90], G[90][90], H[90][90];
int I[90][90], J[90][90], K[90][90];
"""
MAIN = """
#define FILL(x, seed) do { for (unsigned u = 0; u < sizeof x; u += sizeof(ELEMENT)) \\
    *(ELEMENT *)((char *)x + u) = (int)((u * 7 + seed + u / 720) % 11) - 5; } while (0)
#define SUM(x) do { for (unsigned u = 0; u < sizeof x; u += sizeof(ELEMENT)) \\
    total = 0.75 * total + *(ELEMENT *)((char *)x + u); } while (0)
int main(void)
{
    double total = 0;
    static const int sizes[][3] = {
        {64, 50, 33}, {0, 5, 7}, {5, 0, 7}, {6, 7, 0}, {1, 1, 1}, {3, 80, 2}, {80, 4, 80}
    };
    for (int s = 0; s < 7; s++) {
#define ELEMENT double
        FILL(A, 1); FILL(B, 2); FILL(C, 3); FILL(D, 4); FILL(U, 6); FILL(V, 7); FILL(W, 8);
        FILL(X, 1); FILL(Y, 2); FILL(Z, 3);
#undef ELEMENT
#define ELEMENT float
        FILL(F, 1); FILL(G, 2); FILL(H, 3);
        f(sizes[s][0], sizes[s][1], sizes[s][2], 2, 3, 0);
        SUM(F);
#undef ELEMENT
#define ELEMENT double
        SUM(C); SUM(V); SUM(X);
#undef ELEMENT
        printf("%.17g\\n", total);
    }
    return 0;
}
"""


def source(nest: str, head: str = HEAD) -> str:
    return f"{head}void f(int n, int m, int p, double alpha, double beta, int s)\n{{\n{nest}\n}}\n"


def compiled(text: str, *wanted: str, **options: object) -> Program:
    unit = read_translation_unit("p.c", PreprocessOptions(), text=text)
    facts = analyse(unit, AnalysisOptions(scops=True))
    flags = CompileOptions(wanted=frozenset(wanted), **options)  # type: ignore[arg-type]
    return compile_unit(unit, facts, around_kernels(facts), "openmp", Library.load(), flags)


def said(program: Program) -> list[tuple[bool, str]]:
    return [
        (taken, text) for choice in program.choices for name, taken, text in choice.why if name == "library"
    ]


def ran(folder: Path, text: str, *flags: str) -> str:
    (folder / "p.c").write_text(text)
    command = ["gcc", "-g", "-O1", "-w", *flags, "-o", "p", "p.c", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    done = subprocess.run(["./p"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return done.stdout


@pytest.mark.sampled(6)
@needs_gcc
@pytest.mark.parametrize("name", FORMS)
def test_the_library_gives_what_the_loops_give(name: str, tmp_path: Path) -> None:
    nest, functions = FORMS[name]
    program = compiled(source(nest) + MAIN, "library")
    assert said(program) == [(True, f"cblas_{functions[0]}")]
    text = program.files["p.c"]
    assert [text.count(f"cblas_{function}(") for function in set(functions)] == [len(functions)]
    assert "malloc" not in text
    sanitizers = ("-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    got = ran(tmp_path, text, f"-I{HERE}", *sanitizers, str(HERE / "cblas.c"))
    assert got == ran(tmp_path, source(nest) + MAIN)


@needs_gcc
def test_macros_of_several_words(tmp_path: Path) -> None:
    head = "#define LOW 1 + 1\n#define HIGH 6 > 4 ? 60 : 4\n#define END 3 * 20\n" + HEAD
    nest = """for (int i = LOW; i < (HIGH); i++) for (int j = LOW; j < END; j++)
            for (int k = LOW; k < 50; k++) C[i][j] += A[i - 2][k + 1] * B[k][j];"""
    text = compiled(source(nest, head) + MAIN, "library").files["p.c"]
    assert "cblas_dgemm(" in text
    got = ran(tmp_path, text, f"-I{HERE}", "-fopenmp", str(HERE / "cblas.c"))
    assert got == ran(tmp_path, source(nest, head) + MAIN)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("wanted", [(), ("library",)])
@pytest.mark.parametrize(
    ("macros", "bound"),
    [
        ("#define HIGH (n > 4 ? n : 4)", "HIGH"),
        ("#define HIGH n\n#define WIDE (HIGH)", "WIDE"),
    ],
)
def test_macros_that_hide_variables(macros: str, bound: str, wanted: tuple[str, ...], tmp_path: Path) -> None:
    """No function that stands elsewhere can name these: what they stand for takes their place."""
    nest = f"""int i, j, k; for (i = 0; i < n; i++) for (j = 0; j < {bound}; j++) for (k = 0; k < p; k++)
        C[i][j] += A[i][k] * B[k][j];"""
    text = source(nest, macros + "\n" + HEAD) + MAIN
    made = compiled(text, *wanted).files["p.c"]
    assert "_product" in made or "cblas_dgemm(" in made
    flags = (f"-I{HERE}", "-fopenmp", str(HERE / "cblas.c"))
    assert ran(tmp_path, made, *flags) == ran(tmp_path, text)


@pytest.mark.parametrize("wanted", [(), ("library",)])
@pytest.mark.parametrize(("macros", "bound"), [("#define TRIANGLE (i + 1)\nint i, j, k;", "TRIANGLE")])
def test_macros_that_hide_variables_of_the_file(macros: str, bound: str, wanted: tuple[str, ...]) -> None:
    """A product would need the iterators as variables of its own."""
    nest = f"""for (i = 0; i < n; i++) for (j = 0; j < {bound}; j++) for (k = 0; k < p; k++)
        C[i][j] += A[i][k] * B[k][j];"""
    own = "" if "int i" in macros else "int i, j, k;"
    program = compiled(source(own + nest, macros + "\n" + HEAD), *wanted)
    assert "_product" not in program.files["p.c"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", REFUSED)
def test_what_the_library_does_not_compute(name: str) -> None:
    nest, why = REFUSED[name]
    program = compiled(source(nest), "library")
    assert [(taken, why in text) for taken, text in said(program)] == [(False, True)], said(program)
    assert "cblas" not in program.files["p.c"]
    assert program.files == compiled(source(nest)).files


@pytest.mark.parametrize(
    ("parameters", "nest", "expected"),
    [
        (
            "int n, int m, int p, double C[n][m], double A[n][p], double B[p][m]",
            "C[i][j] += A[i][k] * B[k][j];",
            True,
        ),
        (
            "int n, int m, int p, double C[n][99], double A[n][99], double B[p][99]",
            "C[i][j] += A[i][k] * B[k][j];",
            True,
        ),
        ("int n, int m, int p, double **C, double **A, double **B", "C[i][j] += A[i][k] * B[k][j];", False),
        (
            "int n, int m, long p, double C[n][m], double A[n][p], double B[p][m]",
            "C[i][j] += A[i][k] * B[k][j];",
            False,
        ),
    ],
)
def test_parameters(parameters: str, nest: str, expected: bool) -> None:
    program = compiled(f"void f({parameters})\n{{\n{NEST}{nest}\n}}\n", "library")
    assert ("cblas_dgemm(" in program.files["p.c"]) == expected


def test_names_of_the_file_come_first() -> None:
    text = "static void cblas_dgemm(int x) { (void)x; }\n" + source(FORMS["plain"][0])
    program = compiled(text, "library")
    assert said(program) == [(False, "the file has a cblas_dgemm of its own")]


def test_sums_in_the_order_of_the_source_are_no_call() -> None:
    text = source(FORMS["plain"][0])
    assert not said(compiled(text, "library", strict_fp=True))
    assert unmade(["library"], compiled(text, "library", strict_fp=True).choices) == ["library"]
    assert not unmade(["library"], compiled(text, "library").choices)
    assert "BLAS" not in compiled(text).files["Makefile"]


@needs_gcc
def test_make_and_verify(cuvier: Cuvier, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    Path("p.c").write_text(source(FORMS["plain"][0]) + MAIN)
    made = cuvier("compile", "p.c", "--target", "openmp", "--with", "library", "--explain", "-o", "out")
    assert "  taken library: cblas_dgemm\n" in made.out
    subprocess.run(["gcc", "-c", "-O1", "-w", "-o", "blas.o", HERE / "cblas.c"], check=True)
    environment = {**os.environ, "BLAS_LIBS": str(Path("blas.o").resolve()), "BLAS_FLAGS": f"-I{HERE}"}
    subprocess.run(["make", "-s", "-C", "out", "CFLAGS=-O1"], check=True, env=environment)
    monkeypatch.setenv("BLAS_FLAGS", environment["BLAS_FLAGS"])
    monkeypatch.setenv("BLAS_LIBS", environment["BLAS_LIBS"])
    assert cuvier("verify", "p.c", "--target", "openmp", "--with", "library").status == 0
    monkeypatch.setenv("BLAS_LIBS", "nothing.o")
    failed = cuvier("verify", "p.c", "--target", "openmp", "--with", "library")
    assert failed.status == 2
    assert "BLAS_LIBS" in failed.err
