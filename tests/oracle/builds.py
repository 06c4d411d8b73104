"""Compiles plain programs, original and annotated, links them with what drives them (native/), runs them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.oracle.check import BuildError

_NATIVE = Path(__file__).parent / "native"
_PLAIN = ("-std=gnu11", "-O1", "-fopenmp", "-fwrapv", "-fno-strict-aliasing", "-fno-pie")
_LAYOUT = "-fno-toplevel-reorder"  # the original and the annotated program's data lie in the same order
_SECTIONS = ("--rename-section", ".data=udata", "--rename-section", ".bss=ubss,alloc,load,data,contents")
TSAN = "-fsanitize=thread"
_REPORTS = "halt_on_error=0:exitcode=0:report_signal_unsafe=0:history_size=2"
_PLACE = re.compile(r"^[^:\n]+:(\d+):\d+: (error|warning): (.*)$", re.MULTILINE)
_RACE = re.compile(r"WARNING: ThreadSanitizer: (.*?) \(pid.*?SUMMARY", re.DOTALL)
_ACCESS = re.compile(r"(?:[Rr]ead|[Ww]rite) of size .*\n +#0 (\w+).*?:(\d+) ")


@dataclass(frozen=True)
class Told:
    """Something that the compiler says of a line."""

    line: int
    kind: str  # error, warning
    message: str


@dataclass(frozen=True)
class Differs:
    """A run whose memory, in the end, is not that of the original; `way` numbers schedules and threads."""

    run: int
    way: int
    what: str


@dataclass(frozen=True)
class Race:
    """What ThreadSanitizer reports: the function, and the lines of the two accesses."""

    function: str
    what: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Ran:
    """What came of a program: how many runs, which of them differ, and where threads race."""

    runs: int
    differing: tuple[Differs, ...]
    races: tuple[Race, ...] = ()


def gcc() -> str | None:
    """The compiler, None if it or objcopy is missing: other compilers call other run-time systems."""
    return shutil.which("gcc") if shutil.which("objcopy") else None


def compiled(source: Path, text: str, *flags: str) -> tuple[Path | None, list[Told]]:
    """The object file of a program's text, None if there are errors, and what the compiler says."""
    source.write_text(text)
    made = source.with_suffix(".o")
    parts = [gcc() or "gcc", *_PLAIN, _LAYOUT, "-Wall", "-Wextra", *flags, "-c", "-o", made, source]
    done = subprocess.run(list(map(str, parts)), capture_output=True, text=True)
    said = [Told(int(line), kind, text) for line, kind, text in _PLACE.findall(done.stderr)]
    if done.returncode and not any(told.kind == "error" for told in said):
        raise BuildError(done.stderr[:2000])
    if not done.returncode:
        _run(["objcopy", *_SECTIONS, str(made)])
    return (None if done.returncode else made), said


def calls_object(source: Path, text: str) -> Path:
    """The object file of the calls."""
    source.write_text(text)
    made = source.with_suffix(".o")
    _run([gcc() or "gcc", "-std=gnu11", "-O0", "-w", "-fno-pie", f"-I{_NATIVE}", "-c", "-o", made, source])
    return made


def linked(program: Path, objects: list[Path], threads: str, *flags: str) -> Path:
    """A program whose parallel regions are run by `threads`: libgomp or team."""
    libraries = ["-fopenmp"] if threads == "libgomp" else []
    parts = [*objects, _support("driver", *flags), _support(threads, *flags)]
    sanitizer = [flag for flag in flags if flag == TSAN]
    _run([gcc() or "gcc", "-no-pie", *sanitizer, "-o", program, *parts, *libraries, "-lm", "-lpthread"])
    return program


def written(program: Path, state: Path) -> None:
    """Makes the calls of the original and writes what memory then holds."""
    done = _ran(program, "write", state, 0)
    if done.returncode:
        raise BuildError(f"the original program ends with {done.returncode}: {done.stdout[:500]}")


def compared(program: Path, state: Path, last: list[int]) -> Ran:
    """Makes the calls in every way; `last[run]` is the last run of the same function.

    A run that crashes, or takes ten seconds, differs; the program then goes on with the next function.
    """
    first, runs, differing, races = 0, 0, list[Differs](), list[Race]()
    while first < len(last):
        done = _ran(program, "compare", state, first)
        races += _races(done.stderr)
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        found = [Differs(int(line[1]), int(line[2]), line[3]) for line in lines if line[0] in "DX"]
        differing += found
        runs += sum(int(line[1]) for line in lines if line[0] == "R")
        if done.returncode == 0:
            break
        if not lines or lines[-1][0] != "X":
            said = f"{done.stdout[-500:]}{done.stderr[:500]}"
            raise BuildError(f"the program ends with {done.returncode}: {said}")
        first = last[found[-1].run] + 1
    return Ran(runs, tuple(differing), tuple(dict.fromkeys(races)))


def _races(reports: str) -> Iterator[Race]:
    for report in _RACE.finditer(reports):
        places = _ACCESS.findall(report[0])
        function = places[0][0] if places else "?"
        yield Race(function, report[1], tuple(int(line) for _, line in places))


def _ran(program: Path, what: str, state: Path, first: int) -> subprocess.CompletedProcess[str]:
    # Threads that wait must not spin: there may be fewer processors than threads.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "TSAN_OPTIONS": _REPORTS}
    command = [str(program), what, str(state), str(first)]
    try:
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        raise BuildError("the program runs too long") from None


@cache
def _support(name: str, *flags: str) -> Path:
    """The object file of a part of native/, kept from one process to the next."""
    text = b"".join(path.read_bytes() for path in sorted(_NATIVE.iterdir())) + repr(flags).encode()
    kept = f"cuvier-native-{name}-{os.getuid()}-{hashlib.sha256(text).hexdigest()[:16]}.o"
    path = Path(tempfile.gettempdir()) / kept
    if not path.exists():
        made = f"{path}.{os.getpid()}"
        openmp = ["-fopenmp"] if name == "libgomp" else []
        options = ["-std=gnu11", "-O2", "-w", "-fno-pie", *openmp, *flags]
        _run([gcc() or "gcc", *options, "-c", "-o", made, _NATIVE / f"{name}.c"])
        os.replace(made, path)
    return path


def _run(command: Sequence[str | Path]) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise BuildError(done.stderr[:2000])
