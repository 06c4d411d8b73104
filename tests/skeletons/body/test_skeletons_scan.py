"""Scan and pack on accelerators: the right values at every size, in place too."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import accelerated

SOURCE = accelerated.PROGRAMS / "scans.c"
SIZES = (0, 1, 2, 63, 64, 65, 255, 257, 2900)
SHAPES: list[dict[str, int]] = [
    {},
    {"width": 7, "groups": 3},
    {"width": 1, "groups": 2},
    {"width": 128, "groups": 1},
]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    plain = accelerated.build_plain(SOURCE, tmp_path_factory.mktemp("plain"))
    return {size: accelerated.run(plain, str(size)) for size in SIZES}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", SHAPES)
def test_in_the_shim(shape: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    found = accelerated.written(SOURCE, "cuda", tmp_path, shape)
    assert found.skeletons == ["scan"] * 8 + ["default"]
    binary = accelerated.build_shim(found)
    for order in accelerated.ORDERS:
        assert {size: accelerated.run(binary, str(size), order=order) for size in SIZES} == expected


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", SHAPES)
def test_with_opencl(shape: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    found = accelerated.written(SOURCE, "opencl", tmp_path, shape)
    assert found.skeletons == ["scan"] * 8 + ["default"]
    binary = accelerated.build_opencl(found)
    assert {size: accelerated.run(binary, str(size)) for size in SIZES} == expected


@pytest.mark.long
@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert accelerated.spills(accelerated.written(SOURCE, "cuda", tmp_path), architecture) == []


@pytest.mark.parametrize("target", ["c"])
def test_targets_without_the_skeleton_leave_the_loops_alone(target: str, tmp_path: Path) -> None:
    found = accelerated.written(SOURCE, target, tmp_path)
    assert found.skeletons == ["default"]


def test_strict_sums_stay_on_the_host(tmp_path: Path) -> None:
    found = accelerated.written(SOURCE, "cuda", tmp_path, strict_fp=True)
    assert [c.kernel.name for c in found.choices if c.skeleton is None] == ["scans_s2"]
    assert found.reason("default", 1) == "the loop is a scan"
