"""The examples of docs/transfers.md: the host's part, what is said, and what is counted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cuvier.pipeline.generate import generate
from cuvier.report.plan import planned
from skeletons import CompileOptions, Library, Program, write_program
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.accelerated import Written, build_opencl, has_opencl, run
from tests.support.places import ROOT

PAGE = (ROOT / "docs" / "transfers.md").read_text()
BLOCKS = re.findall(r"```c\n(.*?)```", PAGE, re.S)
FOUND = {name: k for k, text in enumerate(BLOCKS) for name in re.findall(r"^/\* (\w+)\.c", text)}
PLACES = {name: k for name, k in FOUND.items() if name != "weigh"}  # test_copies_by_hand has that one
SOURCES = {name: BLOCKS[k] for name, k in PLACES.items()}
SHOWN = {name: BLOCKS[k + 1] for name, k in PLACES.items()}
COUNTED = dict(zip(SOURCES, re.findall(r"```json\n(.*?)```", PAGE, re.S), strict=True))


def program(name: str, folder: Path) -> Program:
    source = folder / f"{name}.c"
    source.write_text(SOURCES[name])
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    unit = read_translation_unit(str(source), flags)
    made = generate(unit, analyse(unit), "opencl", Library.load(), flags, analysis, CompileOptions())
    write_program(made, folder / "out")
    return made


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SOURCES)
def test_the_hosts_part(name: str, tmp_path: Path) -> None:
    assert SHOWN[name] in program(name, tmp_path).files[f"{name}.c"]


def test_what_is_said_of_statements(tmp_path: Path) -> None:
    (said,) = re.findall(r"```text\n(.*?)```", PAGE, re.S)
    assert planned(program("scale", tmp_path)).endswith(said)


@pytest.mark.sampled(2)
@pytest.mark.skipif(not has_opencl(), reason="needs an OpenCL device")
@pytest.mark.parametrize("name", SOURCES)
def test_the_counters(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = program(name, tmp_path)
    monkeypatch.setenv("CUVIER_OPENCL_COPY", "1")
    monkeypatch.setenv("CUVIER_COUNTERS", str(tmp_path / "counters.json"))
    run(build_opencl(Written(name, tmp_path / "out", made.choices)))
    assert json.loads((tmp_path / "counters.json").read_text()) == json.loads(COUNTED[name])
