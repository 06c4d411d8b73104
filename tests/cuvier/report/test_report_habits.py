"""What ties reports to other tools: hooks, the action of GitHub, and completion in shells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.places import ROOT
from tests.support.reporting import SUM

CARRIED = SUM.replace("p[i] = q[i];", "p[i] = i > 0 ? p[i - 1] + q[i] : 0;")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a commit, and a change for the worse that is not committed."""
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.c").write_text(SUM)
    for command in ("init -q", "add .", "-c user.name=t -c user.email=t@example.org commit -qm x"):
        subprocess.run(["git", *command.split()], cwd=folder, check=True)
    (folder / "src/a.c").write_text(CARRIED)
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin/cuvier"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cuvier "$@"\n')
    script.chmod(0o755)
    return folder


def run(command: list[str], repository: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    path = f"{repository.parent / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **inputs}
    return subprocess.run(
        command, cwd=repository, env=environment, capture_output=True, text=True, check=False
    )


def test_the_hooks_are_commands(repository: Path) -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    refused = run([*hooks["cuvier-report"]["entry"].split(), "src/a.c"], repository)
    assert refused.returncode == 1
    assert "conditional -> serial" in refused.stdout
    done = run([*hooks["cuvier-annotate"]["entry"].split(), "src/a.c"], repository)
    assert done.returncode == 0
    assert "#pragma species kernel" in (repository / "src/a.c").read_text()


def test_the_action_hands_all_inputs_to_its_script() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    step = action["runs"]["steps"][-1]
    used = {value.split()[1] for name, value in step["env"].items() if name != "ACTION"}
    assert used == {f"inputs.{name}" for name in action["inputs"]}
    assert "${{" not in step["run"]  # an input must not become a part of a script
    names = {name for name in step["env"] if name != "ACTION"}
    script = (ROOT / "scripts/action").read_text()
    assert all(f"${{{name}:" in script for name in names)


def test_the_action_compares_with_a_base(repository: Path) -> None:
    summary = repository.parent / "summary.md"
    inputs = {"CUVIER_PATHS": "src", "CUVIER_BASE": "HEAD", "GITHUB_STEP_SUMMARY": str(summary)}
    inputs |= {"CUVIER_SARIF": "out.sarif", "CUVIER_HTML": "out.html"}
    done = run([str(ROOT / "scripts/action")], repository, **inputs, CUVIER_FAIL_ON="regression")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::warning file=src/a.c,line=18,")
    assert "| Became worse | `src/a.c:17`" in summary.read_text()
    assert json.loads((repository / "out.sarif").read_text())["runs"][0]["results"]
    assert (repository / "out.html").read_text().startswith("<!doctype html>")
    left = subprocess.run(
        ["git", "worktree", "list"], cwd=repository, capture_output=True, text=True, check=True
    )
    assert left.stdout.count("\n") == 1


def test_the_action_without_a_base_tells_of_opportunities(repository: Path) -> None:
    (repository / "src/bad.c").write_text("int main(void) { return 0 }}}\n")
    done = run([str(ROOT / "scripts/action")], repository)
    assert done.returncode == 0, done.stderr
    assert "::notice file=src/a.c,line=8," in done.stdout
    assert "title=Not analysed" in done.stdout


@pytest.mark.parametrize(
    ("shell", "environment"),
    [
        ("bash", {"COMP_WORDS": "cuvier report --format ", "COMP_CWORD": "3"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "cuvier report --format "}),
        (
            "fish",
            {"_TYPER_COMPLETE_ARGS": "cuvier report --format ", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
        ),
    ],
)
def test_shells_complete(shell: str, environment: dict[str, str]) -> None:
    code = "import sys; sys.argv = ['cuvier']; from cuvier.cli import main; main()"
    variables = {
        **os.environ,
        **environment,
        "_CUVIER_COMPLETE": f"complete_{shell}",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True
    )
    assert "sarif" in done.stdout and "markdown" in done.stdout
