"""Arguments and options of the commands that work on whole trees, and what they mean."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cuvier.base.errors import UserError
from cuvier.commands.common.options import (
    CodeOptions,
    GrainChoice,
    MethodOptions,
    analysis_options,
    c_options,
)

if TYPE_CHECKING:
    from cuvier.base.files import Input
    from cuvier.batch.cache import Cache
    from cuvier.batch.changed import Changes
    from cuvier.batch.compile_commands import Build
    from cuvier.batch.engines import Engine
    from cuvier.batch.job import Finished, Job
    from cuvier.batch.run import Run
    from cuvier.batch.selection import Selection

TIME_LIMIT = 600.0  # seconds
MEMORY_LIMIT = "2G"
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


class EngineChoice(Enum):
    """Where files are analysed."""

    LOCAL = "local"
    RAY = "ray"


def _configured(context: typer.Context, files: list[Path] | None) -> list[Path] | None:
    """Take what the command line leaves open from the project's settings."""
    from cuvier.batch import config
    from cuvier.batch.permitted import permitted

    settings = config.find(_start(files))
    context.default_map = permitted(settings, lambda: bool(context.params.get("trust")))
    return files


def _start(files: Sequence[Path] | None) -> Path:
    """The folder above which settings and builds are looked for."""
    first = files[0] if files else Path()
    return first if first.is_dir() else first.parent


_PATHS: Any = typer.Argument(
    metavar="PATH",
    help="C files, or directories with C files below them.",
    is_eager=True,
    callback=_configured,
)
Paths = Annotated[list[Path], _PATHS]
PathsIfAny = Annotated[list[Path] | None, _PATHS]


@dataclass(frozen=True)
class SelectionOptions:
    """Which files of directories are meant."""

    include_globs: Annotated[
        list[str] | None,
        typer.Option(
            "--include",
            metavar="GLOB",
            help="Which files to take from directories; repeatable [default: *.c].",
        ),
    ] = None
    exclude_globs: Annotated[
        list[str] | None,
        typer.Option("--exclude", metavar="GLOB", help="Skip these files or directories; repeatable."),
    ] = None
    gitignore: Annotated[
        bool, typer.Option("--gitignore/--no-gitignore", help="Skip files that git ignores.")
    ] = True


@dataclass(frozen=True)
class BuildOptions:
    """How the user's build compiles the files."""

    compile_commands: Annotated[
        Path | None,
        typer.Option(
            "--compile-commands",
            "-p",
            metavar="PATH",
            help="The build's compile_commands.json, or its directory [default: the nearest one above the"
            " first PATH, or in a directory build there].",
        ),
    ] = None
    drop_flags: Annotated[
        list[str] | None,
        typer.Option("--drop-flag", metavar="FLAG", help="Ignore FLAG in compile_commands.json; repeatable."),
    ] = None
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            envvar="CUVIER_TRUST",
            help="Run any compiler that the repository names, and keep results where it says"
            " (docs/security.md).",
        ),
    ] = False


@dataclass(frozen=True)
class BatchOptions:
    """How many files are worked on, where, and what of earlier runs is used."""

    jobs: Annotated[
        str,
        typer.Option("--jobs", "-j", metavar="N", help="Analyse N files at a time; auto: one per processor."),
    ] = "auto"
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit", metavar="SECONDS", min=0, help="Wall-clock limit per file; 0: no limit."
        ),
    ] = TIME_LIMIT
    memory_limit: Annotated[
        str,
        typer.Option(
            "--memory-limit", metavar="SIZE", help="Memory limit per file, such as 500M or 2G; 0: no limit."
        ),
    ] = MEMORY_LIMIT
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Use the results of earlier runs (see `cuvier cache`).")
    ] = True
    cache_dir: Annotated[
        Path | None, typer.Option("--cache-dir", metavar="DIR", help="Keep these results in DIR.")
    ] = None
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard", metavar="I/N", help="Analyse only part I of N of the files (see `cuvier merge`)."
        ),
    ] = None
    changed_since: Annotated[
        str | None,
        typer.Option(
            "--changed-since", metavar="REV", help="Report only loops that changed since this git revision."
        ),
    ] = None
    whole_program: Annotated[
        bool,
        typer.Option(
            "--whole-program/--by-file",
            help="Analyse across files: they form one program (docs/batch.md).",
        ),
    ] = False
    engine: Annotated[
        EngineChoice, typer.Option("--engine", help="On this machine, or on a Ray cluster.")
    ] = EngineChoice.LOCAL


@dataclass(frozen=True)
class Program:
    """The files are one program; those that are `ambiguous` are compiled in several ways."""

    ambiguous: frozenset[str]


@dataclass(frozen=True)
class Work:
    """The files that are meant, the jobs for them, and who does these.

    Where there are `changes`, only loops that these touch count, and files that have some.  Of the files of a
    `program`, some may be compiled in several ways.
    """

    inputs: Sequence[Input]
    jobs: Sequence[Job]
    run: Run
    changes: Changes | None = None
    program: Program | None = None

    def results(self, doing: str) -> Iterator[tuple[Input, Finished]]:
        """The results in the order of the files; meanwhile, what is done is said on stderr."""
        from cuvier.base.complaints import Complaints
        from cuvier.base.console import warn
        from cuvier.base.progress_bars import files_bar
        from cuvier.batch.progress import Progress
        from cuvier.document.json import diagnostic_of

        complaints = Complaints()
        try:
            self.run.watch = Progress(len(self.jobs))
            with files_bar(self.run.watch, doing):
                for each, finished in zip(self.inputs, self._finished(), strict=True):
                    result = self.changes.of(finished.result) if self.changes else finished.result
                    if result is not None:
                        found = (*result.unit["diagnostics"], *result.notes)
                        complaints.about_file(map(diagnostic_of, found))
                        yield each, replace(finished, result=result)
            complaints.conclude()
        except KeyboardInterrupt:
            kept = "kept for the next run" if self.run.cache else "lost, for there is no cache"
            done = min(self.run.watch.done, len(self.jobs))
            again = "; the same command goes on from there" if self.run.cache else ""
            warn(f"interrupted; the results of {done} of {len(self.jobs)} files are {kept}{again}")
            raise

    def _finished(self) -> Iterator[Finished]:
        from cuvier.batch.program import results_of_program

        if self.program is None:
            return self.run.results(self.jobs)
        return results_of_program(self.run, self.jobs, self.program.ambiguous)


@dataclass(frozen=True)
class Wanted:
    """What the options of a command that works on trees say; a job like `like` for every file."""

    selection: Selection
    build: Build | None
    batch: BatchOptions
    like: Job

    def work(self, files: Sequence[Path]) -> Work:
        """The work on these files; warnings about the build go to stderr."""
        from cuvier.base.console import warn
        from cuvier.batch.planning import planned
        from cuvier.batch.run import Run
        from cuvier.batch.selection import Shard

        inputs, changes = self.selection.collect(files), self._changes(files)
        whole = self.batch.whole_program
        if self.batch.shard and whole:
            raise _no_shards(files)
        if self.batch.shard:
            inputs = list(filter(Shard.parsed(self.batch.shard).has, inputs))
        inputs = changes.concern(inputs) if changes and not whole else inputs
        plan = planned(inputs, self.like, self.build)
        for each in plan.warnings:
            warn(each)
        cache = _cache_of(self.batch)
        run = Run(_engine(self.batch, len(plan.jobs), cache), cache)
        program = Program(frozenset(plan.several)) if whole else None
        return Work(plan.inputs, plan.jobs, run, changes, program)

    def _changes(self, files: Sequence[Path]) -> Changes | None:
        from cuvier.batch.changed import changes_since

        return changes_since(self.batch.changed_since, files[0]) if self.batch.changed_since else None


def _no_shards(files: Sequence[Path]) -> UserError:
    """Why a part of a program is refused, and what to do; settings may have asked for the whole."""
    from cuvier.batch import config

    settings = config.find(_start(files))
    if not settings.values.get("whole_program"):
        return UserError("--whole-program needs all files in one run; leave --shard out, or --whole-program")
    return UserError(
        "'whole-program' is set here and needs all files in one run; beside --shard, say --by-file to analyse"
        " each file by itself, or leave --shard out (--engine ray spreads one run over machines)",
        settings.place_of("whole-program"),
    )


def wanted(
    files: Sequence[Path],
    selection: SelectionOptions,
    build: BuildOptions,
    batch: BatchOptions,
    code: CodeOptions,
    method: MethodOptions,
    at: GrainChoice = GrainChoice.NEST,
) -> Wanted:
    """What these options say; builds and settings are looked for above the first of the files."""
    like = _like(code, method, at)
    return Wanted(selection_for(files, selection), build_for(files, build), batch, like)


def selection_for(files: Sequence[Path], options: SelectionOptions) -> Selection:
    """Which files of directories are meant."""
    from cuvier.batch import config
    from cuvier.batch.selection import Selection

    include, exclude = tuple(options.include_globs or ()), tuple(options.exclude_globs or ())
    return Selection(include, exclude, options.gitignore, config.find(_start(files)).base)


def one_job(
    path: Path, build: BuildOptions, code: CodeOptions, method: MethodOptions, at: GrainChoice
) -> Job:
    """How one file is analysed."""
    from cuvier.base.files import Input
    from cuvier.batch.planning import planned

    like = _like(code, method, at)
    (job,) = planned([Input(path, Path(path.name))], like, build_for([path], build)).jobs
    if job.refused:
        raise UserError(job.refused)
    return job


def _like(code: CodeOptions, method: MethodOptions, at: GrainChoice) -> Job:
    """The job of any file, as far as no build says more."""
    from cuvier.batch.job import Job
    from cuvier.machine.store import load

    return Job("", c_options(code), analysis_options(code, method, at), machine=load(None))


def build_for(files: Sequence[Path], options: BuildOptions) -> Build | None:
    """The user's build: the one that is named, or the nearest."""
    from cuvier.batch import compile_commands
    from cuvier.batch.trust import Trust

    path = options.compile_commands or compile_commands.find(_start(files))
    dropped = frozenset(options.drop_flags or ())
    return compile_commands.read(path, dropped, Trust(options.trust)) if path else None


def _cache_of(batch: BatchOptions) -> Cache | None:
    """Where results are kept, if they are."""
    from cuvier.batch.cache import Cache, default_folder

    return Cache(batch.cache_dir or default_folder()) if batch.cache else None


def _engine(batch: BatchOptions, files: int, cache: Cache | None) -> Engine:
    """One file is analysed in this process, unless limits were set: it need not wait for another one."""
    from cuvier.batch.engines import Here, Limits, Processes

    limits = Limits(batch.time_limit, _bytes(batch.memory_limit))
    if batch.engine is EngineChoice.RAY:
        from cuvier.batch.ray_engine import Ray

        return Ray(_jobs(batch.jobs, files), limits, cache)
    as_usual = limits == Limits(TIME_LIMIT, _bytes(MEMORY_LIMIT))
    if files <= 1 and as_usual:
        return Here(cache)
    return Processes(_jobs(batch.jobs, files), limits, cache)


def _jobs(text: str, files: int) -> int:
    if text == "auto":
        return min(len(os.sched_getaffinity(0)), max(files, 1))
    if not text.isdecimal() or not int(text):
        raise UserError(f"--jobs takes a number from 1 on, or auto, not '{text}'")
    return min(int(text), max(files, 1))


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)\s*([KMG]?)i?B?", text.strip(), re.IGNORECASE)
    if found is None:
        raise UserError(f"--memory-limit takes a size such as 500M or 2G, not '{text}'")
    return int(found[1]) * _UNITS[found[2].upper()]
