"""All programs on a device: built and checked side by side, then timed one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import kept
from .contenders import BuildError
from .devices import LIBRARY, OURS, Builder, Built
from .launches import timed
from .precision import precisions
from .programs import Program, ProgramError
from .running import RunError
from .shares import Result

PRECISIONS = ("double", "single")
BUILDING = 0.55  # the share of the time after which what is not built is left out
_ERRORS = (BuildError, ProgramError, RunError, OSError)


@dataclass
class Job:
    """A program in one precision, on its way."""

    program: Program
    result: Result
    folder: Path
    builds: dict[str, Future[Built]] = field(default_factory=dict)
    checks: dict[str, Future[str]] = field(default_factory=dict)
    expected: Future[str] | None = None

    @property
    def futures(self) -> list[Future[Any]]:
        expected = [self.expected] if self.expected is not None else []
        return [*self.builds.values(), *self.checks.values(), *expected]


@dataclass(frozen=True)
class Session:
    """`runs` after the first, within about `seconds` for each program; all of it within `limit` seconds.

    What `folder` has of an earlier session is not built again.
    """

    builder: Builder
    folder: Path
    runs: int
    seconds: float
    limit: float
    verify: bool
    tell: Callable[[str], None]
    wanted: Sequence[str] = PRECISIONS

    def results(self, programs: Sequence[Program], save: Callable[[list[Result]], None]) -> list[Result]:
        """Everything; `save` gets what is known after each program."""
        started, found = time.monotonic(), list[Result]()
        jobs = self.build(programs)
        self.tell(f"built after {time.monotonic() - started:.0f} s")
        for job in jobs:
            if time.monotonic() - started > self.limit:
                job.result.notes.append("not timed: the time was up")
            else:
                self._time(job)
            found.append(job.result)
            save(found)
        self.tell(f"done after {time.monotonic() - started:.0f} s")
        return found

    def build(self, programs: Sequence[Program]) -> list[Job]:
        """Everything that needs no device but to verify; what is not done in time stays undone."""
        pool = ThreadPoolExecutor(self.builder.shop.threads)
        jobs = self._begun(pool, programs)
        self.tell(f"building {sum(len(job.builds) for job in jobs)} programs")
        wait([f for job in jobs for f in job.futures], timeout=BUILDING * self.limit)
        pool.shutdown(wait=False, cancel_futures=True)
        return jobs

    def _begun(self, pool: ThreadPoolExecutor, programs: Sequence[Program]) -> list[Job]:
        """All that is done side by side, double precision first; only the corpus' own texts are verified.

        What programs print in single precision is compared with the original in its own, which is double
        where there are both: sums of millions of numbers one after the other, in single, are no measure.
        """
        each = [(p.name, precision, q) for p in programs for precision, q in precisions(p).items()]
        each = [found for found in each if found[1] in self.wanted]
        originals = {program.name: program.text for program in programs}
        expected = {
            p.name: pool.submit(kept.expected, self.builder, p, self._folder(p) / "gcc") for p in programs
        }
        jobs = []
        for name, precision, program in sorted(each, key=lambda item: item[1] != "double"):
            moved = program.amount(program.moved) / (2 if program.text != originals[name] else 1)
            result = Result(name, precision, moved, program.amount(program.operations))
            job = Job(program, result, self._folder(program))
            variants = self.builder.wanted(program)
            for variant in variants:
                own = job.folder / variant.key
                job.builds[variant.key] = pool.submit(kept.build, self.builder, program, variant, own)
            job.expected = expected[name]
            if self.verify and program.text == originals[name]:
                checked = [v for v in variants if v in (OURS, LIBRARY)]
                job.checks = {v.key: pool.submit(self.builder.verified, program, v) for v in checked}
            jobs.append(job)
        return jobs

    def _folder(self, program: Program) -> Path:
        return self.folder / ("single" if program.single else "double") / program.name

    def _time(self, job: Job) -> None:
        result, expected = job.result, self._expected(job)
        for key, check in job.checks.items():
            wrong = _outcome(check) if _is_done(check) else "not finished"
            if wrong:
                result.notes.append(f"verify ({key}): {wrong}")
        for key, build in job.builds.items():
            try:
                if not _is_done(build):
                    raise BuildError("not built in time")
                built = build.result()
                where = job.folder / key
                times = timed(built, where, self.runs, self.seconds, expected, job.program.tolerance)
            except _ERRORS as error:
                result.notes.append(f"{key}: {error}")
                continue
            result.built[key], result.times[key] = built, times
            result.notes += [f"{key}: wrong result: {times.wrong}"] if times.wrong else []
        self.tell(f"{result.program}, {result.precision}: {'; '.join(result.notes) or 'ok'}")

    def _expected(self, job: Job) -> str | None:
        """What the original prints; None where that is not known, which is noted."""
        try:
            if job.expected is not None and _is_done(job.expected):
                return job.expected.result()
            reason = "not finished"
        except _ERRORS as error:
            reason = str(error)
        job.result.notes.append(f"not compared at this size: the original: {reason}")
        return None


def _is_done(future: Future[Built] | Future[str]) -> bool:
    return future.done() and not future.cancelled()


def _outcome(check: Future[str]) -> str:
    try:
        return check.result()
    except _ERRORS as error:
        return str(error)
