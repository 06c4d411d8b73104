"""A package built by `cuvier cc`, beside the same built by gcc: its own tests, and the time of its loops.

Each has a tree of its own, which stays: NAME-gcc and NAME-cuvier.  NAME.json has what came of it, and is read
instead where it stands.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.field import builds
from benchmarks.field.builds import Package
from benchmarks.field.inputs import inputs
from benchmarks.field.stages import Stages

GCC, CUVIER = "gcc", "cuvier"
COMMAND = "cuvier cc --target openmp"
THREADS = JOBS = 2
_ROOT = builds.HERE.parents[1]


@dataclass
class Way:
    """What came of a package with one compiler; `failed` are its test programs that do not pass."""

    builds: bool = False
    passes: bool = False
    build_seconds: float = 0.0
    tests: int = 0
    failed: list[str] = field(default_factory=list)
    regions: int = 0  # entered with several threads, by the tests


@dataclass
class Row:
    """A package; `files` were compiled, `taken` of them have `regions`; `left` says why others have none."""

    name: str
    version: str
    gcc: Way
    cuvier: Way
    files: int = 0
    taken: int = 0
    regions: int = 0
    left: dict[str, int] = field(default_factory=dict)
    slowest: float = 0.0  # seconds that the analysis of a file took
    speeds: list[float] = field(default_factory=list)  # gcc's time by ours, of each round
    efforts: list[float] = field(default_factory=list)  # the same of processor time, of all threads
    differs: bool = False  # what the hot command prints

    @property
    def speed(self) -> float | None:
        """Of the hot command, 1 being gcc's; the median of the rounds."""
        return statistics.median(self.speeds) if self.speeds else None

    @property
    def effort(self) -> float | None:
        """As `speed`, of processor time: on a machine with other work, it says more where no threads run."""
        return statistics.median(self.efforts) if self.efforts else None

    @property
    def broken(self) -> bool:
        """Is something wrong with Cuvier that is right with gcc?"""
        worse = set(self.cuvier.failed) - set(self.gcc.failed)
        other = (self.gcc.builds and not self.cuvier.builds) or (self.gcc.passes and not self.cuvier.passes)
        return bool(worse) or other or self.differs

    @property
    def said(self) -> str:
        """A line for people."""
        speed = f", speed {self.speed:.2f}" if self.speed else ""
        result = "BROKEN" if self.broken else "well"
        return f"{result}; {self.regions} regions in {self.taken} of {self.files} files{speed}"


def tried(work: Path, name: str, package: Package, rounds: int, *, again: bool = False) -> Row:
    """Builds and tests the package in both ways, or reads what came of that; `again`: and times it anew."""
    noted = work / f"{name}.json"
    if noted.exists():
        said: dict[str, Any] = json.loads(noted.read_text())
        row = Row(**said | {"gcc": Way(**said["gcc"]), "cuvier": Way(**said["cuvier"])})
        return _kept(noted, _raced(work, package, row, rounds)) if again else row
    log = work / f"{name}.log"
    log.unlink(missing_ok=True)
    ways = {way: _way(work, name, package, way, log) for way in (GCC, CUVIER)}
    row = Row(name, _version(work, name), ways[GCC], ways[CUVIER])
    _read(log, {path.name for path in (work / name).rglob("*.c")}, row)
    return _kept(noted, _raced(work, package, row, rounds))


def _kept(noted: Path, row: Row) -> Row:
    noted.write_text(json.dumps(asdict(row), indent=1) + "\n")
    return row


def _version(work: Path, name: str) -> str:
    (description,) = (work / "apt").glob(f"{name}_*.dsc")
    return description.stem.removeprefix(f"{name}_")


def _way(work: Path, name: str, package: Package, way: str, log: Path) -> Way:
    tree = work / f"{name}-{way}"
    shutil.rmtree(tree, ignore_errors=True)
    builds.unpack(work, name, tree)
    compiler = {"CC": way, "CFLAGS": "-O3", "CUVIER_CC": GCC, "CUVIER_CC_LOG": str(log)}
    compiler["MAKEFLAGS"] = f"-j{JOBS} {builds.NO_GENERATORS['MAKEFLAGS']}"
    if way == CUVIER:
        compiler |= {"CC": COMMAND, "PATH": f"{_command(work)}:{os.environ['PATH']}"}
    stages, made, began = Stages(tree, package, THREADS, compiler), Way(), time.monotonic()
    made.builds = stages.build(way)
    made.build_seconds = time.monotonic() - began
    if made.builds:
        stages.verdicts(way).unlink(missing_ok=True)
        made.passes = stages.test(way)
        verdicts = [json.loads(line) for line in stages.verdicts(way).read_text().splitlines()]
        made.tests, made.regions = len(verdicts), sum(each["regions"] for each in verdicts)
        made.failed = sorted(each["test"] for each in verdicts if each["status"] not in (0, 77))
    return made


def _command(work: Path) -> Path:
    """A folder with the command `cuvier`."""
    folder = work / "bin"
    folder.mkdir(exist_ok=True)
    script = folder / "cuvier"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={_ROOT} exec {sys.executable} -m cuvier "$@"\n')
    script.chmod(0o755)
    return folder


def _read(log: Path, names: set[str], row: Row) -> None:
    """What the wrapper's log has of files that are the package's: configure scripts compile others."""
    entries = [entry for entry in _entries(log) if Path(entry.get("file", "")).name in {"", *names}]
    files = [entry for entry in entries if "file" in entry]
    row.files, row.taken = len(files), sum(entry["status"] == "threads" for entry in files)
    row.regions = sum(entry["run"] for entry in files)
    row.slowest = max((entry["seconds"] for entry in files), default=0.0)
    row.left = dict(Counter(entry["why"] for entry in entries if entry["status"] != "threads").most_common())


def _entries(log: Path) -> Iterator[dict[str, Any]]:
    for line in log.read_text().splitlines() if log.exists() else ():
        yield json.loads(line)


def _raced(work: Path, package: Package, row: Row, rounds: int) -> Row:
    """The hot command takes turns in the two trees; what it prints has to be the same."""
    if not package.hot or not row.gcc.builds or not row.cuvier.builds:
        return row
    row.speeds, row.efforts, row.differs = [], [], False
    for turn in range(rounds + 1 if rounds else 0):
        before, after = (_timed(work, package.hot, row.name, way) for way in (GCC, CUVIER))
        row.differs |= before.printed != after.printed
        if turn:  # the first one warms up
            row.speeds.append(before.seconds / after.seconds)
            row.efforts.append(before.processor / after.processor)
    return row


@dataclass(frozen=True)
class _Run:
    """Of a hot command: seconds by the clock and of processors, and what it prints."""

    seconds: float
    processor: float
    printed: bytes


def _timed(work: Path, hot: str, name: str, way: str) -> _Run:
    more = inputs(work) | {"OMP_NUM_THREADS": str(THREADS)}
    began, used = time.monotonic(), _processor()
    done = subprocess.run(
        ["sh", "-c", hot],
        cwd=work / f"{name}-{way}",
        env=os.environ | more,
        stdout=subprocess.PIPE,
        check=False,
    )
    seconds, processor = time.monotonic() - began, _processor() - used
    return _Run(seconds, processor, done.stdout + str(done.returncode).encode())


def _processor() -> float:
    """The processor time of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
