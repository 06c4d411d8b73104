"""Contractions run: every form, many shapes, compared with the plain loops under the sanitizers.

The values are small whole numbers, so that sums are exact in any order and every difference is a mistake.
Arrays are allocated cell by cell: to read or write outside of what the original uses is an error of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from skeletons.sums.contraction import FileNames, Parameter, generate, prelude
from tests.support.contraction_programs import SMALL_BLOCKS, Form, program

GEMM = {"C": "n * m", "A": "n * p", "B": "p * m"}
FORMS = [
    Form(
        "gemm",
        "i = 0 .. n; j = 0 .. m; k = 0 .. p",
        "C[i * m + j] += alpha * A[i * p + k] * B[k * m + j];",
        GEMM,
        alpha=True,
    ),
    Form(
        "transposed",
        "k = 0 .. p; j = 0 .. m; i = 0 .. n",
        "C[i * m + j] -= A[k * n + i] * B[j * p + k];",
        GEMM,
    ),
    Form(
        "by_columns",
        "i = 0 .. n; k = 0 .. p; j = 0 .. m",
        "C[j * n + i] = C[j * n + i] + A[i * p + k] * B[k * m + j];",
        GEMM,
    ),
    Form(
        "vla",
        "i = 0 .. n; j = 0 .. m; k = 0 .. p",
        "C[i][j] = A[i][k] * B[k][j] + C[i][j];",
        {"C": "[n + 1][m + 1]", "A": "[n + 1][p + 1]", "B": "[p + 1][m + 1]"},
    ),
    Form(
        "syrk_lower",
        "i = 0 .. n; j = 0 .. i + 1; k = 0 .. p",
        "C[i][j] += alpha * A[i * p + k] * A[j * p + k];",
        {"C": "ROW n; x + 1; 0", "A": "n * p"},
        alpha=True,
    ),
    Form(
        "syrk_strict",
        "i = 0 .. n; j = 0 .. i; k = 0 .. p",
        "C[i][j] += A[i][k] * B[j][k];",
        {"C": "ROW n; x; 0", "A": "ROW n; x > 0 ? p : 0; 0", "B": "ROW n; x < n - 1 ? p : 0; 0"},
    ),
    Form(
        "syrk_turned",
        "j = 0 .. n; i = 0 .. j + 1; k = 0 .. p",
        "C[i][j] += A[k * n + i] * A[k * n + j];",
        {"C": "ROW n; n - x; x", "A": "p * n"},
    ),
    Form(
        "antidiagonal",
        "i = 0 .. n; j = 0 .. m - i; k = 0 .. p",
        "C[i][j] += A[i][k] * B[k][j];",
        {
            "C": "ROW n; m > x ? m - x : 0; 0",
            "A": "ROW n; m > x ? p : 0; 0",
            "B": "ROW p; n > 0 ? m : 0; 0",
        },
    ),
    Form(
        "band",
        "i = 0 .. n; j = i .. i + w; k = 0 .. p",
        "C[i][j] += A[i * p + k] * B[k][j];",
        {"C": "ROW n; w; x", "A": "n * p", "B": "ROW p; n > 0 && w > 0 ? n + w - 1 : 0; 0"},
    ),
    Form(
        "cone",
        "j = 0 .. m; i = j .. n - j; k = 0 .. p",
        "C[i][j] += A[i * p + k] * B[k * m + j];",
        {"C": "ROW n; m; 0", "A": "n * p", "B": "p * m"},
    ),
    Form(
        "syr2k",
        "i = 0 .. n; j = 0 .. i + 1; k = 0 .. p",
        "C[i][j] += alpha * A[i * p + k] * B[j * p + k] + alpha * B[i * p + k] * A[j * p + k];",
        {"C": "ROW n; x + 1; 0", "A": "n * p", "B": "n * p"},
        alpha=True,
    ),
    Form(
        "multiplied_out",
        "i = 0 .. n; j = 0 .. n; k = 0 .. p",
        "C[i * n + j] -= alpha * (A[i * p + k] * B[j * p + k] - B[i * p + k] * A[j * p + k]);",
        {"C": "n * n", "A": "n * p", "B": "n * p"},
        alpha=True,
    ),
    Form(
        "centred",
        "i = 0 .. n; j = i .. n; k = 0 .. p",
        "C[i][j] += (A[k * n + i] - mean[i]) * (A[k * n + j] - mean[j]);",
        {"C": "ROW n; n - x; x", "A": "p * n", "mean": "n"},
    ),
    Form(
        "trmm_upper",
        "i = 0 .. n; j = 0 .. m; k = i + 1 .. n",
        "C[i * m + j] += A[i][k] * B[k][j];",
        {"C": "n * m", "A": "ROW n; m > 0 ? n - x - 1 : 0; x + 1", "B": "ROW n; x > 0 ? m : 0; 0"},
    ),
    Form(
        "trmm_turned",
        "k = 0 .. p; i = 0 .. k; j = 0 .. m",
        "C[i * m + j] += A[i][k] * B[k][j];",
        {"C": "p * m", "A": "ROW p; m > 0 ? p - x - 1 : 0; x + 1", "B": "ROW p; x > 0 ? m : 0; 0"},
    ),
    Form(
        "trmm_lower",
        "i = 0 .. n; k = 0 .. i; j = 0 .. m",
        "C[i * m + j] += A[k][i] * B[k * m + j];",
        {"C": "n * m", "A": "ROW n; n - x - 1; x + 1", "B": "n * m"},
    ),
    Form(
        "trmm_right",
        "i = 0 .. n; j = 0 .. m; k = 0 .. j + 1",
        "C[i * m + j] += A[i * m + k] * B[j][k];",
        {"C": "n * m", "A": "n * m", "B": "ROW m; x + 1; 0"},
    ),
    Form(
        "trmm_right_turned",
        "k = 0 .. m; i = 0 .. n; j = k + 1 .. m",
        "C[i * m + j] += A[i * m + k] * B[k][j];",
        {"C": "n * m", "A": "n * m", "B": "ROW m; m - x - 1; x + 1"},
    ),
    Form(
        "depth_band",
        "i = 0 .. n; j = 0 .. m; k = i .. i + w",
        "C[i * m + j] += A[i][k] * B[k * m + j];",
        {"C": "n * m", "A": "ROW n; w; x", "B": "n > 0 && w > 0 ? (n + w - 1) * m : 0"},
    ),
    Form(
        "infinite",
        "i = 0 .. n; j = 0 .. m; k = i .. n",
        "C[i * m + j] += A[i][k] * B[k * m + j];",
        {"C": "n * m", "A": "ROW n; n - x; x", "B": "n * m"},
        values="(next() % 31 == 0 ? INFINITY : 1)",
    ),
    Form(
        "infinite_right",
        "i = 0 .. n; j = 0 .. m; k = 0 .. j",
        "C[i * m + j] += A[i * m + k] * B[k * m + j];",
        {"C": "n * m", "A": "n * m", "B": "m * m"},
        values="(next() % 31 == 0 ? INFINITY : 1)",
    ),
    Form(
        "doitgen",
        "r = 0 .. w; q = 0 .. n; j = 0 .. m; s = 0 .. p",
        "C[(r * n + q) * m + j] += A[(r * n + q) * p + s] * B[s * m + j];",
        {"C": "w * n * m", "A": "w * n * p", "B": "p * m"},
    ),
    Form(
        "deep",
        "i = 0 .. n; k = 1 .. p; l = 2 .. w; j = 0 .. m",
        "C[i * m + j] += A[(i * p + k) * w + l] * B[(k * w + l) * m + j];",
        {"C": "n * m", "A": "n * p * w", "B": "p * w * m"},
    ),
    Form(
        "wide",
        "j = 0 .. m; i = 0 .. n; l = 1 .. w; h = 0 .. 3; k = 0 .. p",
        "C[((i * m + j) * w + l) * 3 + h] += A[k * n + i] * B[((k * m + j) * w + l) * 3 + h];",
        {"C": "n * m * w * 3", "A": "p * n", "B": "p * m * w * 3"},
    ),
    Form(
        "batch",
        "b = 0 .. w; i = 0 .. n; j = 0 .. m; k = 0 .. p",
        "C[(b * n + i) * m + j] += A[(b * n + i) * p + k] * B[(b * p + k) * m + j];",
        {"C": "w * n * m", "A": "w * n * p", "B": "w * p * m"},
    ),
    Form(
        "ragged_batch",
        "b = 0 .. w; i = 0 .. n; j = b .. i + 1; k = b .. p",
        "C[i][j * w + b] += A[(b * n + i) * p + k] * B[(b * n + j) * p + k];",
        {"C": "ROW n; (x + 1) * w; 0", "A": "w * n * p", "B": "w * n * p"},
    ),
    Form(
        "shifted",
        "i = -3 .. n; j = 2 .. m; k = -w .. p",
        "C[(i + 3) * m + j] += A[(i + 3) * (p + w) + k + w] * B[(k + w) * m + j];",
        {"C": "(n + 3) * m", "A": "(n + 3) * (p + w)", "B": "(p + w) * m"},
    ),
    Form(
        "names",
        "row = 0 .. n; tile = 0 .. m; step = 0 .. p",
        "panel[row * m + tile] += block[row * p + step] * own[step * m + tile];",
        {"panel": "n * m", "block": "n * p", "own": "p * m"},
    ),
]
SYMMETRIC = [
    Form(
        "all_of_syrk",
        "i = 0 .. n; j = 0 .. n; k = 0 .. p",
        "C[i * n + j] += alpha * A[i * p + k] * A[j * p + k];",
        {"C": "n * n", "A": "n * p"},
        alpha=True,
    ),
    Form(
        "all_of_syr2k",
        "k = 0 .. p; i = 0 .. n; j = 0 .. n",
        "C[i][j] -= A[i][k] * B[j][k] + B[i][k] * A[j][k];",
        {"C": "[n + 1][n + 1]", "A": "[n + 1][p + 1]", "B": "[n + 1][p + 1]"},
    ),
    Form(
        "weighted",
        "j = 1 .. n; i = 1 .. n; k = 0 .. p",
        "C[j * n + i] = C[j * n + i] + A[k * n + i] * D[k] * A[k * n + j];",
        {"C": "n * n", "A": "p * n", "D": "p"},
        "float",
    ),
    Form(
        "turned_around",
        "i = 0 .. n; j = 0 .. n; k = 0 .. p",
        "C[i * n + n - 1 - j] += A[i * p + k] * A[j * p + k];",
        {"C": "n * n", "A": "n * p"},
    ),
    Form(
        "half_of_a_kind",
        "i = 0 .. (unsigned)n; j = 0 .. (unsigned)n; k = 0 .. (unsigned)p",
        "C[i * (unsigned)n + j] += A[i * (unsigned)p + k] * A[j * (unsigned)p + k];",
        {"C": "n * n", "A": "n * p"},
        "unsigned int",
        ctype="unsigned int",
    ),
    Form(
        "whole_symmetric",
        "i = 0 .. n; j = 0 .. n; k = 0 .. p",
        "C[i * n + j] -= (A[i * p + k] - mean[i]) * (A[j * p + k] - mean[j]);",
        {"C": "n * n", "A": "n * p", "mean": "n"},
        "long",
    ),
]
OTHER_TYPES = [
    Form(
        "single",
        "i = 0 .. n; j = 0 .. m; k = 0 .. p",
        "C[i * m + j] += alpha * A[i * p + k] * B[k * m + j];",
        GEMM,
        "float",
        alpha=True,
    ),
    Form(
        "mixed",
        "i = 0 .. n; j = 0 .. m; k = 0 .. p",
        "C[i * m + j] += A[i * p + k] * B[k * m + j] * 0.5;",
        GEMM,
        elements={"A": "float", "B": "double"},
    ),
    Form(
        "whole",
        "i = 0 .. n; j = 0 .. m; k = 0 .. p",
        "C[i * m + j] -= A[i * p + k] * B[k * m + j];",
        GEMM,
        "int",
    ),
    Form(
        "whole_long",
        "i = 0 .. n; j = 0 .. i + 1; k = 0 .. p",
        "C[i][j] = C[i][j] - A[i * p + k] * B[k * n + j];",
        {"C": "ROW n; x + 1; 0", "A": "n * p", "B": "p * n"},
        "long",
        elements={"A": "short"},
    ),
    Form(
        "unsigned_iterators",
        "i = 0 .. n; j = 0 .. i; k = 0 .. p",
        "C[i * (unsigned)n + j] += A[i * (unsigned)p + k] * B[k * (unsigned)n + j];",
        {"C": "n * n", "A": "n * p", "B": "p * n"},
        "unsigned int",
    ),
    Form(
        "size_iterators",
        "i = 0 .. n; j = 0 .. m; k = i .. p",
        "C[i * m + j] += A[i * p + k] * B[k * m + j];",
        GEMM,
        "float",
        ctype="long",
    ),
]
EDGES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 15, 16, 17, 31, 33, 40)
BEYOND = """
    int A[] = {40000, 40000}, B[] = {40000, 40000}, C[] = {2000000000};
    product(1, 1, 2, A, B, C);
    return C[0] != -1200000000;
"""
# The rows of the tests' arrays are freed at the address at which they were allocated, whatever gcc thinks.
STRICT = ("-O1", "-g", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-free-nonheap-object")


def shapes() -> list[tuple[int, int, int, int]]:
    """Sizes at the limits of tiles and blocks: each against a few others."""
    found = [(n, 9, 7, 2) for n in EDGES] + [(5, m, 6, 3) for m in EDGES] + [(7, 10, p, 1) for p in EDGES]
    found += [(EDGES[a % 18], EDGES[(5 * a + 3) % 18], EDGES[(7 * a + 1) % 18], a % 5) for a in range(36)]
    return found


def run(folder: Path, text: str, *flags: str, compiler: str = "gcc") -> None:
    """Compile and run; AssertionError with what was said."""
    (folder / "program.c").write_text(text)
    command = [compiler, *flags, "-o", "program", "program.c", "-lm"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[:4000]
    environment = {**os.environ, "OMP_NUM_THREADS": "3", "OMP_WAIT_POLICY": "passive"}
    ran = subprocess.run([folder / "program"], capture_output=True, text=True, check=False, env=environment)
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[:4000]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "forms",
    [FORMS[:14], FORMS[14:], OTHER_TYPES, SYMMETRIC],
    ids=["first", "second", "types", "symmetric"],
)
def test_small_blocks_give_what_the_loops_give(tmp_path: Path, forms: list[Form]) -> None:
    text = program(forms, shapes(), SMALL_BLOCKS)
    sanitizers = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    run(tmp_path, text, *STRICT, "-fopenmp", "-march=native", *sanitizers)


@pytest.mark.long
def test_other_vectors(tmp_path: Path) -> None:
    """The same on a machine with narrow vectors, and with tiles of another form."""
    tuning = {**SMALL_BLOCKS, "MR": 3, "NV": 1, "MC": 9}
    run(tmp_path, program(FORMS + OTHER_TYPES + SYMMETRIC, shapes(), tuning), *STRICT, "-fopenmp", "-O2")


def test_whole_numbers_wrap_around_inside_only(tmp_path: Path) -> None:
    """The original stays in range; the sum of its products alone does not."""
    whole = next(form for form in OTHER_TYPES if form.name == "whole")
    names = FileNames(frozenset())
    parameters = [Parameter(size, f"int {size}") for size in ("n", "m", "p")]
    parameters += [Parameter(array, f"int *{array}") for array in ("A", "B", "C")]
    code = generate(whole.contraction(), "product", parameters, names)
    text = f"{prelude(['int'], names, SMALL_BLOCKS)}{code.functions}int main(void)\n{{{BEYOND}}}\n"
    run(tmp_path, text, *STRICT, "-fopenmp", "-fsanitize=undefined", "-fno-sanitize-recover=all")


def test_default_blocks_without_openmp(tmp_path: Path) -> None:
    forms = [
        form for form in FORMS if form.name in ("gemm", "syrk_lower", "trmm_upper", "trmm_right", "doitgen")
    ]
    text = program(forms, [(150, 270, 300, 3), (97, 257, 256, 1), (40, 33, 600, 2)], {})
    run(tmp_path, text, *STRICT, "-Wno-unknown-pragmas", "-O2", "-march=native")


@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang here")
def test_clang(tmp_path: Path) -> None:
    run(
        tmp_path,
        program(FORMS[::4], shapes(), SMALL_BLOCKS),
        *STRICT,
        "-Wno-unknown-pragmas",
        compiler="clang",
    )


def test_macros_of_the_file_do_not_clash(tmp_path: Path) -> None:
    names = FileNames(frozenset(("TILE_ROWS",)), frozenset(("left", "sum")))
    text = "#include <stdio.h>\n#define left 3\n#define sum 4\nenum { TILE_ROWS = 1 };\n"
    text += prelude(["double"], names) + "int main(void)\n{\n    return contraction_tile_double == NULL;\n}\n"
    run(tmp_path, text, "-Wall", "-Wno-unused-function", "-Wno-address")
