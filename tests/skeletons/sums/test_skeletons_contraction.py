"""Contractions on accelerators: chosen, equal to the last bit for all shapes; look-alikes are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skeletons import CompileOptions
from tests.support import accelerated
from tests.support.places import ROOT

SOURCE = accelerated.PROGRAMS / "contractions.c"
CORPUS = ROOT / "corpus" / "polybench"
SHAPES = (
    (0, 0, 0),
    (1, 1, 1),
    (7, 5, 3),
    (31, 33, 32),
    (33, 20, 17),
    (65, 66, 9),
    (3, 4, 0),
    (0, 3, 3),
    (100, 65, 31),
)
SMALL = {"block_m": 16, "block_n": 8, "block_k": 4, "thread_m": 2, "thread_n": 4}
ODD = {"block_m": 6, "block_n": 15, "block_k": 5, "thread_m": 3, "thread_n": 5}
KERNELS = 12


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, ...], str]:
    plain = accelerated.build_plain(SOURCE, tmp_path_factory.mktemp("plain"))
    return {shape: accelerated.run(plain, *map(str, shape)) for shape in SHAPES}


def contractions(found: accelerated.Written) -> list[str]:
    return [name for name in found.skeletons if name.startswith("contraction")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["cuda", "opencl"])
@pytest.mark.parametrize(
    ("name", "count"),
    [("gemm", 1), ("2mm", 2), ("3mm", 3), ("syrk", 1), ("syr2k", 1), ("doitgen", 1), ("covariance", 1)],
)
def test_chosen_in_the_corpus(name: str, count: int, target: str, tmp_path: Path) -> None:
    found = accelerated.written(CORPUS / f"{name}.c", target, tmp_path)
    assert contractions(found) == ["contraction"] * count


@pytest.mark.sampled(4)
@pytest.mark.parametrize("parameters", [{}, ODD], ids=["default", "odd"])
def test_in_the_shim(
    parameters: dict[str, int], tmp_path: Path, expected: dict[tuple[int, ...], str]
) -> None:
    found = accelerated.written(SOURCE, "cuda", tmp_path, parameters, strict_fp=True)
    assert len(contractions(found)) == len(found.skeletons) == KERNELS
    assert set(found.skeletons) == {"contraction", "contraction-narrow"}
    binary = accelerated.build_shim(found)
    for order in accelerated.ORDERS:
        assert {shape: accelerated.run(binary, *map(str, shape), order=order) for shape in SHAPES} == expected


@pytest.mark.long
def test_with_opencl(tmp_path: Path, expected: dict[tuple[int, ...], str]) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    found = accelerated.written(SOURCE, "opencl", tmp_path, SMALL, strict_fp=True)
    assert len(contractions(found)) == KERNELS
    binary = accelerated.build_opencl(found)
    for shape in SHAPES[4::2]:
        assert accelerated.run(binary, *map(str, shape)) == expected[shape]


@pytest.mark.long
@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert accelerated.spills(accelerated.written(SOURCE, "cuda", tmp_path), architecture) == []


def kernel(
    body: str, around: str = "", loops: str = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
) -> str:
    return (
        f"#include <math.h>\n{around}\n"
        "double A[50][50], B[50][50], C[50][50], D[50][50][50], x;\n"
        "int I[50][50], J[50][50], K[50][50], len[50];\n"
        f"void f(int n, int m, int p, unsigned u) {{ int k; {loops} {{ {body} }} }}\n"
    )


def chosen(text: str, target: str, folder: Path) -> accelerated.Written:
    source = folder / "p.c"
    source.write_text(text)
    return accelerated.written(source, target, folder / "out")


PRODUCT = "for (k = 0; k < p; k++) C[i][j] += A[i][k] * B[k][j];"
SUM = "double s = 0; for (int k = 0; k < p; k++) s += A[i][k] * B[k][j]; C[i][j] = s"
TAKEN = {
    "plain": PRODUCT,
    "a product before the factor": "for (k = 0; k < p; k++) C[i][j] = C[i][j] + A[i][k] * (B[k][j] * x);",
    "a loop before": f"C[i][j] = 0; for (int l = 0; l < 3; l++) C[i][j] += x; {PRODUCT}",
    "another sum after": f"{SUM}; for (int l = 0; l < p; l++) C[i][j] += A[i][l] + x;",
    "values of the iterators": "for (k = 0; k < p; k++) C[i][j] += A[i][k] * (k + 1) * B[k][j] * (j - i);",
    "no step may be made": f"D[i][j][0] = 1; {PRODUCT}",
    "whole numbers": "for (k = 0; k < p; k++) K[i][j] += I[i][k] * J[k][j] - J[k][j] * 2 * I[i][k];",
    "names of ours": "int r = 1, c = 2, now = 3, next = 4; C[i][j] = r + c + now + next; " + PRODUCT,
    "one of two factors": (
        "for (k = 0; k < p; k++) if (k <= i) C[i][j] += A[i][k] * B[k][j];"
        " else { C[i][j] += A[k][i] * B[k][j]; }"
    ),
    "one of three": (
        "for (k = 0; k < p; k++) C[i][j] += (k < i ? A[i][k] : i < 2 && k != 3 ? x : A[k][i]) * B[k][j];"
    ),
    "a variable for both": SUM.replace("k", "item") + ";",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["cuda", "opencl"])
@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN.keys())
def test_taken(body: str, target: str, tmp_path: Path) -> None:
    assert len(contractions(chosen(kernel(body), target, tmp_path))) == 1


REFUSED = {
    "both factors of one row": (
        "for (k = 0; k < p; k++) C[i][j] += A[i][k] * B[i][k];",
        "no value is shared",
    ),
    "a factor for every sum": (
        "for (k = 0; k < p; k++) C[i][j] += A[i][k] * D[i][j][k];",
        "no value is shared",
    ),
    "a written factor": (
        "D[i][j][0] = j; for (k = 0; k < p; k++) C[i][j] += D[i][j][0] * A[i][k] * B[k][j];",
        "D is read and written",
    ),
    "more steps in later rows": (PRODUCT.replace("k < p", "k <= i"), "the bounds of k depend on i"),
    "steps from an array": (PRODUCT.replace("k < p", "k < len[0]"), "the bound `len[0]` is no arithmetic"),
    "steps of each row": (PRODUCT.replace("k < p", "k < len[i]"), "the bound `len[i]` is no arithmetic"),
    "a variable bound": (
        "int e = j + 3; double s = 0; for (k = 0; k < e; k++) s += A[i][k] * B[k][j]; C[i][j] = s;",
        "e",
    ),
    "an unsigned bound": (PRODUCT.replace("k < p", "k < u"), "the bound `u` is unsigned and k is not"),
    "steps that grow": (PRODUCT.replace("k++", "k += k + 1"), "the step of the inner loop over k"),
    "a way out": (PRODUCT.replace("k < p", "k < p && k < 9"), "the inner loop over k has no plain condition"),
    "a value across": ("double t = A[i][0]; " + SUM + " * t;", "t is used before and after"),
    "the inner iterator after": (PRODUCT + " C[i][j] += k;", "k is used after the inner loops"),
    "two statements": (
        "double s = 0; for (k = 0; k < p; k++) { s += A[i][k] * B[k][j]; s /= 2; } C[i][j] = s;",
        "one assignment",
    ),
    "a condition": ("for (k = 0; k < p; k++) if (k != i) C[i][j] += A[i][k] * B[k][j];", "one assignment"),
    "a choice": ("for (k = 0; k < p; k++) C[i][j] += k < i ? A[i][k] * B[k][j] : 0.;", "a condition decides"),
    "a choice for every sum": (
        "for (k = 0; k < p; k++) C[i][j] += (k < i + j ? A[i][k] : A[k][i]) * B[k][j];",
        "a condition decides",
    ),
    "a choice between types": (
        "for (k = 0; k < p; k++) if (k < i) C[i][j] += A[i][k] * B[k][j]; else C[i][j] += I[i][k] * B[k][j];",
        "chooses between values of two types",
    ),
    "a choice by the sum": (
        "double s = 0; for (k = 0; k < p; k++) s += (s < 9 ? A[i][k] : A[k][i]) * B[k][j]; C[i][j] = s;",
        "a condition decides",
    ),
    "a choice by an element": (
        "for (k = 0; k < p; k++) C[i][j] += (I[i][k] > 2 ? A[i][k] : A[k][i]) * B[k][j];",
        "reads an array",
    ),
    "a choice of targets": (
        "for (k = 0; k < p; k++) if (k < i) C[i][j] += A[i][k] * B[k][j]; else C[i][j] -= A[k][i] * B[k][j];",
        "one assignment",
    ),
    "a call": ("for (k = 0; k < p; k++) C[i][j] += fabs(A[i][k] * B[k][j]);", "is a call"),
    "an early end": ("if (i == j) continue; " + PRODUCT, "an iteration may end early"),
    "whole numbers divided": (
        "for (k = 0; k < p; k++) K[i][j] += I[i][k] / J[k][j];",
        "divides whole numbers",
    ),
    "squares of whole numbers": (
        "for (k = 0; k < p; k++) K[i][j] += (I[i][k] - J[k][j]) * (I[i][k] - J[k][j]);",
        "is no sum of products of whole numbers",
    ),
    "set, not added to": (
        "double s = 0; for (k = 0; k < p; k++) s = A[i][k] * B[k][j]; C[i][j] = s;",
        "s is set, not added to",
    ),
    "another array of the name": (
        SUM.replace("for", "{ double A[2]; A[0] = 1; s = A[0]; } for") + ";",
        "A is no array of the kernel",
    ),
    "another variable of the name": (
        SUM.replace("for", "{ double s = 1; C[i][j] = s; } for") + ";",
        "s is not declared once",
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("body", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str, reason: str, tmp_path: Path) -> None:
    found = chosen(kernel(body), "cuda", tmp_path)
    assert contractions(found) == []
    assert reason in found.reason("contraction")


MACROS = {
    "a sum": ("#define FACTOR 2 + x", "FACTOR * A[i][k] * B[k][j]", "2 + A_row[r] * B_column[c]"),
    "an element": ("#define LEFT (A[i][k])", "LEFT * B[k][j]", "A_row[r] * B_column[c]"),
    "a function": ("#define LEFT(i, k) A[k][i]", "LEFT(k, i) * B[k][j]", "A_row[r] * B_column[c]"),
    "a product": ("#define TERM(a, b) a * b", "TERM(A[i][k] + 1, B[k][j])", "A_row[r] + B_column[c]"),
}


@pytest.mark.parametrize(("macro", "value", "update"), MACROS.values(), ids=MACROS.keys())
def test_macros_are_expanded(macro: str, value: str, update: str, tmp_path: Path) -> None:
    found = chosen(kernel(f"for (k = 0; k < p; k++) C[i][j] += {value};", macro), "cuda", tmp_path)
    assert contractions(found) == ["contraction"]
    assert f"C_sums[r][c] += {update};" in (tmp_path / "out" / "p_kernels.cu").read_text()


def test_macros_that_are_values(tmp_path: Path) -> None:
    text = kernel(
        "for (k = LOW; k < p; k++) C[i][j] += A[i][k] * B[k][j] * FACTOR;",
        "#define LOW 1\n#define FACTOR (x + LOW)",
    )
    assert contractions(chosen(text, "cuda", tmp_path)) == ["contraction"]


SERVED = {
    "lower": "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++)",
    "upper": "for (int i = 1; i < n; i += 2) for (int j = 2 * i + 1; j < m; j++)",
    "lower, turned": "for (int i = n - 1; i >= 0; i--) for (int j = 0; j < n - i; j++)",
}


@pytest.mark.parametrize("loops", SERVED.values(), ids=SERVED.keys())
def test_triangles(loops: str, tmp_path: Path) -> None:
    assert contractions(chosen(kernel(PRODUCT, loops=loops), "cuda", tmp_path)) == ["contraction"]


TRIANGLES = {
    "downwards": "for (int i = n - 1; i >= 0; i--) for (int j = i; j < m; j++)",
    "turned": "for (int i = 0; i < n; i++) for (int j = n - i; j < m; j++)",
    "steps of two": "for (int i = 0; i < n; i++) for (int j = i; j < m; j += 2)",
    "unsigned numbers": "for (int i = 0; i < n; i++) for (unsigned j = i - u; j < u; j++)",
    "an unsigned start": "for (int i = 0; i < n; i++) for (int j = i - u; j < m; j++)",
    "a band": "for (int i = 0; i < n; i++) for (int j = i; j < i + 4; j++)",
}


def test_refused_choices_in_triangles(tmp_path: Path) -> None:
    body = "for (k = 0; k < p; k++) C[i][j] += (k <= i ? A[i][k] : A[k][i]) * B[k][j];"
    found = chosen(kernel(body, loops=SERVED["lower"]), "cuda", tmp_path)
    assert contractions(found) == []
    assert "may read elements that no iteration reads" in found.reason("contraction")


@pytest.mark.parametrize("loops", TRIANGLES.values(), ids=TRIANGLES.keys())
def test_refused_triangles(loops: str, tmp_path: Path) -> None:
    found = chosen(kernel(PRODUCT, loops=loops), "cuda", tmp_path)
    assert contractions(found) == []
    assert found.skeletons in ([], ["default"], ["triangle"])


def test_tiles_that_do_not_fit(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(kernel(PRODUCT))
    for parameters, reason in (
        ({"block_m": 60}, "cannot be divided into parts"),
        ({"thread_m": 1, "thread_n": 1}, "a work-group of 4096 is too large"),
        ({"block_m": 256, "block_n": 256, "thread_m": 16, "thread_n": 16, "block_k": 64}, ""),
    ):
        found = accelerated.written(source, "cuda", tmp_path / "out", parameters)
        assert found.skeletons == (["default"] if reason else ["contraction"])
        assert reason in found.reason("contraction")


OTHER_ROWS = {
    "rows that nobody writes": ("for (int k = 99; k < p; k++) C[i][j] += A[i][k] * C[k][j];", True),
    "rows that others write": ("for (int k = 0; k < p; k++) C[i][j] += A[i][k] * C[k][j];", False),
    "the row, written before": (
        "B[i][j] = i; for (int k = 0; k < p; k++) C[i][j] += B[i][j] * A[k][j];",
        False,
    ),
}


@pytest.mark.parametrize(("body", "taken"), OTHER_ROWS.values(), ids=OTHER_ROWS.keys())
def test_sums_of_rows_of_the_same_matrix(body: str, taken: bool, tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    loops = "for (int i = 0; i < 99; i++) for (int j = 0; j < m; j++)"
    source.write_text(
        f"unsigned A[300][300], B[300][300], C[300][300];\nvoid f(int m, int p) {{ {loops} {{ {body} }} }}\n"
    )
    options = CompileOptions(without=frozenset({"distribute", "interchange", "block"}))
    found = accelerated.written(source, "cuda", tmp_path / "out", options=options)
    assert ("contraction-narrow" in found.skeletons) is taken
