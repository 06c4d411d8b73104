"""From files and a build to jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cuvier.base.errors import UserError
from cuvier.base.files import Input
from cuvier.batch.compile_commands import Build
from cuvier.batch.flags import CompileCommand
from cuvier.batch.job import Job
from cuvier.batch.trust import WAY_OUT
from cuvier.pipeline.driver import Way

NAMED = 3  # files that a warning names

_SIZES = (
    "the build compiles it with {0}, which gives types other sizes; --drop-flag={0} takes no account of that"
)


@dataclass
class Plan:
    """The inputs and their jobs, in one order, and what the user should know of the build.

    The paths in `several` are compiled in several ways.
    """

    inputs: list[Input] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    several: list[str] = field(default_factory=list)


def planned(inputs: Sequence[Input], wanted: Job, build: Build | None) -> Plan:
    """A job like `wanted` for every file, as its build compiles it.

    A file that the build compiles, but never as C, is left out.
    """
    plan, strangers, unknown = Plan(), [], []
    for each in inputs:
        job = replace(wanted, path=str(each.path))
        command = build.command(each.path) if build else None
        if build is not None and command is None:
            unknown.append(job.path)
        elif build is not None and command is not None:
            if command.language != "c":
                strangers.append(job.path)
                continue
            others = build.others(each.path)
            plan.several += [job.path] if others else []
            job = _as_built(job, build, command, others if wanted.annotations else ())
        plan.inputs.append(each)
        plan.jobs.append(job)
    if build is not None:
        said = "marked where all agree" if wanted.annotations else "analysed as in the first"
        plan.warnings += _warnings(build, unknown, plan.several, strangers, said)
    if strangers and not plan.jobs:
        raise UserError(
            f"the build compiles {_named(strangers)} as another language than C; name other files"
        )
    return plan


def _as_built(job: Job, build: Build, command: CompileCommand, others: Sequence[CompileCommand]) -> Job:
    """The job as the build compiles its file, and in `others` besides."""
    refused = next((each.refused for each in (command, *others) if each.refused), "")
    first, *more = (_way(job, build, each) for each in (command, *others))
    return replace(
        job,
        preprocess=first.preprocess,
        analysis=first.analysis,
        others=tuple(more),
        refused=_SIZES.format(refused) if refused else "",
    )


def _way(job: Job, build: Build, command: CompileCommand) -> Way:
    strict = job.analysis.strict_aliasing and command.strict_aliasing
    return Way(build.options(command, job.preprocess), replace(job.analysis, strict_aliasing=strict))


def _warnings(
    build: Build, unknown: list[str], several: list[str], strangers: list[str], done: str
) -> list[str]:
    said = [
        (unknown, "not in it, and analysed without its flags"),
        (several, f"compiled in several ways there, and {done}"),
        (strangers, "compiled as another language than C there, and left out"),
    ]
    found = [
        f"{build.path}: {_named(files)} {'is' if len(files) == 1 else 'are'} {what}"
        for files, what in said
        if files
    ]
    if build.unknown:
        names = ", ".join(sorted(build.unknown))
        found.append(f"{build.path}: {names} is not on the list of compilers and not run; {WAY_OUT}")
    compilers = ", ".join(sorted(build.missing))
    if compilers:
        found.append(
            f"{build.path}: there is no {compilers} here; the compiler of this machine takes its place, and"
            " types have the sizes that they have here"
        )
    return found


def _named(files: list[str]) -> str:
    shown = ", ".join(files[:NAMED])
    rest = len(files) - NAMED
    return f"{shown} and {rest} more" if rest > 0 else shown
