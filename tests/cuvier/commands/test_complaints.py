"""Diagnostics that many files of a run have alike."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cuvier.base.complaints import Complaints
from species.core.positions import Diagnostic, Position


def _broken(file: str, line: int) -> Diagnostic:
    return Diagnostic("warning", "CV001", "cannot parse; 'y' is not analysed", Position(file, line, 7))


def _missing(file: str, name: str) -> Diagnostic:
    return Diagnostic("warning", "CV009", f"the header {name} is not found", Position(file, 3, 1))


def test_a_place_in_a_header_is_named_once_with_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    said = Complaints()
    for _ in range(40):
        said.about_file([_broken("all.h", 2), _broken("all.h", 2), _broken("all.h", 9)])
    said.conclude()
    assert capsys.readouterr().err.splitlines() == [
        "all.h:2:7: warning: cannot parse; 'y' is not analysed [CV001]",
        "all.h:9:7: warning: cannot parse; 'y' is not analysed [CV001]",
        "all.h:2:7: note: 40 files have this [CV001]",
        "all.h:9:7: note: 40 files have this [CV001]",
    ]


def test_a_header_is_missing_once(capsys: pytest.CaptureFixture[str]) -> None:
    said = Complaints()
    for file in ("a.c", "b.c"):
        said.about_file([_missing(file, "gone.h")])
    said.about_file([_missing("c.c", "lost.h")])
    said.conclude()
    assert capsys.readouterr().err.splitlines() == [
        "a.c:3:1: warning: the header gone.h is not found [CV009]",
        "c.c:3:1: warning: the header lost.h is not found [CV009]",
        "a.c:3:1: note: 2 files have this [CV009]",
    ]


def test_each_file_has_its_own_defects(capsys: pytest.CaptureFixture[str]) -> None:
    said = Complaints()
    for file in ("a.c", "b.c"):
        said.about_file([_broken(file, 1)])
    said.conclude()
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_a_run_over_files_with_one_header(tmp_path: Path) -> None:
    (tmp_path / "all.h").write_text('int x @ y;\n#include "gone.h"\n')
    for name in ("a.c", "b.c", "c.c"):
        (tmp_path / name).write_text(
            '#include "all.h"\nint a[9];\nvoid f(void) { for (int i = 0; i < 9; i++) a[i] = i; }\n'
        )
    done = subprocess.run(
        [sys.executable, "-m", "cuvier", "report", "--no-cache", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    said = [line for line in done.stderr.splitlines() if "CV001" in line]
    assert len(said) == 2 and said[1] == "all.h:1:7: note: 3 files have this [CV001]"
