"""Cuvier on source packages of other projects: what is analysed, what is lost, what breaks.

    python -m benchmarks.field [--work DIR] [--json FILE] [PACKAGE ...]

The packages are those of benchmarks/field/packages.yaml; docs/field-test.md has the numbers.  What is
downloaded and built stays below DIR.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path

from benchmarks.field import builds
from benchmarks.field.builds import Package, Unit
from benchmarks.field.measure import Outcome, measure
from benchmarks.field.suites import WAYS, run_suite
from benchmarks.field.table import print_suites, print_table

_FORK = multiprocessing.get_context("fork")


@dataclass
class _Child:
    unit: Unit
    process: multiprocessing.process.BaseProcess
    answer: Connection
    end: float


def main() -> int:
    options = _options()
    known = builds.packages()
    names = options.packages or list(known)
    options.work.mkdir(parents=True, exist_ok=True)
    builds.fetch(options.work, names, options.mirror, options.suite)
    if not options.suites:
        _files(known, names, options)
    if options.suites or not options.parse_only:
        _suites(known, names, options)
    return 0


def _suites(known: dict[str, Package], names: list[str], options: argparse.Namespace) -> None:
    """Runs the tests of the packages that have some, on annotated sources."""
    suites = []
    for name in names:
        if known[name].test:
            package = replace(known[name], limits=known[name].limits.times(options.patience))
            suites.append(
                run_suite(options.work, name, package, options.annotate, options.threads, _progress)
            )
    print_suites(suites)


def _files(known: dict[str, Package], names: list[str], options: argparse.Namespace) -> None:
    """Analyses and annotates every file that the packages' builds compile."""
    todo: list[Unit] = []
    for name in names:
        if not builds.build(options.work, name, known[name].build, options.build_limit):
            print(f"{name}: the build failed, see {options.work}/{name}.out", file=sys.stderr)
        todo += builds.units(options.work, name)
    todo = todo[:: options.every]
    outcomes = []
    try:
        for outcome in _run(todo, options):
            outcomes.append(outcome)
            _progress(f"{len(outcomes)}/{len(todo)} {outcome.package} {Path(outcome.file).name}")
    except KeyboardInterrupt:
        _progress(f"stopped after {len(outcomes)} of {len(todo)} files")
    print(file=sys.stderr)
    outcomes.sort(key=lambda outcome: (outcome.package, outcome.file))
    print_table(outcomes)
    if options.json:
        options.json.write_text(json.dumps([outcome.json() for outcome in outcomes], indent=1) + "\n")


def _progress(text: str) -> None:
    print(f"\r{text:70.70}", end="", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="field_test", description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="names in packages.yaml [all]")
    parser.add_argument("--work", type=Path, default=Path("build/field"), help="where packages are built")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what came of every file")
    parser.add_argument("--jobs", type=int, default=2, help="files at a time [2]")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a file [120]")
    parser.add_argument("--build-limit", type=float, default=1800, help="seconds for a build [1800]")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth file only [1]")
    parser.add_argument("--parse-only", action="store_true", help="stop after the front end")
    parser.add_argument("--suites", action="store_true", help="only run the packages' own tests")
    parser.add_argument("--threads", type=int, default=4, help="of a program under test [4]")
    parser.add_argument(
        "--annotate",
        action="append",
        metavar="OPTIONS",
        help="for annotating before tests; repeatable [three ways]",
    )
    parser.add_argument("--patience", type=float, default=1, metavar="X", help="limits of tests, times X [1]")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian", help="where Debian's sources are")
    parser.add_argument("--suite", default="bookworm", help="of which release [bookworm]")
    options = parser.parse_args()
    options.annotate = options.annotate or WAYS
    return options


def _run(todo: list[Unit], options: argparse.Namespace) -> Iterator[Outcome]:
    """The outcomes, in the order in which they come; each file has a process of its own."""
    waiting, running = list(reversed(todo)), list[_Child]()
    while waiting or running:
        while waiting and len(running) < options.jobs:
            running.append(_start(waiting.pop(), options))
        wait([child.answer for child in running], timeout=0.5)
        for child in list(running):
            outcome = _outcome(child, options.limit)
            if outcome is not None:
                running.remove(child)
                yield outcome


def _start(unit: Unit, options: argparse.Namespace) -> _Child:
    ours, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_child, args=(unit, theirs, options.parse_only), daemon=True)
    process.start()
    theirs.close()
    return _Child(unit, process, ours, time.monotonic() + options.limit)


def _child(unit: Unit, answer: Connection, parse_only: bool) -> None:
    try:
        answer.send(measure(unit, parse_only=parse_only))
    except BaseException:
        answer.send(Outcome(unit.package, unit.source, crash=traceback.format_exc()))


def _outcome(child: _Child, limit: float) -> Outcome | None:
    """What came of a file; None: it is still at work."""
    name = str((Path(child.unit.folder) / child.unit.source).resolve())
    if child.answer.poll():
        try:
            found: Outcome = child.answer.recv()
        except EOFError:
            found = Outcome(child.unit.package, name, crash="the process died")
    elif time.monotonic() > child.end:
        child.process.kill()
        found = Outcome(child.unit.package, name, crash=f"not done after {limit:.0f} s")
    else:
        return None
    child.process.join()
    return found


if __name__ == "__main__":
    sys.exit(main())
