"""Misses as valgrind's cachegrind counts them: equal, for all caches that it models."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.models.cache.cachegrind import POLYBENCH, Caches, build, modelled, simulated

SHAPES = [Caches(), Caches(1024, 1, 8192, 4), Caches(16384, 8, 131072, 16)]


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
@pytest.mark.parametrize(("name", "caches"), list(zip(("gemm", "jacobi-2d", "durbin"), SHAPES, strict=True)))
def test_cachegrind_counts_the_same(name: str, caches: Caches, tmp_path: Path) -> None:
    program = build(POLYBENCH / f"{name}.c", tmp_path)
    assert modelled(program, caches, tmp_path) == simulated(program, caches, tmp_path)
