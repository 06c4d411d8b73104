"""Runs the original and the generated program, and says what keeps them from their ends."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import Outcome
from cuvier.verification.devices import REPORT, Built
from cuvier.verification.trial import SPARSE, Runner, Trial

_NOT_BUILT = re.compile(r"cuvier: \S+: clBuildProgram\(")
_SANITIZER_SAYS = ("runtime error:", "ERROR: AddressSanitizer")
_SMALLER = "give it smaller inputs (-D, arguments after --), or more time with --timeout"
_LAUNCH_ALL = {"CUVIER_LAUNCH_ALL": "1"}  # no kernel's loop is left to the host for being small


@dataclass(frozen=True)
class Pair:
    """What became of both, and how they were run."""

    original: Trial
    generated: Trial
    runner: Runner
    notes: tuple[str, ...] = ()


def several(built: Built, devices: int | None) -> dict[str, str]:
    """Settings for a program that devices share: emulated ones, or parts of the memory of one.

    Where it takes all that there are, it gets three.
    """
    count = 3 if devices is None else devices
    if count == 1:
        return {}
    numbers = range(count) if built.emulated else [0] * count
    return {"CUVIER_DEVICES": ",".join(map(str, numbers)), "CUVIER_SHIM_DEVICES": str(count)}


def run_both(original: Path, built: Built, runner: Runner, work: Path) -> Pair:
    """Run both; where recording takes too long, both again with as little of it as makes sense.

    UserError where the original does not come to its end, or either program takes too long by itself.
    """
    trial, generated = _both(original, built, runner, work)
    slow = trial if trial.outcome.timed_out else generated
    if not slow.outcome.timed_out:
        return _checked(Pair(trial, generated, runner), original)
    program = original if slow is trial else built.program
    what = "the original program" if slow is trial else f"the generated program, on {built.device},"
    alone = runner.without_recording(program)
    if alone.timed_out:
        raise UserError(
            f"{what} did not end within {runner.timeout:g} s, and nothing was recorded; {_SMALLER}"
        )
    return _sparsely(
        original, built, replace(runner, sampling=tuple(SPARSE.items())), work, alone.seconds, what
    )


def _sparsely(original: Path, built: Built, runner: Runner, work: Path, seconds: float, what: str) -> Pair:
    trial, generated = _both(original, built, runner, work)
    if trial.outcome.timed_out or generated.outcome.timed_out:
        raise UserError(
            f"{what} ends after {seconds:.2f} s by itself, but recording what its kernels leave takes more"
            f" than {runner.timeout:g} s; {_SMALLER}"
        )
    note = (
        f"recording all of it takes more than {runner.timeout:g} s ({what} runs {seconds:.2f} s by itself):"
        " fewer executions of each kernel were compared"
    )
    return _checked(Pair(trial, generated, runner, (note,)), original)


def _both(original: Path, built: Built, runner: Runner, work: Path) -> tuple[Trial, Trial]:
    """The generated program is not run where the original did not end."""
    trial = runner.run(original, work / "original.record")
    if trial.record is None:
        return trial, trial
    return trial, runner.run(built.program, work / "generated.record", _LAUNCH_ALL)


def _checked(pair: Pair, original: Path) -> Pair:
    outcome = pair.original.outcome
    if pair.original.record is None:
        raise UserError(
            f"the original program {outcome.ending} before its end: {outcome.complaint};"
            " arguments for it come after --"
        )
    return pair


def check_device_code(outcome: Outcome, device: str) -> None:
    """UserError where the kernels were not even built, when the program started the first of them."""
    lines = outcome.stderr.decode(errors="replace").splitlines()
    if not any(_NOT_BUILT.match(line) for line in lines):
        return
    told = next((line.strip() for line in lines if "error" in line), lines[0])
    raise UserError(f"the device code of the generated program does not build on {device}: {told}; {REPORT}")


def findings(before: Trial, after: Trial) -> tuple[str, ...]:
    """What the guards of both programs tell, and the sanitizers and the end of the generated one."""
    found = [f"generated program: {text}" for text in after.record.findings] if after.record else []
    if after.record is None:
        found.append(f"generated program: it {after.outcome.ending} before its end")
    told = after.outcome.stderr.decode(errors="replace").splitlines()
    found += [
        f"generated program: {line.strip()}" for line in told if any(s in line for s in _SANITIZER_SAYS)
    ]
    return tuple(
        found + [f"original program: {t}" for t in (before.record.findings if before.record else ())]
    )
