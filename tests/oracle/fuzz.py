"""`python -m tests.oracle.fuzz --count N`: looks for claims that executions refute, and what is missed.

With --openmp, for annotated functions that do something else than the original (annotations.py).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

from tests.oracle.annotations import explore_annotations
from tests.oracle.check import ARRAYS, INDUCES, PRIVATISES, REDUCES, BuildError, Program, Report, Seen, Wrong
from tests.oracle.ctypes import UnsupportedError
from tests.oracle.generator import PRELUDE, generated
from tests.oracle.outcome import Outcome

BATCH = 100
Explorer = Callable[[range], Outcome]


def explore(seeds: range) -> Outcome:
    """Compares the functions of some seeds, analysed and executed as one file."""
    outcome = Outcome()
    texts = {seed: generated(seed) for seed in seeds}
    names = {f"f{seed}": seed for seed in seeds}
    try:
        report = examined(texts, strict=False)
    except Exception as error:
        if len(texts) == 1:
            kind = "build" if isinstance(error, BuildError) else "crash"
            outcome.counts[f"{kind} failures"] += 1
            outcome.wrong.append((seeds.start, Wrong(f"f{seeds.start}", f"{kind}: {error!r}"[:3000])))
            return outcome
        middle = (seeds.start + seeds.stop) // 2
        for part in (range(seeds.start, middle), range(middle, seeds.stop)):
            outcome.add(explore(part))
        return outcome
    _count(outcome, report, names)
    refuted = dict.fromkeys(w.loop.split("/")[0] for w in report.wrong)
    for seed in [names[function] for function in refuted if function in names]:
        confirmed = examined({seed: texts[seed]}, strict=True).wrong
        outcome.counts["not confirmed"] += not confirmed
        outcome.wrong += [(seed, w) for w in confirmed]
    outcome.counts["disagreements"] += len(outcome.wrong)
    for seen in report.seen:
        if seen.is_parallel and not seen.facts.verdict.is_parallel and seen.facts.function in names:
            seed = names[seen.facts.function]
            reason = reason_of(seen)
            outcome.counts["missed loops"] += 1
            outcome.counts[f"missed: {reason}"] += 1
            outcome.missed.setdefault(reason, []).append((len(texts[seed]), seed, seen.facts.id))
    return outcome


def explore_file(path: str) -> Outcome:
    """Compares the functions of a C file (of a whole program `main`)."""
    outcome = Outcome()
    try:
        report = Program(None, path).check()
    except (BuildError, UnsupportedError) as error:
        outcome.counts["files that cannot be executed"] += 1
        print(f"{path}: {str(error)[:200]}", file=sys.stderr)
        return outcome
    _count(outcome, report, {seen.facts.function for seen in report.seen})
    outcome.wrong = [(path, wrong) for wrong in report.wrong]
    outcome.counts["disagreements"] += len(report.wrong)
    outcome.counts["files"] += 1
    return outcome


def examined(texts: dict[int, str], strict: bool) -> Report:
    program = Program(PRELUDE + "".join(texts.values()))
    return program.check([f"f{seed}" for seed in texts], strict)


def reason_of(seen: Seen) -> str:
    """The code of why a loop is serial, and what it takes to see that it is not."""
    needs = {REDUCES: "reduction", PRIVATISES: "private", INDUCES: "induction", ARRAYS: "array"}
    code = seen.facts.reasons[0].code if seen.facts.reasons else "none"
    return "+".join([code, *[text for flag, text in needs.items() if seen.flags & flag]])


def _count(outcome: Outcome, report: Report, names: Container[str]) -> None:
    counts = outcome.counts
    counts.update(report.counts)
    for seen in report.seen:
        if seen.facts.function not in names:
            continue
        counts["loops"] += 1
        counts["nests"] += seen.facts.depth == 0
        counts[f"called {seen.facts.verdict.value}"] += 1
        counts["parallel by the oracle"] += seen.is_parallel
        counts["fewer than three iterations"] += seen.trips < 3
        counts["called parallel and checked"] += seen.checked > 0
    counts["not executable"] += sum(name in names for name in report.unsupported)
    for name, seconds in report.seconds.items():
        counts[f"ms {name}"] += int(1000 * seconds)


def _outcomes(options: argparse.Namespace) -> Iterator[Outcome]:
    """The outcome of each batch, as they come."""
    for path in options.files:
        yield explore_file(path)
    if options.files:
        return
    end = options.seed + options.count
    batches = (range(start, min(start + BATCH, end)) for start in range(options.seed, end, BATCH))
    deadline = time.monotonic() + options.time
    explorer = partial(explore_annotations, races=options.races) if options.openmp else explore
    running: dict[Future[Outcome], range] = {}
    pool = ProcessPoolExecutor(options.jobs)
    while True:
        while len(running) < options.jobs + 1 and time.monotonic() < deadline:
            batch = next(batches, None)
            if batch is None:
                break
            running[pool.submit(explorer, batch)] = batch
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
            pool = ProcessPoolExecutor(options.jobs)
            for batch in running.values():
                yield _alone(batch, explorer)
            running = {}
            continue
        for future in done:
            del running[future]
            yield future.result()


def _alone(seeds: range, explorer: Explorer) -> Outcome:
    """The outcome of a batch that may kill its process: isl can."""
    try:
        with ProcessPoolExecutor(1) as pool:
            return pool.submit(explorer, seeds).result()
    except BrokenProcessPool:
        pass
    if len(seeds) == 1:
        return Outcome(
            Counter({"killed": 1}), wrong=[(seeds.start, Wrong(f"f{seeds.start}", "crash: killed"))]
        )
    middle, outcome = (seeds.start + seeds.stop) // 2, Outcome()
    for part in (range(seeds.start, middle), range(middle, seeds.stop)):
        outcome.add(_alone(part, explorer))
    return outcome


def _summary(counts: Counter[str], seconds: float) -> str:
    lines = [f"{counts[k]:>12,} {k}" for k in sorted(counts) if not k.startswith("ms ")]
    times = [f"{counts[k] / 1000:>12,.1f} s {k[3:]}" for k in sorted(counts) if k.startswith("ms ")]
    rate = counts["functions"] / max(seconds, 0.001)
    return "\n".join([*lines, *times, f"{seconds:>12,.1f} s wall clock, {rate:.1f} functions a second"])


def _write_missed(folder: Path, missed: dict[str, list[tuple[int, int, str]]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prelude.h").write_text(PRELUDE)
    for reason, examples in missed.items():
        for _, seed, loop in examples:
            text = f'/* {reason}: {loop} */\n#include "prelude.h"\n{generated(seed)}'
            (folder / f"{reason}-{seed}.c").write_text(text)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many functions")
    parser.add_argument("--seed", type=int, default=0, help="the first one's number")
    parser.add_argument(
        "--files", nargs="+", default=[], help="C files to run instead of generated functions"
    )
    parser.add_argument(
        "--openmp", action="store_true", help="run the functions with the OpenMP pragmas that they are given"
    )
    parser.add_argument(
        "--races", action="store_true", help="with --openmp: let ThreadSanitizer watch (slower)"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--time", type=float, default=float("inf"), help="stop after so many seconds")
    parser.add_argument("--missed", type=Path, help="folder for examples of what was missed")
    options = parser.parse_args(arguments)
    total, started, told = Outcome(), time.monotonic(), 0.0
    for outcome in _outcomes(options):
        total.add(outcome)
        for seed, wrong in outcome.wrong:
            text = generated(seed) if isinstance(seed, int) else seed
            print(f"{wrong.loop}: {wrong.message}\n{text}", flush=True)
        if time.monotonic() - told > 10:
            told = time.monotonic()
            counts: Any = total.counts
            print(
                f"{told - started:.0f} s: {counts['functions']} functions,"
                f" {counts['disagreements']} disagreements, {counts['missed loops']} missed",
                file=sys.stderr,
            )
    print(_summary(total.counts, time.monotonic() - started))
    if options.missed:
        _write_missed(options.missed, total.missed)
    return 1 if total.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
