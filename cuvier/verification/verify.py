"""Runs a verification from end to end."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.verification.compare import compare_records
from cuvier.verification.devices import Built, Workshop, build_generated
from cuvier.verification.explain import Explainer
from cuvier.verification.output import OutputExplainer
from cuvier.verification.pair import Pair, check_device_code, findings, run_both, several
from cuvier.verification.programs import AS_GENERATED, make_programs
from cuvier.verification.result import Cause, Item, VerificationResult
from cuvier.verification.toolchain import Build, Toolchain
from cuvier.verification.trial import Runner, Trial
from cuvier.verification.variants import Variants
from skeletons import CompileOptions
from species.analysis.options import DEFAULTS, AnalysisOptions
from species.source import PreprocessOptions
from species.source.text.code import identifier

POLICIES = ("gpu", "fastest", "cpu", "split", "energy")  # that a program with several versions is verified by


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
    ignore_output: tuple[str, ...] = ()  # regular expressions: lines that are not compared
    analysis: AnalysisOptions = DEFAULTS
    generation: CompileOptions = AS_GENERATED


def verify(path: Path, target: str, options: VerifyOptions) -> VerificationResult:
    """Build the file's program and the one generated for `target`, run both, and compare what is live.

    A program that chooses between versions is run once for each policy; the result is that of the first
    that is not equal, or of the last.

    Raises UserError where that cannot be done: bad input, no compiler, no device, a program that does
    not build, an original program that does not run, one that differs from itself in all that it leaves.
    """
    with _work_directory(options.keep) as work:
        if not options.generation.beside:
            return _Verification(path, target, options, work).result()
        for policy in POLICIES:
            chosen = replace(options, generation=replace(options.generation, policy=policy))
            (work / policy).mkdir(exist_ok=True)
            result = _Verification(path, target, chosen, work / policy).result()
            said = f"policy {policy}" if not result.ok else f"policies {', '.join(POLICIES)}"
            result = replace(result, notes=(*result.notes, said))
            if not result.ok:
                break
        return result


@contextmanager
def _work_directory(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="cuvier-verify-") as name:
        yield Path(name)


class _Verification:
    """Of one program, in one folder."""

    def __init__(self, path: Path, target: str, options: VerifyOptions, work: Path) -> None:
        self._path, self._target, self._options, self._work = path, target, options, work
        flags = options.preprocess
        self._toolchain = Toolchain.find(flags)
        self._programs = make_programs(
            path, target, flags, options.skeletons, options.analysis, options.generation
        )
        self._guards = self._toolchain.build_watch(work, sanitize=False)

    def result(self) -> VerificationResult:
        """Build, run and compare."""
        openmp = self._programs.openmp
        original = self._toolchain.build_original(
            self._programs.original, self._path, self._work / Build.REFERENCE.value, self._guards, openmp
        )
        built = build_generated(self._programs, self._workshop, self._options.device)
        devices = several(built, self._options.generation.devices)
        runner = Runner(self._options.arguments, self._options.timeout, devices=tuple(devices.items()))
        pair = run_both(original, built, runner, self._work)
        check_device_code(pair.generated.outcome, built.device)
        evidence = self._evidence(pair, built.hosted)
        return self._compared(built, pair, evidence)

    @cached_property
    def _workshop(self) -> Workshop:
        sanitize = self._options.sanitize
        watch = self._toolchain.build_watch(self._work, sanitize=True) if sanitize else self._guards
        return Workshop(self._toolchain, self._path, self._work / "generated", self._guards, watch, sanitize)

    def _evidence(self, pair: Pair, hosted: bool) -> Variants:
        assert pair.original.record is not None
        return Variants(
            self._programs,
            self._path,
            self._toolchain,
            self._guards,
            self._work,
            pair.runner,
            pair.original.record,
            hosted,
            self._is_equal_in_order,
        )

    def _is_equal_in_order(self) -> bool:
        """Is what `--strict-fp` generates equal, but for what other causes explain?"""
        if self._options.generation.strict_fp:
            return False
        generation = replace(self._options.generation, strict_fp=True)
        options = replace(self._options, generation=generation, keep=self._work / "strict-fp")
        try:
            return verify(self._path, self._target, options).ok
        except UserError:
            return False

    def _compared(self, built: Built, pair: Pair, evidence: Variants) -> VerificationResult:
        before, after = pair.original, pair.generated
        assert before.record is not None
        explainer = Explainer(before.record, evidence)
        found = compare_records(before.record, after.record, self._programs.positions) if after.record else ()
        printed = OutputExplainer(before, evidence, self._ignored, before.record.rounded)
        items = tuple(map(explainer.item, found))
        result = VerificationResult(
            file=str(self._path),
            target=self._target,
            device=built.device,
            kernels=self._programs.kernels,
            items=items,
            output=printed.result(after),
            findings=findings(before, after),
            notes=(*built.notes, *self._programs.notes, *pair.notes),
            unlaunched=self._unlaunched(items, after),
        )
        if result.ok and self._programs.unwatched:
            result = replace(result, output=printed.result(self._unwatched(pair.runner)))
        return _something(result)

    def _unwatched(self, runner: Runner) -> Trial:
        """The program as the user gets it."""
        programs = replace(self._programs, generated=self._programs.unwatched)
        folder = _begun(self._workshop, self._work / "unwatched")
        workshop = replace(self._workshop, directory=folder, guards=(), watch=(), begun=True)
        built = build_generated(programs, workshop, self._options.device)
        return runner.run(built.program, self._work / "none")

    @property
    def _ignored(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(re.compile, self._options.ignore_output))

    def _unlaunched(self, items: Sequence[Item], after: Trial) -> tuple[str, ...]:
        """The kernels whose loops only ran on the host."""
        if not self._programs.target.accelerator or self._options.generation.beside:
            return ()  # or some of them may not have been meant to
        executed = {item.kernel for item in items if item.executions}
        return tuple(
            name
            for name in self._programs.kernels
            if name in executed and identifier(name) not in after.launches
        )


def _begun(workshop: Workshop, folder: Path) -> Path:
    """The folder with all that was built of the same program, but for the executable."""
    shutil.copytree(workshop.directory, folder, dirs_exist_ok=True)
    workshop.executable_in(folder).unlink(missing_ok=True)
    return folder


def _something(result: VerificationResult) -> VerificationResult:
    """The result; UserError where nothing of it says anything of the program."""
    itself = [item for item in result.items if Cause.ITSELF in item.causes]
    if result.ok and itself and len(itself) == len(result.items):
        raise UserError(
            f"{result.file} differs from itself when it is run twice, in all {len(itself)} variables that are"
            " compared, so nothing is known of the generated program; seed its random numbers with a constant"
        )
    return result
