"""The examples in docs/choosing.md show what the commands print; its table states the model's constants."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.cli import build_app
from models.machine import SCALAR
from models.prediction.boat_hull import PLAIN, TERMS, WARPS
from tests.support.places import ROOT

PAGE = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")


def test_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(ROOT / "corpus", tmp_path / "corpus"))
    for command, output in re.findall(r"```console\n\$ cuvier (.*?)\n(.*?)```", PAGE, re.DOTALL):
        done = CliRunner().invoke(build_app(), command.split(), catch_exceptions=False)
        assert (done.stdout + done.stderr).rstrip() == output.rstrip(), command
    assert Path("roofline.svg").read_text() == (ROOT / "docs/roofline.svg").read_text(), "draw it anew"


def test_the_counts() -> None:
    tests = doctest.DocTestParser().get_doctest(PAGE, {}, "choosing.md", None, 0)
    assert tests.examples and doctest.DocTestRunner().run(tests).failed == 0


def test_the_constants_are_those_of_the_model() -> None:
    assert (SCALAR, PLAIN, WARPS) == (16, 2.0, 8)
    assert "a sixteenth of the rate" in PAGE and "half of the rate" in PAGE and "eight warps" in PAGE
    assert all(f"`{term}`" in PAGE for term in TERMS)
