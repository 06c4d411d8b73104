"""Contractions for CPUs through OpenCL: chosen, and equal to the last bit for all shapes and vectors."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from models.machine import Cache
from tests.support import accelerated
from tests.support.machines import CORES
from tests.support.places import ROOT

SOURCE = accelerated.PROGRAMS / "contractions.c"
CORPUS = ROOT / "corpus" / "polybench"
SHAPES = ((0, 0, 0), (1, 1, 1), (7, 5, 3), (33, 20, 17), (65, 66, 9), (3, 4, 0), (0, 3, 3), (100, 133, 131))
ODD = {"block_m": 6, "block_n": 15, "block_k": 5, "thread_m": 3, "thread_n": 5}  # no vectors
SMALL = {"block_m": 16, "block_n": 32, "block_k": 4, "thread_m": 2, "thread_n": 32}


@pytest.mark.parametrize(
    ("name", "count"),
    [("gemm", 1), ("2mm", 2), ("3mm", 3), ("syrk", 1), ("syr2k", 1), ("doitgen", 1), ("covariance", 1)],
)
def test_chosen_in_the_corpus(name: str, count: int, tmp_path: Path) -> None:
    found = accelerated.written(CORPUS / f"{name}.c", "opencl", tmp_path, machine=CORES)
    assert found.skeletons.count("contraction-chunks") == count


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("parameters", "vector_bytes"),
    [({}, 64), ({}, 32), ({}, 16), (ODD, 32), (SMALL, 32)],
    ids=["512 bits", "256 bits", "128 bits", "odd", "small"],
)
def test_equal(parameters: dict[str, int], vector_bytes: int, tmp_path: Path) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    machine = replace(CORES, vector_bytes=vector_bytes)
    found = accelerated.written(SOURCE, "opencl", tmp_path / "o", parameters, strict_fp=True, machine=machine)
    assert set(found.skeletons) == {"contraction-chunks"}
    binary = accelerated.build_opencl(found)
    plain = accelerated.build_plain(SOURCE, tmp_path)
    for shape in (tuple(map(str, sizes)) for sizes in SHAPES):
        assert accelerated.run(binary, *shape) == accelerated.run(plain, *shape)


SYMMETRIC = """#include <stdio.h>
#include <stdlib.h>
static void all_of_syrk(int n, int p, double a, double A[restrict n][p], double C[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < p; k++)
                C[i][j] += a * A[i][k] * A[j][k];
}
static void all_of_syr2k(int n, int p, float A[restrict p][n], float B[restrict p][n], float C[restrict n][n])
{
    for (int j = n - 1; j >= 0; j--)
        for (int i = n - 1; i >= 0; i--)
            for (int k = p - 1; k >= 0; k--)
                C[j][i] = C[j][i] - (A[k][i] * B[k][j] + B[k][i] * A[k][j]);
}
static void every_third(int n, int p, unsigned A[restrict n][p], const unsigned *w, unsigned C[restrict n][n])
{
    for (int i = 2; i <= n - 1; i += 3)
        for (int j = 2; j <= n - 1; j += 3)
            for (int k = 0; k < p; k++)
                C[i][n - 1 - j] += A[i][k] * (A[j][k] * w[k]);
}
#define USE(name, type, given, ...) do { \\
    type *A = malloc(sizeof(type) * n * p + 8), *B = malloc(sizeof(type) * n * p + 8); \\
    type *C = malloc(sizeof(type) * n * n + 8); \\
    for (int x = 0; x < n * p; x++) A[x] = x % 7, B[x] = x % 5 + 1; \\
    for (int x = 0; x < n * n; x++) C[x] = x % 11; \\
    name(n, p, __VA_ARGS__); \\
    for (int x = 0; x < n * n; x++) printf(given "\\n", C[x]); \\
    free(A), free(B), free(C); } while (0)
int main(int count, char **sizes)
{
    int n = atoi(sizes[1]), p = atoi(sizes[count - 1]);
    USE(all_of_syrk, double, "%g", 2, (void *)A, (void *)C);
    USE(all_of_syr2k, float, "%g", (void *)A, (void *)B, (void *)C);
    USE(every_third, unsigned, "%u", (void *)A, B, (void *)C);
    return 0;
}
"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("parameters", [{}, ODD, SMALL], ids=["vectors", "odd", "small"])
def test_half_of_what_is_symmetric_is_made(parameters: dict[str, int], tmp_path: Path) -> None:
    """The values are small whole numbers: sums are exact in any order."""
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    source = tmp_path / "symmetric.c"
    source.write_text(SYMMETRIC)
    found = accelerated.written(source, "opencl", tmp_path / "o", parameters, machine=CORES)
    assert found.skeletons.count("contraction-chunks") == 3
    assert (found.folder / "symmetric_kernels.cl").read_text().count("other side of the diagonal") == 3
    binary, plain = accelerated.build_opencl(found), accelerated.build_plain(source, tmp_path)
    for shape in (("0", "3"), ("1", "1"), ("7", "3"), ("33", "17"), ("66", "9"), ("133", "131")):
        assert accelerated.run(binary, *shape) == accelerated.run(plain, *shape)


def test_symmetric_sums_keep_their_order_if_told_so(tmp_path: Path) -> None:
    found = accelerated.written(CORPUS / "syr2k.c", "opencl", tmp_path, strict_fp=True, machine=CORES)
    assert "contraction-chunks" in found.skeletons
    assert "diagonal" not in (found.folder / "syr2k_kernels.cl").read_text()


@pytest.mark.parametrize("strict_fp", [False, True])
def test_multiply_adds_can_be_forbidden(strict_fp: bool, tmp_path: Path) -> None:
    program = CORPUS / "gemm.c"
    found = accelerated.written(program, "opencl", tmp_path, strict_fp=strict_fp, machine=CORES)
    text = (found.folder / "gemm_kernels.cl").read_text()
    assert ("FP_CONTRACT ON" in text) != strict_fp


@pytest.mark.long
def test_tiles_divide_blocks(tmp_path: Path) -> None:
    parameters = {"block_m": 10, "thread_m": 4}
    found = accelerated.written(SOURCE, "opencl", tmp_path, parameters, machine=CORES)
    assert "contraction-chunks" not in found.skeletons


def test_variables_may_be_called_like_vectors(tmp_path: Path) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    source = tmp_path / "named.c"
    source.write_text(
        """#include <stdio.h>
        enum { N = 37 };
        static double a[N][N], b[N][N], c[N][N];
        static void product(double int4, double long4, int vstore4) {
            for (int vload4 = 0; vload4 < N; vload4++)
                for (int double4 = 0; double4 < N; double4++)
                    for (int float8 = 0; float8 < vstore4; float8++)
                        c[vload4][double4] += a[vload4][float8] * b[float8][double4];
            for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) c[i][j] *= int4 + long4;
        }
        int main(void) {
            for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
                a[i][j] = i % 7 - j; b[i][j] = i * j % 5 + 1; c[i][j] = i - j; }
            product(2, 3, N);
            for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) printf("%g\\n", c[i][j]);
            return 0; }"""
    )
    found = accelerated.written(source, "opencl", tmp_path / "o", strict_fp=True, machine=CORES)
    assert "contraction-chunks" in found.skeletons
    plain = accelerated.build_plain(source, tmp_path)
    assert accelerated.run(accelerated.build_opencl(found)) == accelerated.run(plain)


@pytest.mark.parametrize(
    ("level1", "level2", "sizes"),
    [(32, 1024, (96, 128, 128)), (32, 256, (24, 32, 128)), (16, 4096, (96, 128, 64))],
)
def test_blocks_fit_the_caches(level1: int, level2: int, sizes: tuple[int, int, int], tmp_path: Path) -> None:
    caches = (Cache(1, level1 << 10, 64, 1), Cache(2, level2 << 10, 64, 1))
    machine = replace(CORES, caches=caches)
    found = accelerated.written(CORPUS / "gemm.c", "opencl", tmp_path, machine=machine)
    text = (found.folder / "gemm_kernels.cl").read_text()
    rows, columns, steps = sizes
    tiles = re.findall(r"double \w+\[(\d+)\]\[(\d+)\]\[(\d+)\]; /\*", text)
    assert {(int(panels) * int(width), int(depth)) for panels, depth, width in tiles} == {
        (rows, steps),
        (columns, steps),
    }
