"""Runs a program that records."""

from __future__ import annotations

import shutil
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import run
from cuvier.misses.options import MissOptions


def environment(folder: Path, options: MissOptions, cores: int) -> dict[str, str]:
    """What the recorder reads."""
    return {
        "CUVIER_RECORDER_RECORDS": str(folder / "records"),
        "CUVIER_RECORDER_PLACES": str(folder / "places"),
        "CUVIER_RECORDER_LIMIT": str(options.limit),
        "CUVIER_RECORDER_CORES": str(cores),
        "CUVIER_RECORDER_LAUNCHES": str(options.launches),
        "OMP_NUM_THREADS": "1",
    }


def command(program: Path, arguments: tuple[str, ...]) -> list[str]:
    """At the same addresses in every run, where the system allows it."""
    fixed = ["setarch", "-R"] if shutil.which("setarch") else []
    return [*fixed, str(program), *arguments]


def run_recorder(program: Path, folder: Path, options: MissOptions, cores: int) -> None:
    """UserError where the program fails."""
    done = run(
        command(program, options.arguments),
        Path.cwd(),
        options.timeout,
        environment(folder, options, cores),
        stack=True,
    )
    if done.timed_out:
        way_out = "see --timeout, or take smaller sizes"
        raise UserError(f"the program took longer than {options.timeout:.0f} s; {way_out}")
    if done.status != 0:
        said = done.complaint or "it says nothing"
        raise UserError(f"the program {done.ending}: {said}; its arguments stand behind `--`")
