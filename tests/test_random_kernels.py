"""Random programs of every kind print what their originals do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.fuzz import KINDS, compare

TAKEN = {"accumulation": "contraction", "coarse": "merged", "folded": "triangle", "overlap": "default"}


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in KINDS for seed in (1, 2)])
def test_random_programs(kind: str, seed: int, tmp_path: Path) -> None:
    assert compare(KINDS[kind], seed, 6, tmp_path)[TAKEN[kind]]
