"""Random programs of every kind print what their originals do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.fuzz import KINDS, compare
from tests.support import accelerated

TAKEN = {
    "accumulation": "contraction",
    "symmetric": "contraction-chunks",
    "library": "library",
    "tensor": "contraction-tensor",
    "mirrored": "contraction",
    "mirrored-opencl": "contraction",
    "team": "team",
    "panels": "contraction-chunks",
    "coarse": "merged",
    "folded": "triangle",
    "windows": "default",
    "turned": "rows",
    "turned-opencl": "rows",
    "stretches": "chunks",
    "wrapping": "reduction",
    "overlap": "default",
}


DECOYS = (("accumulation", 5), ("stretches", 2))  # with other things of the sizes' names


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("kind", "seed"), [*((kind, 1) for kind in KINDS), *DECOYS])
def test_random_programs(kind: str, seed: int, tmp_path: Path) -> None:
    if KINDS[kind].target == "opencl" and not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    functions = 3 if KINDS[kind].target == "opencl" else 6  # its compiler takes long
    assert compare(KINDS[kind], seed, functions, tmp_path)[TAKEN[kind]]
