"""Scans, packs, searches and histograms in stretches of iterations, for CPUs that speak OpenCL."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.support import accelerated
from tests.support.machines import CORES
from tests.support.pattern_programs import program, sizes

COUNTS = (0, 1, 2, 3, 64, 255, 256, 1200)
SHAPES: list[dict[str, int]] = [{}, {"groups": 1}, {"groups": 7}, {"fast_bytes": 0}]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("shape", SHAPES, ids=map(str, SHAPES))
@pytest.mark.parametrize(("name", "skeleton"), [("scans", "chunks-scan"), ("histograms", "chunks-combine")])
def test_values(name: str, skeleton: str, shape: dict[str, int], tmp_path: Path) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    if "fast_bytes" in shape and name == "scans":
        pytest.skip("scans keep nothing in fast memory")
    source = accelerated.PROGRAMS / f"{name}.c"
    found = accelerated.written(source, "opencl", tmp_path / "out", shape, machine=CORES)
    assert skeleton in found.skeletons
    plain, binary = accelerated.build_plain(source, tmp_path), accelerated.build_opencl(found)
    for count in map(str, COUNTS):
        assert accelerated.run(binary, count, CUVIER_LAUNCH_ALL="1") == accelerated.run(plain, count)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(2))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    random = Random(seed)
    source = tmp_path / "patterns.c"
    source.write_text(program(random))
    found = accelerated.written(source, "opencl", tmp_path / "out", machine=CORES)
    assert {"chunks-scan", "chunks-reduction"} & set(found.skeletons)
    plain, binary = accelerated.build_plain(source, tmp_path, ["-w"]), accelerated.build_opencl(found, ["-w"])
    for size in map(str, sizes(1025)):
        assert accelerated.run(binary, size, CUVIER_LAUNCH_ALL="1") == accelerated.run(plain, size)


def test_strict_sums_are_not_made_in_parts(tmp_path: Path) -> None:
    source = accelerated.PROGRAMS / "scans.c"
    found = accelerated.written(source, "opencl", tmp_path, strict_fp=True, machine=CORES)
    text = (found.folder / "scans_kernels.cl").read_text()
    assert "double" not in "".join(line for line in text.splitlines() if "_partials" in line)
