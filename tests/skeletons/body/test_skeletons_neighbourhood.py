"""Stencils of one to three dimensions: the right skeleton, and the right values at every size."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from models.errors import SkeletonError
from skeletons import CompileOptions
from tests.support import accelerated

SOURCE = accelerated.PROGRAMS / "stencils.c"
SIZES = (0, 1, 2, 3, 5, 9, 10, 37)
TILES = ("neighbourhood-1d", "neighbourhood-2d", "neighbourhood-3d")
CHOSEN = [
    "default",
    "neighbourhood-3d",
    "neighbourhood-3d",
    "neighbourhood-2d",
    "neighbourhood-1d",
    "default",
]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    plain = accelerated.build_plain(SOURCE, tmp_path_factory.mktemp("plain"))
    return {size: accelerated.run(plain, str(size)) for size in SIZES}


def in_tiles(folder: Path, sizes: dict[str, int] | None = None) -> accelerated.Written:
    """With neighbourhoods in shared memory, also where the caches would be faster."""
    options = CompileOptions(parameters=sizes or {}, preferred=TILES)
    return accelerated.written(SOURCE, "cuda", folder, options=options)


def test_the_widest_neighbourhood_that_fits_is_chosen(tmp_path: Path) -> None:
    found = in_tiles(tmp_path)
    assert found.skeletons == CHOSEN
    assert found.reason("neighbourhood-2d", 5) == "the bounds of j depend on an outer loop"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sizes", [{}, {"block_x": 7, "block_y": 4, "block_z": 3, "width": 7}])
def test_in_the_shim(sizes: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    found = in_tiles(tmp_path, sizes)
    assert ("a_tile[5][6][9]" in text_of(found)) == bool(sizes)
    binary = accelerated.build_shim(found)
    for order in accelerated.ORDERS:
        assert {size: accelerated.run(binary, str(size), order=order) for size in SIZES} == expected


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("sizes", [{}, {"block_x": 7, "block_y": 4, "block_z": 3, "width": 7}])
def test_with_opencl(sizes: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    found = accelerated.written(SOURCE, "opencl", tmp_path, sizes)
    assert found.skeletons == CHOSEN
    binary = accelerated.build_opencl(found)
    assert {size: accelerated.run(binary, str(size)) for size in SIZES} == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert accelerated.spills(in_tiles(tmp_path), architecture) == []


def test_work_groups_that_are_too_large_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SkeletonError, match="stencils_k2: a work-group of 2 x 16 x 64 is too large"):
        in_tiles(tmp_path, {"block_x": 64, "block_y": 16, "block_z": 2})


def text_of(found: accelerated.Written) -> str:
    return (found.folder / f"{found.name}_kernels.cu").read_text()
