"""docs/devices.md: its table of bytes, and what it says that `cuvier devices` prints."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app
from tests.devices import PROGRAMS, build
from tests.support.places import ROOT

PAGE = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_the_table_of_bytes(tmp_path: Path) -> None:
    """The same steps with smaller arrays: what moves grows with N alone."""
    rows = [list(map(int, row)) for row in re.findall(r"\| (\d+) \| (\d+) \| (\d+) \|", PAGE)]
    assert [row[0] for row in rows] == [1, 2, 4, 8]
    few, many = (build(PROGRAMS / "hotspot.c", tmp_path / k, defines=("N=64", f"STEPS={k}")) for k in "23")
    for devices, told, least in rows:
        more = many.run(devices).across() - few.run(devices).across()
        assert sum(more.values()) * 1024 // 64 == told == least


def test_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(PROGRAMS / "mixed.cu", tmp_path)
    done = CliRunner().invoke(build_app(), ["devices", "mixed.cu", "-o", "out"])
    (told,) = re.findall(r"\$ cuvier devices mixed.cu -o out\n(.*?)```", PAGE, re.DOTALL)
    assert done.output == told
