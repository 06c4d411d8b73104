"""Runs the original program in other ways, where that is needed to explain a difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.verification.calls import FUNCTIONS, SUMS
from cuvier.verification.programs import Programs
from cuvier.verification.record import Record, sharing
from cuvier.verification.toolchain import Build, Toolchain
from cuvier.verification.trial import Runner, Trial

_SEEDS = (1, 2, 3)  # for sums: one for each direction of rounding
_LARGE = 2.0**24  # times the errors of mathematical functions: they show in whatever depends on them
_OTHER_FILL = "0x5A"


@dataclass(frozen=True)
class Variants:
    """The evidence that runs of the original give: each is made once, when it is asked for."""

    programs: Programs
    source: Path
    toolchain: Toolchain
    guards: tuple[str, ...]
    folder: Path
    runner: Runner
    original: Record
    hosted: bool  # the generated program computes with the mathematical functions of the host
    again_equal: Callable[[], bool]  # verifies what `--strict-fp` generates

    @property
    def accelerator(self) -> bool:
        """The generated program computes on one."""
        return self.programs.target.accelerator

    @property
    def threads_add(self) -> bool:
        """The user's own threads combine numbers in any order."""
        return self.programs.threads_add

    @cached_property
    def functions(self) -> tuple[Trial, ...]:
        """With mathematical functions that are off by as much as those of a device may be."""
        wanted = FUNCTIONS if self.programs.rounds & FUNCTIONS else 0
        return self._perturbed(wanted)

    @cached_property
    def sums(self) -> tuple[Trial, ...]:
        """With sums that are rounded in other directions."""
        adds = self.programs.rounds & SUMS or self.threads_add
        return self._perturbed(SUMS if adds else 0)

    @cached_property
    def exaggerated(self) -> Trial | None:
        """With mathematical functions that are off by much more: what depends on them differs."""
        return self._run(Build.PERTURBED, {"CUVIER_PERTURB": f"1 {FUNCTIONS} {_LARGE}"})

    @cached_property
    def again(self) -> Trial | None:
        """Once more."""
        return self._run(Build.REFERENCE)

    @cached_property
    def filled(self) -> Trial | None:
        """With something else in memory that was never written."""
        return self._run(Build.FILLED, {"CUVIER_WATCH_FILL": _OTHER_FILL})

    @cached_property
    def rebuilt(self) -> tuple[Trial, ...]:
        """Built by the compiler in other ways."""
        trials = (self._run(how) for how in (Build.ALIKE, Build.CAREFUL))
        return tuple(trial for trial in trials if trial is not None)

    @cached_property
    def strict(self) -> bool:
        """Is the program that `--strict-fp` generates equal?"""
        return self.again_equal()

    def _perturbed(self, what: int) -> tuple[Trial, ...]:
        seeds = _SEEDS if what else ()
        trials = (self._run(Build.PERTURBED, {"CUVIER_PERTURB": f"{seed} {what}"}) for seed in seeds)
        return tuple(trial for trial in trials if trial is not None)

    def _run(self, how: Build, environment: Mapping[str, str] | None = None) -> Trial | None:
        """None where it does not build, or does not live to its end."""
        program = self.program(how)
        if program is None:
            return None
        trial = self.runner.run(program, self.folder / "variant.record", environment)
        return replace(trial, record=sharing(trial.record, self.original)) if trial.record else None

    def program(self, how: Build) -> Path | None:
        """The original, built in one way."""
        built = self.folder / how.value / "original"
        if built.exists():
            return built
        try:
            text, openmp = self.programs.original, self.programs.openmp
            return self.toolchain.build_original(text, self.source, built.parent, self.guards, openmp, how)
        except UserError:
            return None
