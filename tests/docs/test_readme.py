"""The examples in README.md and docs/tutorial.md show what the commands really print and write."""

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
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"```console\n\$ cuvier (.*?)\n(.*?)```", README + TUTORIAL, re.DOTALL)
LISTING = re.compile(r"```(?:c|cuda)\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(("command", "output"), SESSIONS)
def test_session(command: str, output: str, tmp_path: Path) -> None:
    assert cuvier(command, shutil.copytree(EXAMPLE, tmp_path / "example")).rstrip() == output.rstrip()


def cuvier(command: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "cuvier", *command.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_listings_of_the_readme(tmp_path: Path) -> None:
    """A loop of the corpus, and the same annotated by the command that stands between them."""
    before, after = LISTING.findall(README)
    ((command, file),) = re.findall(r"`cuvier (annotate .*?) (corpus/\S+)`", README)
    assert before in (ROOT / file).read_text()
    cuvier(f"{command} {shutil.copy(ROOT / file, tmp_path)}", tmp_path)
    assert after in (tmp_path / "parallel" / Path(file).name).read_text()


def test_listings_of_the_tutorial(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown as code is the example itself, or generated from it."""
    monkeypatch.chdir(EXAMPLE)
    result = analyse_file(Path("heat.c"), PreprocessOptions())
    assert result.unit is not None
    plan = around_kernels(result.facts)
    program = compile_unit(result.unit, result.facts, plan, "cuda", Library.load(), CompileOptions())
    written = [result.text, *program.files.values()]
    listings = LISTING.findall(TUTORIAL)
    assert len(listings) == 3
    for listing in listings:
        assert any(listing.rstrip() in text for text in written)


def test_the_readme_is_one_page() -> None:
    assert len(README.splitlines()) <= 140
    assert "Both need Python 3.11 or later" in README


def test_the_table_of_contents_has_all_pages() -> None:
    contents = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages - set(re.findall(r"^- \[.*?\]\(([\w-]+\.md)\): ", contents, re.MULTILINE)) == set()
