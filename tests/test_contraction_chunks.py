"""Contractions for CPUs through OpenCL: chosen, and equal to the last bit for all shapes and vectors."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import accelerated
import pytest

from skeletons.machine import Cache
from tests.machines import CORES

SOURCE = accelerated.PROGRAMS / "contractions.c"
CORPUS = Path(__file__).parent.parent / "corpus" / "polybench"
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


@pytest.mark.parametrize("strict_fp", [False, True])
def test_multiply_adds_can_be_forbidden(strict_fp: bool, tmp_path: Path) -> None:
    program = CORPUS / "gemm.c"
    found = accelerated.written(program, "opencl", tmp_path, strict_fp=strict_fp, machine=CORES)
    text = (found.folder / "gemm_kernels.cl").read_text()
    assert ("FP_CONTRACT ON" in text) != strict_fp


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
