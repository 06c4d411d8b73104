"""The example in README.md shows what the commands really print and write."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cuvier.pipeline.driver import analyse_file
from skeletons import CompileOptions, Library, compile_unit
from species.source import PreprocessOptions
from tests.support.places import ROOT
from transfers import around_kernels

EXAMPLE = ROOT / "docs" / "example"
README = (ROOT / "README.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"```console\n\$ cuvier (.*?)\n(.*?)```", README, re.DOTALL)
LISTINGS = re.findall(r"```(?:c|cuda)\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(("command", "output"), SESSIONS)
def test_session(command: str, output: str, tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLE, tmp_path / "example")
    done = subprocess.run(
        [sys.executable, "-m", "cuvier", *command.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.rstrip() == output.rstrip()


def test_listings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown as code is the example itself, or generated from it."""
    monkeypatch.chdir(EXAMPLE)
    result = analyse_file(Path("heat.c"), PreprocessOptions())
    assert result.unit is not None
    plan = around_kernels(result.facts)
    program = compile_unit(result.unit, result.facts, plan, "cuda", Library.load(), CompileOptions())
    written = [result.text, *program.files.values()]
    assert len(LISTINGS) == 3
    for listing in LISTINGS:
        assert any(listing.rstrip() in text for text in written)
