"""Reductions to one value and to several, argmin and argmax: the right values, the same ones in every run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import accelerated

SOURCE = accelerated.PROGRAMS / "extremes.c"
SIZES = (0, 1, 2, 31, 32, 33, 40, 64, 255, 256, 257, 1199)
SHAPES: list[dict[str, int]] = [
    {},
    {"width": 7, "groups": 5, "block_x": 3, "block_y": 5},
    {"width": 64, "groups": 2, "block_x": 16, "block_y": 2},
    {"width": 1, "block_x": 1, "block_y": 1, "groups": 3},
]
KINDS = ["reduction"] * 7


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    plain = accelerated.build_plain(SOURCE, tmp_path_factory.mktemp("plain"))
    return {size: accelerated.run(plain, str(size)) for size in SIZES}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", SHAPES)
def test_in_the_shim(shape: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    found = accelerated.written(SOURCE, "cuda", tmp_path, shape)
    assert found.skeletons[:7] == KINDS
    binary = accelerated.build_shim(found)
    for order in accelerated.ORDERS:
        assert {size: accelerated.run(binary, str(size), order=order) for size in SIZES} == expected


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", SHAPES)
def test_with_opencl(shape: dict[str, int], tmp_path: Path, expected: dict[int, str]) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    found = accelerated.written(SOURCE, "opencl", tmp_path, shape)
    assert found.skeletons[:7] == KINDS
    binary = accelerated.build_opencl(found)
    assert {size: accelerated.run(binary, str(size)) for size in SIZES} == expected


@pytest.mark.long
@pytest.mark.parametrize("architecture", accelerated.ARCHITECTURES)
def test_no_spills(architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc on this machine")
    assert accelerated.spills(accelerated.written(SOURCE, "cuda", tmp_path), architecture) == []


def test_warps_pass_parts_on_where_they_are_whole(tmp_path: Path) -> None:
    """Extremes, small types and work-groups that are no whole warps go through shared memory."""
    assert text(accelerated.written(SOURCE, "cuda", tmp_path / "a")).count("__shfl_down_sync") == 2 * 6
    assert "__shfl_down_sync" not in text(accelerated.written(SOURCE, "cuda", tmp_path / "b", {"width": 48}))


def test_too_many_parts_are_refused(tmp_path: Path) -> None:
    found = accelerated.written(SOURCE, "opencl", tmp_path, {"width": 1024})
    assert (
        found.reason("reduction", 2)
        == "its parts take 40960 bytes of fast memory, and a work-group has 32768"
    )
    found = accelerated.written(SOURCE, "opencl", tmp_path, {"block_x": 64, "block_y": 32})
    assert found.reason("reduction", 1) == "a work-group of 2048 is too large"


REFUSED = {
    "the place alone": "if (a[i] > a[k]) k = i;",
    "the name is used again": "if (a[i] > best) { best = a[i]; k = i; { int best = 3; a[i + 50] = best; } }",
    "a macro assigns": "if (a[i] > best) { SET; k = i; }",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str, tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(
        f"#define SET best = a[i]\nint a[100];\nint f(int *at) {{ int best = 0, k = 0;\n"
        f"for (int i = 0; i < 50; i++) {{ {body} }}\n*at = k; return best; }}\n"
    )
    assert accelerated.written(source, "cuda", tmp_path / "out").skeletons == []


def text(found: accelerated.Written) -> str:
    return (found.folder / f"{found.name}_kernels.cu").read_text()
