"""The example of docs/transfers.md: the host's part, and what is counted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from accelerated import Written, build_opencl, has_opencl, run

from cuvier.generate import generate
from skeletons import CompileOptions, Library, write_program
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit

PAGE = (Path(__file__).parent.parent / "docs" / "transfers.md").read_text()


@pytest.fixture
def program(tmp_path: Path) -> Written:
    source = tmp_path / "smooth.c"
    source.write_text(re.findall(r"```c\n(.*?)```", PAGE, re.S)[0])
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True)
    unit = read_translation_unit(str(source), flags)
    made = generate(unit, analyse(unit), "opencl", Library.load(), flags, analysis, CompileOptions())
    write_program(made, tmp_path / "out")
    return Written("smooth", tmp_path / "out", made.choices)


def test_the_hosts_part(program: Written) -> None:
    shown = re.findall(r"```c\n(.*?)```", PAGE, re.S)[1]
    assert shown in (program.folder / "smooth.c").read_text()


@pytest.mark.skipif(not has_opencl(), reason="needs an OpenCL device")
def test_the_counters(program: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUVIER_OPENCL_COPY", "1")
    monkeypatch.setenv("CUVIER_COUNTERS", str(tmp_path / "counters.json"))
    run(build_opencl(program))
    (shown,) = re.findall(r"```json\n(.*?)```", PAGE, re.S)
    assert json.loads((tmp_path / "counters.json").read_text()) == json.loads(shown)
