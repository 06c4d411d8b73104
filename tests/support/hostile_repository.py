"""A repository that a stranger made, and Cuvier run in it as CI would run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LOOP = "int a[9];\nvoid f(void) { for (int i = 0; i < 9; i++) a[i] = i; }\n"


@dataclass(frozen=True)
class Repository:
    """Its `root`; whatever ran that should not has left the file `ran` beside it."""

    root: Path

    @property
    def ran(self) -> Path:
        return self.root.parent / "ran"

    def write(self, name: str, text: str = LOOP) -> Path:
        """A file of the repository."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name: str) -> Path:
        """An executable that tells that it was run, and then is the C compiler."""
        path = self.write(name, f'#!/bin/sh\ntouch "{self.ran}"\nexec cc "$@"\n')
        path.chmod(0o755)
        return path

    def build(self, *entries: dict[str, object]) -> Path:
        """A compile_commands.json."""
        whole = [{"directory": str(self.root), **entry} for entry in entries]
        return self.write("compile_commands.json", json.dumps(whole))

    def cuvier(
        self, *arguments: str, timeout: float = 60, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Cuvier, started in the repository."""
        return subprocess.run(
            [sys.executable, "-P", "-m", "cuvier", *arguments],
            cwd=self.root,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=timeout,
            check=False,
        )


def made(folder: Path) -> Repository:
    """A repository of git's with one loop in app.c."""
    root = folder / "repository"
    root.mkdir()
    (root / ".git").mkdir()
    found = Repository(root)
    found.write("app.c")
    return found
