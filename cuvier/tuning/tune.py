"""Tuning from end to end: search, verify what is best, and keep it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from cuvier.tuning.bench import Bench
from cuvier.tuning.report import Item, Report
from cuvier.tuning.session import Session, Watcher
from cuvier.tuning.store import Result, check_kept, keep
from cuvier.tuning.subjects import chosen
from cuvier.tuning.where import device_of
from cuvier.verification.verify import VerifyOptions, verify
from skeletons import CompileOptions
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions


@dataclass(frozen=True)
class TuneOptions:
    """How programs are made and run, for how long, and where results go."""

    preprocess: PreprocessOptions
    analysis: AnalysisOptions
    generation: CompileOptions
    keep: Path
    skeletons: tuple[Path, ...] = ()
    arguments: tuple[str, ...] = ()
    budget: float = 60.0  # seconds after which no new program is begun
    timeout: float = 60.0  # seconds that a program may run
    kernel: str | None = None  # None: all


def tune(path: Path, target: str, options: TuneOptions, watch: Watcher) -> Report:
    """Search the parameters of the file's kernels, and keep the best if the program is right with them.

    UserError where it cannot be measured: no device, no `main`, nothing to tune, a program that fails.
    """
    check_kept(options.keep)  # before the work, not after it
    made = (options.preprocess, options.analysis, options.skeletons, options.generation)
    bench = Bench(path, target, *made)
    subjects = chosen(bench.subjects, options.kernel, target)
    with tempfile.TemporaryDirectory(prefix="cuvier-tune-") as folder:
        bench.prepare(Path(folder))
        device = device_of(target, bench.toolchain, Path(folder))
        session = Session(bench, subjects, options.arguments, options.timeout, options.budget, watch)
        session.run()
    watch(options.budget, "verify")
    items = [
        Item(
            Result(device, target, s.key, search.best, search.seconds, search.first), s.kernels, search.tried
        )
        for s in subjects
        if (search := session.found().get(s.key)) is not None
    ]
    wrong = _complaint(path, target, options, session) if items else ""
    if items and not wrong:
        keep(options.keep, [item.result for item in items])
    return Report(str(path), options.keep, tuple(items), session.programs, session.interrupted, wrong)


def _complaint(path: Path, target: str, options: TuneOptions, session: Session) -> str:
    """What `cuvier verify` finds wrong with the best parameters; empty: nothing."""
    generation = replace(options.generation, tuned={**options.generation.tuned, **session.best()})
    result = verify(
        path,
        target,
        VerifyOptions(
            preprocess=options.preprocess,
            analysis=options.analysis,
            skeletons=options.skeletons,
            generation=generation,
            timeout=10 * options.timeout,  # it compares after every kernel
            arguments=options.arguments,
        ),
    )
    if result.ok:
        return ""
    wrong = [f"{item.kernel or 'the end'}: {item.name} differs" for item in result.items if not item.ok]
    wrong += [] if result.output.ok else [result.output.message]
    return "; ".join([*wrong, *result.findings])
