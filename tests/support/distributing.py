"""What is built of the sources, as whoever installs Cuvier builds it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.places import ROOT


def run(
    *command: str | Path, cwd: Path, check: bool = True, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command that knows nothing of this folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    words = [str(word) for word in command]
    return subprocess.run(
        words, cwd=cwd, env={**kept, **environment}, check=check, capture_output=True, text=True
    )


def sources() -> list[str]:
    """The files of the repository, those that are not committed yet too."""
    done = run("git", "ls-files", "-co", "--exclude-standard", cwd=ROOT, check=False)
    if done.returncode != 0:
        pytest.skip("no repository")
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def copied(names: Iterable[str], folder: Path) -> Path:
    """The folder, with these files of the repository."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return folder


def built(kind: str, folder: Path, output: Path) -> Path:
    """The distribution (sdist or wheel) that the build backend makes of a folder; it needs no network."""
    code = f"import sys, setuptools.build_meta as b; print(b.build_{kind}(sys.argv[1]))"
    done = run(sys.executable, "-c", code, output, cwd=folder)
    return output / done.stdout.splitlines()[-1]
