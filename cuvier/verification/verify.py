"""Runs a verification from end to end."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cuvier.errors import UserError
from cuvier.verification.compare import compare_records
from cuvier.verification.devices import REPORT, THREADS, Built, Workshop, build_generated
from cuvier.verification.output import compare_output
from cuvier.verification.programs import AS_GENERATED, Programs, make_programs
from cuvier.verification.record import Record, read_record
from cuvier.verification.result import Item, OutputResult, VerificationResult
from cuvier.verification.run import Outcome, run
from cuvier.verification.toolchain import Toolchain
from skeletons import CompileOptions
from skeletons.ctext import identifier
from species.options import DEFAULTS, AnalysisOptions
from species.source import PreprocessOptions

# The sanitizer fills memory with guard.c's pattern: what was never written is the same in both programs.
# The size is an `int` there: a larger one fills nothing.
_ASAN = "detect_leaks=0:malloc_fill_byte=199:max_malloc_fill_size=2147483647"
_NOT_BUILT = re.compile(r"cuvier: \S+: clBuildProgram\(")
_SANITIZER_SAYS = ("runtime error:", "ERROR: AddressSanitizer")


@dataclass(frozen=True)
class VerifyOptions:
    """How to build and to run the programs."""

    preprocess: PreprocessOptions
    skeletons: tuple[Path, ...] = ()
    device: str | None = None  # None: the best there is
    keep: Path | None = None  # where the built programs stay
    timeout: float = 60.0  # seconds for each program
    sanitize: bool = False
    arguments: tuple[str, ...] = ()  # of the programs
    analysis: AnalysisOptions = DEFAULTS
    generation: CompileOptions = AS_GENERATED


@dataclass(frozen=True)
class _Run:
    outcome: Outcome
    record: Record | None
    launches: Mapping[str, int]  # by kernel, on a device


def verify(path: Path, target: str, options: VerifyOptions) -> VerificationResult:
    """Build the file's program and the one generated for `target`, run both, and compare all that is live.

    Raises UserError where that cannot be done: bad input, no compiler, no device, a program that does
    not build, an original program that does not run.
    """
    flags = options.preprocess
    toolchain = Toolchain.find(flags)
    programs = make_programs(path, target, flags, options.skeletons, options.analysis, options.generation)
    with _work_directory(options.keep) as work:
        guards = toolchain.build_watch(work, sanitize=False)
        folder, openmp = work / "original", programs.openmp
        original = toolchain.build_original(programs.original, path.name, path, folder, guards, openmp)
        watch = toolchain.build_watch(work, sanitize=True) if options.sanitize else guards
        workshop = Workshop(toolchain, path, work / "generated", guards, watch, options.sanitize)
        built = build_generated(programs, workshop, options.device)
        before = _run_original(original, path, work, options)
        after = _run(built.program, work / "generated.record", options, launch_all=True)
        result = _compared(path, target, programs, built, before, after, options)
        if result.ok and programs.unwatched:
            unwatched = replace(programs, generated=programs.unwatched)
            folder = _begun(workshop, work / "unwatched")
            workshop = replace(workshop, directory=folder, guards=(), watch=(), begun=True)
            own = _run(build_generated(unwatched, workshop, options.device).program, work / "none", options)
            assert before.record is not None
            result = replace(result, output=_output(before, own, before.record.rounded))
    return result


def _begun(workshop: Workshop, folder: Path) -> Path:
    """The folder with all that was built of the same program, but for the executable."""
    shutil.copytree(workshop.directory, folder, dirs_exist_ok=True)
    workshop.executable_in(folder).unlink(missing_ok=True)
    return folder


@contextmanager
def _work_directory(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="cuvier-verify-") as name:
        yield Path(name)


def _run(program: Path, record: Path, options: VerifyOptions, *, launch_all: bool = False) -> _Run:
    """What becomes of a program; with `launch_all`, no kernel's loop is left to the host for being small."""
    counters = record.with_suffix(".counters")
    for path in (record, counters):
        path.unlink(missing_ok=True)
    environment = {
        **({"CUVIER_LAUNCH_ALL": "1"} if launch_all else {}),
        "CUVIER_WATCH_FILE": str(record),
        "CUVIER_COUNTERS": str(counters),
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", THREADS),
        "ASAN_OPTIONS": _ASAN,
    }
    outcome = run([program, *options.arguments], Path.cwd(), options.timeout, environment)
    launches = json.loads(counters.read_text())["launches"] if counters.exists() else {}
    return _Run(outcome, read_record(record), launches)


def _run_original(program: Path, path: Path, work: Path, options: VerifyOptions) -> _Run:
    result = _run(program, work / "original.record", options)
    if result.outcome.timed_out:
        raise UserError(
            f"the original program {path} did not end within {options.timeout:g} s;"
            " give it smaller inputs (-D, arguments after --), or more time with --timeout"
        )
    if result.record is None:
        raise UserError(
            f"the original program {path} {result.outcome.ending} before its end: {result.outcome.complaint};"
            " arguments for it come after --"
        )
    return result


def _compared(
    path: Path,
    target: str,
    programs: Programs,
    built: Built,
    before: _Run,
    after: _Run,
    options: VerifyOptions,
) -> VerificationResult:
    if after.outcome.timed_out:
        raise UserError(
            f"the generated program did not end within {options.timeout:g} s on {built.device};"
            " give it smaller inputs (-D, arguments after --), or more time with --timeout"
        )
    _check_device_code(after.outcome, built.device)
    assert before.record is not None
    items = compare_records(before.record, after.record, programs.positions) if after.record else ()
    return VerificationResult(
        file=str(path),
        target=target,
        device=built.device,
        kernels=programs.kernels,
        items=items,
        output=_output(before, after, before.record.rounded),
        findings=_findings(before, after),
        notes=(*built.notes, *programs.notes),
        unlaunched=_unlaunched(programs, items, after),
    )


def _unlaunched(programs: Programs, items: Sequence[Item], after: _Run) -> tuple[str, ...]:
    """The kernels whose loops only ran on the host."""
    if not programs.target.accelerator:
        return ()
    executed = {item.kernel for item in items if item.executions}
    return tuple(
        name for name in programs.kernels if name in executed and identifier(name) not in after.launches
    )


def _check_device_code(outcome: Outcome, device: str) -> None:
    """UserError where the kernels were not even built, when the program started the first of them."""
    lines = outcome.stderr.decode(errors="replace").splitlines()
    if not any(_NOT_BUILT.match(line) for line in lines):
        return
    told = next((line.strip() for line in lines if "error" in line), lines[0])
    raise UserError(f"the device code of the generated program does not build on {device}: {told}; {REPORT}")


def _output(before: _Run, after: _Run, rounded: bool) -> OutputResult:
    if before.outcome.status != after.outcome.status:
        message = f"the original {before.outcome.ending}; the generated program {after.outcome.ending}"
        return OutputResult(False, not rounded, f"{message}: {after.outcome.complaint}".rstrip(": "))
    return compare_output(before.outcome.stdout, after.outcome.stdout, exact=not rounded)


def _findings(before: _Run, after: _Run) -> tuple[str, ...]:
    """Guards that only the generated program overwrites count; those of the original are its own affair."""
    found = [f"generated program: {text}" for text in after.record.findings] if after.record else []
    if after.record is None:
        found.append(f"generated program: it {after.outcome.ending} before its end")
    told = after.outcome.stderr.decode(errors="replace").splitlines()
    found += [
        f"generated program: {line.strip()}" for line in told if any(s in line for s in _SANITIZER_SAYS)
    ]
    return tuple(
        found + [f"original program: {text}" for text in (before.record.findings if before.record else ())]
    )
