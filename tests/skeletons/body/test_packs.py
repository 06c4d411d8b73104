"""Packs into memory of unknown size: launches count what they take before they map the place for it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from models.machine import DEFAULT, Machine
from skeletons import CompileOptions
from skeletons.catalogue.descriptor import Comm
from tests.support import accelerated
from tests.support.machines import CORES
from tests.support.pattern_programs import packs

SIZES = ("0", "1", "2", "13", "33", "1025")
PACK = """#include <stdlib.h>
int f(int n, const double *restrict a, double *restrict b, int k)
{ for (int i = 0; i < n; i++) if (a[i] > 1) FORM return k; }
"""
QUIET = tuple(
    f"-Wno-{name}"
    for name in (
        "int-in-bool-context",
        "maybe-uninitialized",
        "sign-compare",
        "bool-compare",
        "type-limits",
        "overflow",
        "bool-operation",
    )
)
LATER = ("{ k++; b[k] = a[i]; }", "b[++k] = a[i];")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("comm", ["static", "naive", "auto"])
@pytest.mark.parametrize("seed", range(2))
def test_in_the_shim(seed: int, comm: Comm, tmp_path: Path) -> None:
    _compare(Random(seed), "cuda", tmp_path, DEFAULT, comm)


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("machine", [DEFAULT, CORES], ids=["gpu", "cpu"])
@pytest.mark.parametrize("seed", range(2, 3))
def test_with_opencl(seed: int, machine: Machine, tmp_path: Path) -> None:
    if not accelerated.has_opencl():
        pytest.skip("no OpenCL device on this machine")
    _compare(Random(seed), "opencl", tmp_path, machine, "static")


def _compare(random: Random, target: str, folder: Path, machine: Machine, comm: Comm) -> None:
    source = folder / "packs.c"
    source.write_text(packs(random))
    found = accelerated.resident(source, target, folder / "out", CompileOptions(machine=machine, comm=comm))
    assert {"scan", "chunks-scan"} & set(found.skeletons)
    build = accelerated.build_shim if target == "cuda" else accelerated.build_opencl
    plain, binary = accelerated.build_plain(source, folder, QUIET), build(found, [*QUIET, "-DCUVIER_POISON"])
    for size in SIZES:
        expected = accelerated.run(plain, size)
        assert accelerated.run(binary, size, CUVIER_LAUNCH_ALL="1", CUVIER_OPENCL_COPY="1") == expected


@pytest.mark.parametrize("form", ["b[k++] = a[i];", "{ b[k] = a[i]; k++; }"])
def test_only_what_is_taken_moves(form: str, tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    text = PACK.replace("FORM", form)
    source.write_text(
        text + "int main(void) { static double a[99], b[99]; for (int i = 0; i < 99; i++) a[i] = i % 9;"
        " return f(99, a, b + 3, 2) != 79 || b[5] != 2 || b[81] != 8 || b[82] || b[4]; }"
    )
    found = accelerated.resident(source, "cuda", tmp_path / "out")
    assert "scan" in found.skeletons
    binary, counters = accelerated.build_shim(found), tmp_path / "counters.json"
    accelerated.run(binary, CUVIER_COUNTERS=str(counters))
    text = counters.read_text()
    assert '{"array": "b", "direction": "out", "count": 1, "bytes": 616}' in text
    assert '"array": "b", "direction": "in"' not in text


@pytest.mark.parametrize("form", LATER)
def test_what_is_stored_behind_the_step_stays(form: str, tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(PACK.replace("FORM", form))
    found = accelerated.written(source, "cuda", tmp_path / "out")
    assert not found.skeletons
    [choice] = found.choices
    assert "'b' is accessed at unknown places" in choice.why[0][2]
