"""The examples in docs/reports.md show what the commands print, one after the other."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from cuvier.cli import build_app
from cuvier.report.formats import Format
from cuvier.report.gate import CONDITIONS
from cuvier.report.markdown import LIMIT, OPEN
from cuvier.report.sarif import MOST
from tests.support.places import ROOT

PAGE = (ROOT / "docs/reports.md").read_text(encoding="utf-8")


def test_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(ROOT / "docs/example", tmp_path / "example"))
    for session in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for command, output in re.findall(
            r"^\$ cuvier (.*?)\n(.*?)(?=^\$ |\Z)", session, re.DOTALL | re.MULTILINE
        ):
            done = CliRunner().invoke(build_app(), command.split(), catch_exceptions=False)
            assert (done.stdout + done.stderr).rstrip() == output.rstrip(), command


def test_numbers_and_names() -> None:
    assert all(f"| `{form.value}` |" in PAGE for form in Format)
    assert all(f"| `{name}` |" in PAGE for name in CONDITIONS)
    assert f"{LIMIT:,} characters; more than {OPEN} rows" in PAGE
    assert f"{MOST:,} results" in PAGE


def test_examples_of_other_tools_name_what_there_is() -> None:
    workflow, hooks = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    used = next(step["with"] for step in workflow["jobs"]["loops"]["steps"] if "OWNER" in step["uses"])
    assert set(used) <= set(inputs)
    known = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert {hook["id"] for hook in hooks["repos"][0]["hooks"]} <= known
