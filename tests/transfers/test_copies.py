"""What the PolyBench-like programs of the corpus copy, beside the least there is (corpus/copies.yaml)."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
import yaml
from conftest import LONG

from skeletons import CompileOptions
from skeletons.catalogue.passes import GLUE
from tests.support.accelerated import build_opencl, has_opencl, resident, run
from tests.support.places import ROOT

CORPUS = ROOT / "corpus"
EXPECTED = yaml.safe_load((CORPUS / "copies.yaml").read_text())
PROGRAMS = sorted(path.stem for path in (CORPUS / "polybench").glob("*.c"))


def test_every_program_is_listed() -> None:
    assert sorted(EXPECTED) == PROGRAMS


@pytest.mark.sampled(12)
@pytest.mark.skipif(not (shutil.which("gcc") and has_opencl()), reason="needs gcc and an OpenCL device")
@pytest.mark.parametrize("name", PROGRAMS if os.environ.get(LONG) else PROGRAMS[::3])
def test_bytes_that_are_copied(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = EXPECTED[name]
    found = copied(name, CompileOptions(), tmp_path, monkeypatch)
    assert found == expected["least"]


@pytest.mark.sampled(4)
@pytest.mark.skipif(not (shutil.which("gcc") and has_opencl()), reason="needs gcc and an OpenCL device")
@pytest.mark.parametrize("name", [name for name in PROGRAMS if "without_glue" in EXPECTED[name]])
def test_bytes_without_glue(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = CompileOptions(without=frozenset({GLUE}))
    assert copied(name, options, tmp_path, monkeypatch) == EXPECTED[name]["without_glue"]


def copied(
    name: str, options: CompileOptions, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[int]]:
    """Bytes in and out per array of a program that is compiled for OpenCL, and run."""
    source = CORPUS / "polybench" / f"{name}.c"
    program = resident(source, "opencl", folder, options)
    monkeypatch.setenv("CUVIER_OPENCL_COPY", "1")
    monkeypatch.setenv("CUVIER_COUNTERS", str(folder / "counters.json"))
    run(build_opencl(program, ["-w"]))
    arrays = set(re.findall(r'cuvier_map\(\S+ "([^"]+)"', (folder / f"{name}_kernels.c").read_text()))
    found: dict[str, list[int]] = {}
    for copy in json.loads((folder / "counters.json").read_text())["copies"]:
        if copy["array"] in arrays:  # and not the parts of a sum
            found.setdefault(copy["array"], [0, 0])[copy["direction"] == "out"] += copy["bytes"]
    return found
