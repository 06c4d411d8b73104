"""What Cuvier asks git in a stranger's repository (docs/security.md)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cuvier.report.revisions import at_revision
from tests.support.hostile_repository import LOOP, Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    root = tmp_path / "repository"
    root.mkdir()
    found = Repository(root)
    git(root, "init", "-q", "-b", "main")
    found.write("app.c")
    (root / "absolute.c").symlink_to("/etc/passwd")
    (root / "out.c").symlink_to("../outside.c")
    git(root, "add", ".")
    git(root, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x")
    return found


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def test_git_starts_no_program(repository: Repository) -> None:
    program = repository.program("tools/evil")
    repository.write(".gitattributes", "*.c diff=evil\n")
    for name in ("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv"):
        git(repository.root, "config", name, str(program))
    git(repository.root, "config", "core.pager", str(program))
    repository.write("app.c", LOOP.replace("= i", "= 2 * i"))
    repository.ran.unlink(missing_ok=True)
    done = repository.cuvier("report", "--no-cache", "--changed-since", "HEAD", "app.c")
    assert done.returncode == 0 and "parallel" in done.stdout, done.stderr
    done = repository.cuvier("report", "--no-cache", "--diff", "HEAD", ".", "app.c")
    assert done.returncode == 0, done.stderr
    assert not repository.ran.exists()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("revision", ["--output=../ran", "-O../ran", "--exec=touch ../ran"])
def test_revisions_are_no_options(repository: Repository, revision: str) -> None:
    for arguments in (["--diff", revision, "HEAD"], [f"--changed-since={revision}"]):
        done = repository.cuvier("report", "--no-cache", *arguments, "app.c")
        assert done.returncode == 2 and "git" in done.stderr
    assert not repository.ran.exists()


def test_links_at_a_revision(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository.root)
    seen: list[list[str]] = []

    def analyse(paths: list[Path]) -> dict[str, object]:
        seen.append(sorted(each.name for each in Path().iterdir()))
        return {}

    at_revision("HEAD", [Path()], analyse)
    assert seen == [["app.c"]]
