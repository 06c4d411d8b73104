"""`--with library` for CUDA: products as calls of cuBLAS, run in the host shim with a stand-in of our own."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from models.errors import SkeletonError
from skeletons import CompileOptions
from skeletons.program.requested import unmade
from tests.cuvier.commands.test_cli_commands import Cuvier, cuvier  # noqa: F401  (a fixture)
from tests.kernels.framed import framed
from tests.support import accelerated
from tests.support.places import TESTS

HERE = TESTS / "cublas"
LIBRARY = CompileOptions(wanted=frozenset({"library"}))
SHAPES = ("0 0 0", "1 1 1", "1 7 3", "7 1 3", "9 5 1", "6 7 0", "20 33 10", "40 3 17")
SUM = "real s = 0; for (int k = 0; k < p; k++) s += A[i][k] * B[k][j];"
PRODUCT = "for (int k = 0; k < p; k++) C[i][j] += A[i][k] * B[k][j];"
ALL = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
LOWER = "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++)"
UPPER = "for (int i = 0; i < n; i++) for (int j = i; j < n; j++)"
SQUARE = {"C": "[n][n]", "A": "[n][p]", "B": "[n][p]"}
ITSELF = {"C": "[n][n]", "A": "[n][p]"}
SHAPE = {"C": "[n][m]", "A": "[n][p]", "B": "[p][m]"}


def form(loops: str, body: str, function: str, arrays: dict[str, str] = SHAPE) -> tuple[str, str, str]:
    """The arrays with their extents, the nest, and the function without the letter of its type."""
    found = ", ".join(f"real {name}[restrict]{extents}" for name, extents in arrays.items())
    return found.replace("[restrict][", "[restrict "), f"{loops} {{ {body} }}", function


FORMS = {
    "plain": form(ALL, PRODUCT, "gemm"),
    "set": form(ALL, f"C[i][j] = 0; {PRODUCT}", "gemm"),
    "scaled": form(ALL, f"C[i][j] *= y; {PRODUCT.replace('A[', 'x * A[')}", "gemm"),
    "two factors": form(ALL, PRODUCT.replace("A[", "n * x * A[").replace("+=", "-="), "gemm"),
    "negative": form(ALL, f"C[i][j] = -C[i][j]; {PRODUCT.replace('A[', '-A[')}", "gemm"),
    "a variable": form(ALL, f"{SUM} C[i][j] = s;", "gemm"),
    "a variable, scaled": form(ALL, f"{SUM} C[i][j] = x * s + y * C[i][j];", "gemm"),
    "a variable, subtracted": form(ALL, f"{SUM} C[i][j] -= 2 * s;", "gemm"),
    "from the element": form(ALL, f"{SUM.replace('s = 0', 's = C[i][j] * 3')} C[i][j] = y * s;", "gemm"),
    "left transposed": form(ALL, PRODUCT.replace("A[i][k]", "A[k][i]"), "gemm", SHAPE | {"A": "[p][n]"}),
    "right transposed": form(ALL, PRODUCT.replace("B[k][j]", "B[j][k]"), "gemm", SHAPE | {"B": "[m][p]"}),
    "both transposed": form(
        ALL,
        PRODUCT.replace("A[i][k]", "A[k][i]").replace("B[k][j]", "B[j][k]"),
        "gemm",
        SHAPE | {"A": "[p][n]", "B": "[m][p]"},
    ),
    "output transposed": form(ALL, PRODUCT.replace("C[i][j]", "C[j][i]"), "gemm", SHAPE | {"C": "[m][n]"}),
    "wide rows": form(ALL, PRODUCT, "gemm", {"C": "[n][m + 3]", "A": "[n][p + 1]", "B": "[p][m + 7]"}),
    "flat rows": form(
        ALL,
        PRODUCT.replace("A[i][k] * B[k][j]", "A[i * ld + k + 2] * B[j + k * (ld + 1)]"),
        "gemm",
        {"C": "[n][m]", "A": "[n * ld + p + 2]", "B": "[p * (ld + 1) + m]"},
    ),
    "shifted": form(
        "for (int i = 2; i < n; i++) for (int j = 1; j <= m - 1; j++)",
        "for (int k = 3; k <= p - 1; k++) C[i - 2][j + 1] += A[i][k - 3] * B[k][j - 1];",
        "gemm",
        {"C": "[n][m + 1]", "A": "[n][p]", "B": "[p][m]"},
    ),
    "with itself": form(ALL.replace("m", "n"), PRODUCT.replace("B[k][j]", "A[j][k]"), "gemm", ITSELF),
    "two products": form(
        ALL.replace("m", "n"), PRODUCT.replace("B[k][j]", "B[j][k] - B[i][k] * A[j][k]"), "gemm", SQUARE
    ),
    "batches": form(
        "for (int q = 0; q < 3; q++) " + ALL,
        "for (int k = 0; k < p; k++) C[q][i][j] += A[q][i][k] * B[q][k][j];",
        "gemmStridedBatched",
        {"C": "[3][n][m]", "A": "[3][n][p]", "B": "[3][p][m]"},
    ),
    "batches inside": form(
        ALL + " for (int q = 0; q < 3; q++)",
        "C[i][q][j] = 0; for (int k = 0; k < p; k++) C[i][q][j] += A[k][q + 1][i] * B[k][j];",
        "gemmStridedBatched",
        {"C": "[n][3][m]", "A": "[p][4][n]", "B": "[p][m]"},
    ),
    "a lower triangle": form(LOWER, PRODUCT.replace("B[k][j]", "A[j][k]"), "syrk", ITSELF),
    "a lower triangle, turned": form(
        LOWER, PRODUCT.replace("B[k][j]", "A[j][k]").replace("C[i][j]", "C[j][i]"), "syrk", ITSELF
    ),
    "an upper triangle": form(
        UPPER,
        "C[i][j] *= y; for (int k = 0; k < p; k++) C[i][j] -= A[k][i] * A[k][j];",
        "syrk",
        {"C": "[n][n]", "A": "[p][n]"},
    ),
    "a pair": form(
        LOWER,
        PRODUCT.replace("A[i][k] * B[k][j]", "A[i][k] * x * B[j][k] + B[i][k] * A[j][k] * x"),
        "syr2k",
        SQUARE,
    ),
}
REFUSED = {  # bodies of `ALL`, and why
    "a number of another type": (PRODUCT.replace("A[", "1.5 * A["), "is double"),
    "weights": (PRODUCT.replace("A[", "w[k] * A["), "is no product of two elements"),
    "several loops": (
        "for (int k = 0; k < p; k++) for (int l = 0; l < 2; l++) C[i][j] += A[i][k + l] * B[k][j];",
        "it sums over several loops",
    ),
    "every other step": (PRODUCT.replace("k++", "k += 2"), "the step of k is 2"),
    "every other column": (PRODUCT.replace("[k][j]", "[k][2 * j]"), "takes no neighbours"),
    "overlapping rows": ("for (int k = 0; k < p; k++) C[i][j] += w[i + k] * B[k][j];", "may overlap"),
    "another start": (f"C[i][j] = 3; {PRODUCT}", "is neither the sum nor the old value"),
    "a quotient": (f"{SUM} C[i][j] = s / x;", "is neither the sum nor the old value"),
    "more than a sum": (f"{SUM} C[i][j] = s; D[i][j] = s;", "not kept in one element"),
    "a choice after": (f"{SUM} if (s > 0) C[i][j] = s;", "more than a sum is computed"),
    "numbers of two types": (PRODUCT.replace("B[", "D["), "is double"),
    "a difference": (PRODUCT.replace("* B", "- B"), "is no product of two elements"),
}


class Written:
    """A form as a function for `framed`, tried with plain numbers, with zeros, and with rows that overlap.

    The stand-in refuses the latter: they must be left to the kernel.
    """

    def __init__(self, name: str, arrays: str, nest: str) -> None:
        self.name, self.arrays, self.nest = name, arrays, nest

    def text(self) -> str:
        given = [part.split("[")[0].split()[1] for part in self.arrays.split(", ")]
        cells = "\n".join(
            f"    real *{a} = malloc(40000 * sizeof *{a});\n    if (!{a})\n        exit(1);\n"
            f"    for (int at = 0; at < 40000; at++)\n        {a}[at] = next();"
            for a in given
        )
        return (
            f"\nstatic void {self.name}(int n, int m, int p, int ld, real x, real y, {self.arrays})\n{{\n"
            f"    (void)n, (void)m, (void)p, (void)ld, (void)x, (void)y;\n    {self.nest}\n}}\n"
            f"\nstatic void {self.name}_run(int n, int m, int p, int ld, real x, real y)\n{{\n{cells}\n"
            f"    {self.name}(n, m, p, ld, x, y, {', '.join(f'(void *){a}' for a in given)});\n"
            f'    show("{self.name}", C, 40000 * sizeof *C);\n'
            + "".join(f"    free({a});\n" for a in given)
            + f"}}\n\nstatic void {self.name}_try(int n, int m, int p)\n{{\n"
            f"    {self.name}_run(n, m, p, n + m + p, 2, 3);\n    {self.name}_run(n, m, p, n + p, 0, 0);\n"
            f"    {self.name}_run(n, m, p, 1, 3, 1);\n}}\n"
        )


def program(real: str) -> str:
    functions = [Written(f"f{k}", arrays, nest) for k, (arrays, nest, _) in enumerate(FORMS.values())]
    return framed(functions, values=15, macros=f"typedef {real} real;")


@cache
def made(real: str, folder: Path) -> accelerated.Written:
    """The program in a folder, with its source beside it."""
    source = folder / f"{real}.c"
    source.write_text(program(real))
    return accelerated.resident(source, "cuda", folder / real, LIBRARY)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("products")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("real", "letter"), [("double", "D"), ("float", "S")])
def test_the_library_gives_what_the_loops_give(real: str, letter: str, folder: Path, tmp_path: Path) -> None:
    found = made(real, folder)
    said = [text for c in found.choices for name, taken, text in c.why if name == "library" and taken]
    assert said == [f"cublas{letter}{function}" for _, _, function in FORMS.values()]
    plain = accelerated.build_plain(folder / f"{real}.c", tmp_path)
    binary = accelerated.build_shim(found, [f"-I{HERE}"])
    for shape in SHAPES:
        expected = accelerated.run(plain, *shape.split())
        assert accelerated.run(binary, *shape.split(), order="random:3") == expected


def chosen(body: str, folder: Path, options: CompileOptions = LIBRARY) -> accelerated.Written:
    source = folder / "p.c"
    source.write_text(
        "float A[50][50], B[50][99], C[50][50], w[99]; double D[50][50];\n"
        f"void f(int n, int m, int p, float x) {{ {ALL} {{ {body} }} }}\n".replace("real s", "float s")
    )
    return accelerated.written(source, "cuda", folder / "out", options=options)


@pytest.mark.parametrize(("body", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_the_library_does_not_compute(body: str, reason: str, tmp_path: Path) -> None:
    found = chosen(body, tmp_path)
    assert "library" not in found.skeletons
    assert reason in found.reason("library")
    assert "blas" not in "".join(file.read_text() for file in (tmp_path / "out").iterdir())


def test_only_where_it_is_asked_for(tmp_path: Path) -> None:
    without = chosen(PRODUCT, tmp_path, CompileOptions())
    assert without.skeletons == ["contraction-narrow"]
    assert "library" not in {name for name, _, _ in without.choices[0].why}
    strict = chosen(PRODUCT, tmp_path, CompileOptions(wanted=LIBRARY.wanted, strict_fp=True))
    assert strict.skeletons == ["contraction-narrow"]
    assert "--strict-fp" in strict.reason("library")
    assert unmade(["library"], strict.choices) == ["library"]
    with pytest.raises(SkeletonError, match="only with --with library"):
        chosen(PRODUCT, tmp_path, CompileOptions(preferred=("library",)))


def test_names_of_the_file_come_first(tmp_path: Path) -> None:
    """What the library's header declares is called otherwise in the kernels."""
    source = tmp_path / "p.c"
    source.write_text(
        "typedef float cublasHandle_t; float A[50][50], B[50][50], C[50][50];\n"
        "static float cublasCreate(float v) { return v + 1; }\n"
        f"void f(int n, int m, int p, cublasHandle_t alpha, float one) {{ {ALL} {{ C[i][j] *= one;\n"
        "  for (int k = 0; k < p; k++) C[i][j] += alpha * A[i][k] * B[k][j]; } }\n"
        f"void g(int n, int m) {{ {ALL} C[i][j] = cublasCreate(C[i][j]); }}\n"
    )
    found = accelerated.written(source, "cuda", tmp_path / "out", options=LIBRARY)
    assert found.skeletons == ["library", "default"]
    device = tmp_path / "out" / "p.cpp"
    accelerated.translate(tmp_path / "out" / "p_kernels.cu", device)
    command = ["g++", "-fsyntax-only", "-std=c++17", f"-I{HERE}", f"-I{accelerated.shim_include_dir()}"]
    accelerated.run(*command, f"-I{tmp_path / 'out'}", "-include", "cuda_runtime.h", device)


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, folder: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert accelerated.spills(made("double", folder), architecture, [f"-I{HERE}"]) == []


MAIN = """#include <stdio.h>
double A[9][8], B[8][7], C[9][7];
int main(void)
{
    for (int i = 0; i < 9; i++) for (int k = 0; k < 8; k++) A[i][k] = i + k / 3.0;
    for (int k = 0; k < 8; k++) for (int j = 0; j < 7; j++) B[k][j] = k - j / 7.0;
    for (int i = 0; i < 9; i++) for (int j = 0; j < 7; j++) {
        C[i][j] = 0;
        for (int k = 0; k < 8; k++) C[i][j] += A[i][k] * B[k][j];
    }
    printf("%.12g\\n", C[8][6]);
    return 0;
}
"""


@pytest.mark.long
def test_make_and_verify(cuvier: Cuvier, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """On the command line, with errors of the library reported."""
    Path("p.c").write_text(MAIN)
    made = cuvier("compile", "p.c", "--target", "cuda", "--with", "library", "--explain", "-o", "out")
    assert "  taken library: cublasDgemm (" in made.out
    assert "CUBLAS_LIBS ?= -lcublas" in Path("out/Makefile").read_text()
    arguments = ("verify", "p.c", "--target", "cuda", "--with", "library", "--device", "host-shim")
    monkeypatch.setenv("CUBLAS_LIBS", "")
    monkeypatch.setenv("CUBLAS_FLAGS", f"-I{HERE}")
    assert cuvier(*arguments).status == 0
    monkeypatch.setenv("CUBLAS_FAILS", "1")
    failed = cuvier(*arguments)
    assert failed.status != 0
    assert "cublasCreate failed" in failed.out + failed.err
    monkeypatch.setenv("CUBLAS_FLAGS", "")
    missing = cuvier(*arguments)
    assert missing.status == 2
    assert "CUBLAS_FLAGS" in missing.err


def test_the_makefile_takes_another_library(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(MAIN)
    accelerated.resident(tmp_path / "p.c", "cuda", tmp_path / "out", LIBRARY)
    command = ["make", "-n", "-C", str(tmp_path / "out"), "CUBLAS_LIBS=-lother", "CUBLAS_FLAGS=-I/other"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "-lother -lm" in printed
    assert "-I/other" in printed
