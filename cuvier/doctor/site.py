"""What the checks look at, and small programs that they try."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cuvier.base.processes import Outcome, run
from cuvier.machine.probes import TIMEOUT, Probes

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Trial:
    """A program that was built and run: what it printed, or why one of the two failed."""

    printed: str = ""
    not_built: str = ""
    not_run: str = ""


@dataclass(frozen=True)
class Site:
    """The user's C compiler (`cc` as --cc has it), a folder to build in, and the folder of a project."""

    cc: str | None
    folder: Path
    project: Path

    @cached_property
    def command(self) -> tuple[str, ...]:
        """The command line of the compiler; empty where there is none, or none is wanted."""
        from species.source import PreprocessOptions, find_compiler

        return tuple(find_compiler(PreprocessOptions(cc=self.cc)) or ())

    @cached_property
    def probes(self) -> Probes | None:
        """The compiler, where it can be run."""
        there = self.command and shutil.which(self.command[0])
        return Probes(self.command, self.folder) if there else None

    @cached_property
    def first_trial(self) -> Trial:
        """What becomes of a program that needs nothing but the compiler."""
        return self.tried("serial.c")

    @property
    def can_build(self) -> bool:
        return bool(self.first_trial.printed)

    def tried(self, source: str, *flags: str) -> Trial:
        """Build a program of this folder and run it."""
        if self.probes is None:
            return Trial(not_built="there is no C compiler")
        program = self.folder / "tried"
        built = self.probes.compile(HERE / source, program, *flags)
        if built.status != 0:
            return Trial(not_built=complaint(built))
        return self.ran(program)

    def ran(self, program: Path) -> Trial:
        """Run a program that was built."""
        try:
            done = run([program], self.folder, TIMEOUT)
        except OSError as error:  # a folder of which nothing may be run, or no program
            return Trial(not_run=f"{error.strerror} ({program})")
        if done.status != 0:
            return Trial(not_run=complaint(done))
        return Trial(printed=done.stdout.decode(errors="replace").strip())


def complaint(outcome: Outcome) -> str:
    """Why a process failed, in its own words where it said something; the line with the error first."""
    lines = [line.strip() for line in outcome.stderr.decode(errors="replace").splitlines() if line.strip()]
    told = [line for line in lines if "error" in line or "undefined" in line or "cannot find" in line]
    return (told or lines or [outcome.ending])[0]
