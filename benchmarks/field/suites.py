"""A package's own tests, on its sources as they are and on annotated ones.

One tree is built and tested again and again: as it came, then annotated in place in each style, by `cuvier
annotate` with the build's compile_commands.json, as a user would do it.  After each style `cuvier strip` has
to give the tree's bytes back.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.field import builds
from benchmarks.field.builds import Package
from cuvier.files import read_text
from species.annotate.markers import our_lines

STYLES = ("openmp", "species")
_COMPILER = "gcc -fopenmp"  # everywhere, so that nothing but the pragmas is different
_VERDICT = re.compile(r"^(?:Making check in (\S+)|(PASS|FAIL|ERROR|XPASS): (\S+))", re.MULTILINE)


@dataclass(frozen=True)
class Limits:
    """Seconds for a build, for a run of the tests, and for annotating a tree; threads of a program."""

    build: float
    tests: float
    annotate: float
    threads: int


@dataclass
class Trial:
    """What came of a tree in one state; `failed` names tests where the package says their names.

    `summary` is the last line that `cuvier annotate` says: how many loops, and what was not analysed.
    `regions`: how often the tests entered a parallel region with several threads (see regions.c).
    """

    style: str
    summary: str = ""
    annotated: int = 0  # files with at least one pragma
    compiled: int = 0  # of these, the ones that the build or the tests compiled
    pragmas: int = 0
    builds: bool = False
    passes: bool = False
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    regions: int = 0
    came_back: bool = True
    annotate_seconds: float = 0.0
    test_seconds: float = 0.0


@dataclass
class Suite:
    """A package, the lines of what it compiles, and its trials: the original, then every style."""

    package: str
    lines: int
    trials: list[Trial]


def run_suite(work: Path, name: str, package: Package, limits: Limits, tell: Callable[[str], None]) -> Suite:
    """Builds and tests the original and the annotated package in `work`/suites/`name`.

    What is known from an earlier run is not done again: NAME.original.json beside the tree says what came of
    the original, NAME.json of everything.
    """
    tree = (work / "suites" / name).resolve()
    known = tree.with_name(f"{name}.json")
    if known.exists():
        said = json.loads(known.read_text())
        return Suite(name, said["lines"], [Trial(**each) for each in said["trials"]])
    tell(f"{name}: original")
    trials = [_original(work, name, tree, package, limits)]
    for style in STYLES:
        tell(f"{name}: {style}")
        trials.append(_annotated(tree, package, style, limits))
    suite = Suite(name, sum(read_text(path).count("\n") for path in _compiled(tree, "original")), trials)
    known.write_text(json.dumps(asdict(suite), indent=1) + "\n")
    return suite


def _original(work: Path, name: str, tree: Path, package: Package, limits: Limits) -> Trial:
    """The tree as it came, built and tested; then it has a compile_commands.json such as `bear` writes."""
    noted = tree.with_name(f"{name}.original.json")
    if noted.exists():
        _cuvier(tree, "strip-rest", limits.annotate, "strip", "--in-place")
        return Trial(**json.loads(noted.read_text()))
    shutil.rmtree(tree, ignore_errors=True)
    tree.parent.mkdir(parents=True, exist_ok=True)
    builds.unpack(work, name, tree)
    trial = _tried(tree, package, Trial("original"), limits)
    entries = [{**e, "file": str(path)} for e, path in builds.compilations(_log(tree, "original"), tree)]
    (tree / "compile_commands.json").write_text(json.dumps(entries, indent=1))
    noted.write_text(json.dumps(asdict(trial)))
    return trial


def _annotated(tree: Path, package: Package, style: str, limits: Limits) -> Trial:
    """The tree annotated, built, tested and stripped."""
    trial, before, start = Trial(style), _hashes(tree), time.monotonic()
    trial.summary = _cuvier(
        tree, f"annotate-{style}", limits.annotate, "annotate", "--in-place", "--style", style
    )
    trial.annotate_seconds = time.monotonic() - start
    counts = {path: len(our_lines(read_text(path))) for path in before}
    ours = {path for path, count in counts.items() if count}
    trial.annotated, trial.pragmas = len(ours), sum(counts.values())
    _tried(tree, package, trial, limits)
    trial.compiled = len(ours & set(_compiled(tree, style)))
    _cuvier(tree, f"strip-{style}", limits.annotate, "strip", "--in-place")
    trial.came_back = all(_hash(path) == known for path, known in before.items())
    return trial


def _tried(tree: Path, package: Package, trial: Trial, limits: Limits) -> Trial:
    """Builds and tests; the outputs are beside the tree."""
    log = _log(tree, trial.style)
    log.unlink(missing_ok=True)
    trial.builds = _run(package.build, tree, f"build-{trial.style}", limits.build, log) == 0
    if trial.builds:
        start = time.monotonic()
        counts = tree.with_name(f"{tree.name}.regions-{trial.style}")
        counts.unlink(missing_ok=True)
        more = {
            "OMP_NUM_THREADS": str(limits.threads),
            "OMP_WAIT_POLICY": "passive",
            "OMP_DYNAMIC": "false",
            "LD_PRELOAD": str(_counter(tree.parent)),
            "FIELD_REGIONS": str(counts),
        }
        trial.passes = _run(package.test, tree, f"test-{trial.style}", limits.tests, log, **more) == 0
        trial.test_seconds = time.monotonic() - start
        trial.regions = sum(map(int, counts.read_text().split())) if counts.exists() else 0
        output = tree.with_name(f"{tree.name}.test-{trial.style}").read_text(errors="replace")
        said = list(_verdicts(output))
        trial.passed = sum(verdict == "PASS" for verdict, _ in said)
        trial.failed = sorted({test for verdict, test in said if verdict != "PASS"})
    return trial


def _counter(folder: Path) -> Path:
    """The library of regions.c, compiled."""
    made = folder / "regions.so"
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", str(made), str(builds.HERE / "regions.c"), "-ldl"]
    subprocess.run(command, check=True)
    return made


def _verdicts(output: str) -> Iterator[tuple[str, str]]:
    """What automake's harness says of each test; with it, the last folder that make has named."""
    folder = ""
    for match in _VERDICT.finditer(output):
        if match[1]:
            folder = "" if match[1] == "." else f"{match[1]}/"
        else:
            yield match[2], folder + match[3]


def _run(command: str, tree: Path, stage: str, limit: float, log: Path, **more: str) -> int | None:
    """The exit status of a command in the tree, whose compilers are noted; None: it took too long."""
    own = {"CC": str(builds.HERE / "record"), "FIELD_LOG": str(log), "FIELD_CC": _COMPILER, "CFLAGS": "-O1"}
    with open(tree.with_name(f"{tree.name}.{stage}"), "wb") as output:
        process = subprocess.Popen(
            ["sh", "-c", command],
            cwd=tree,
            env={**os.environ, **builds.NO_GENERATORS, **own, **more},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends what a command has left running."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _cuvier(tree: Path, stage: str, limit: float, *arguments: str) -> str:
    """The last line that a command says of the whole tree; its output is beside the tree."""
    output = tree.with_name(f"{tree.name}.{stage}")
    here = {**os.environ, "PYTHONPATH": str(builds.HERE.parents[1])}
    with open(output, "wb") as file:
        command = [sys.executable, "-m", "cuvier", *arguments, "."]
        try:
            subprocess.run(command, cwd=tree, env=here, stdout=file, stderr=subprocess.STDOUT, timeout=limit)
        except subprocess.TimeoutExpired:
            file.write(f"stopped after {limit:.0f} s\n".encode())
    return (output.read_text(errors="replace").splitlines() or [""])[-1]


def _compiled(tree: Path, style: str) -> list[Path]:
    found = builds.compilations(_log(tree, style), tree)
    return sorted({path for _, path in found})


def _log(tree: Path, style: str) -> Path:
    return tree.with_name(f"{tree.name}.log-{style}")


def _hashes(tree: Path) -> dict[Path, str]:
    return {path: _hash(path) for path in sorted(tree.rglob("*.c")) if path.is_file()}


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
