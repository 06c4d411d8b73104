"""Flags of the preprocessor, as compilers have them: for the analysis, and for programs that are written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = """\
#include "sizes.h"
#include <kinds.h>
#ifndef FIRST
#error without -include
#endif
#ifdef OLD
#error without -U
#endif
real a[N];
int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = i;
  return a[3] != 3;
}
"""
FLAGS = ("-iquote", "quoted", "-isystem", "system", "-include", "first.h", "-U", "OLD")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {
        "app.c": SOURCE,
        "quoted/sizes.h": "#define N 100\n",
        "system/kinds.h": "typedef double real;\n",
        "first.h": "#define FIRST 1\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    command = {"directory": str(tmp_path), "file": "app.c", "arguments": ["cc", "-DOLD", "-c", "app.c"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([command]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cuvier(*arguments: str) -> str:
    command = [sys.executable, "-m", "cuvier", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.usefixtures("folder")
def test_they_are_heeded_by_the_analysis() -> None:
    assert "void -> a[0:99]|element" in cuvier("report", *FLAGS, "app.c")


def test_written_programs_need_them_too(folder: Path) -> None:
    cuvier("compile", *FLAGS, "--target", "openmp", "-o", "out", "app.c")
    subprocess.run(["make", "-s", "-C", "out"], check=True)
    assert subprocess.run([folder / "out" / "app"], check=False).returncode == 0
