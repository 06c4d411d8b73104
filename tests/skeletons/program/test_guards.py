"""Loops and branches that begin a line on which another statement follows."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from skeletons.program.guards import without_misleading_lines

MISLEADING = (
    "for (i = 0; i < n; i++) a[i] = 0; for (i = 0; i < n; i++) { a[i]++; }",
    "if (n > 2) n = 3; n++;",
    "while (n > 9) n /= 2; a[0] = n;",
    "for (i = 0; i < n; i++) if (a[i]) a[i] = (int[]){ 1, 2 }[1]; a[1] = 2;",
    "if (n) for (i = 0; i < n; i++) a[i] = 1; n = 2;",
)
PLAIN = (
    "for (i = 0; i < n; i++) { a[i] = 0; } a[1] = 2;",
    "for (i = 0; i < n; i++) a[i] = 0;",
    "{ for (i = 0; i < n; i++) a[i] = 0; a[1] = 2; }",
    "if (n) a[0] = 1; else a[0] = 2;",
    "for (i = 0; i < n; i++) a[i] = 0; /* all of it */",
    "/* in a comment\nfor (i = 0; i < n; i++) a[i] = 0; a[1] = 2; */",
    "for (i = 0; i < n; i++)\n  a[i] = 0;",
)


def built(lines: str, folder: Path) -> str:
    """What gcc says of a function with these lines."""
    (folder / "a.c").write_text(
        f"void f(int *a, int n)\n{{\n  int i = 0; (void)i, (void)a, (void)n;\n{lines}\n}}\n"
    )
    command = ["gcc", "-Wall", "-Wextra", "-fsyntax-only", "a.c"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stderr


@pytest.mark.parametrize("lines", MISLEADING)
def test_gcc_is_told(lines: str, tmp_path: Path) -> None:
    found = without_misleading_lines(lines, "")
    assert found == f"/**/ {lines}"
    assert without_misleading_lines(f"  {lines}\n", lines) == f"  {lines}\n"  # the user's own
    if shutil.which("gcc"):
        assert "misleading-indentation" in built(f"  {lines}", tmp_path)
        assert not built(f"  {found}", tmp_path)


@pytest.mark.parametrize("lines", PLAIN)
def test_others_stay(lines: str, tmp_path: Path) -> None:
    assert without_misleading_lines(lines, "") == lines
    assert not shutil.which("gcc") or not built(lines, tmp_path)
