"""Filters whose taps are constants do what they did, however the constants are given."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.filters.fuzz import compare
from tests.filters.generator import program

needs_gcc = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")


@needs_gcc
@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(100, 112))
@pytest.mark.parametrize("target", ["openmp", "cuda"])
def test_random_filters(target: str, seed: int, tmp_path: Path) -> None:
    assert compare(program(seed), tmp_path, target)
