"""Trees of C files, and compilers that misbehave, for tests of runs over many files."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from cuvier import cli
from cuvier.batch.cache import Cache
from cuvier.batch.engines import Limits, Processes
from cuvier.batch.job import Finished, Job
from cuvier.batch.run import Run
from species.analysis.options import DEFAULTS
from species.source import PreprocessOptions

LOOP = "int {0}[9];\nvoid f_{0}(void) {{ for (int i = 0; i < 9; i++) {0}[i] = i; }}\n"


def make(folder: Path, *names: str) -> list[Path]:
    """Files `NAME.c` with a loop each."""
    paths = [folder / f"{name}.c" for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LOOP.format(path.stem))
    return paths


def compiler(folder: Path, name: str, misbehave: str) -> str:
    """A compiler that does as `misbehave` says, in the shell, when it sees the file called NAME.c."""
    path = folder / "odd-cc"
    path.write_text(f'#!/bin/sh\ncase "$*" in *{name}.c) {misbehave} ;; esac\nexec cc "$@"\n')
    path.chmod(0o755)
    return str(path)


def jobs_for(paths: list[Path], cc: str | None = None) -> list[Job]:
    return [Job(str(path), PreprocessOptions(cc=cc), DEFAULTS) for path in paths]


def run(
    jobs: list[Job], workers: int = 1, seconds: float = 60, memory: int = 0, cache: Cache | None = None
) -> list[Finished]:
    return list(Run(Processes(workers, Limits(seconds, memory), cache), cache).results(jobs))


def is_gone(pid: int) -> bool:
    """Has the process ended, whether somebody has taken notice of it or not?"""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return found.stdout.strip()[:1] in ("", "Z")


def said(finished: Finished) -> str:
    """The file's status, or what was said of it."""
    unit = finished.result.unit
    return " ".join(each["message"] for each in unit["diagnostics"]) or str(unit["status"])


def cuvier(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command line does in a folder."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cuvier", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    out.flush()
    text = out.buffer.getvalue().decode()
    return subprocess.CompletedProcess(arguments, int(ended.value.code or 0), text, err.getvalue())
