"""Getting packages, building them, and noting how every file is compiled."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
_SOURCES = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror} {suite} main\n"
_WITH_VALUE = ("-o", "-MF", "-MT", "-MQ", "-L", "-l", "-Wl", "-Xlinker", "-u", "-z")
_TAKES_NEXT = ("-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-imacros")
_MATTERS = ("-I", "-D", "-U", "-std=", "-f", "-m", "-ansi", "-pthread", "-isystem", "-iquote", "-O")
# patches change the times of files, and `make` would want to generate them anew
NO_GENERATORS = {"MAKEFLAGS": "ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: MAKEINFO=: HELP2MAN=:"}


@dataclass(frozen=True)
class Unit:
    """A C file of a package, and the compiler's flags for it; both are relative to `folder`."""

    package: str
    folder: str
    source: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Limits:
    """Seconds for a package: building it, all of its tests, each test program, and annotating it."""

    build: float = 1800
    tests: float = 1800
    program: float = 300
    annotate: float = 3600

    def times(self, patience: float) -> Limits:
        """For a slow machine."""
        return Limits(**{name: seconds * patience for name, seconds in asdict(self).items()})


@dataclass(frozen=True)
class Package:
    """The commands that build a package and run its own tests, if it is to be tested.

    `test` gives every test program to $ATTEMPT, which notes what comes of it.  `hot` is a command whose time
    is that of the package's loops.
    """

    build: str
    test: str = ""
    hot: str = ""
    limits: Limits = field(default_factory=Limits)


def packages() -> dict[str, Package]:
    """The packages of packages.yaml by their names."""
    found: dict[str, str | dict[str, Any]] = yaml.safe_load((HERE / "packages.yaml").read_text())
    return {name: _package({"build": s} if isinstance(s, str) else s) for name, s in found.items()}


def _package(said: dict[str, Any]) -> Package:
    return Package(**said | {"limits": Limits(**said.get("limits", {}))})


def fetch(work: Path, names: list[str], mirror: str, suite: str) -> None:
    """Downloads and unpacks what is not there yet; needs apt-get and dpkg-source, but no rights."""
    missing = [name for name in names if not (work / name).is_dir()]
    if not missing:
        return
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (work / "apt" / folder).mkdir(parents=True, exist_ok=True)
    (work / "apt/status").touch()
    (work / "apt/sources.list").write_text(_SOURCES.format(mirror=mirror, suite=suite))
    apt = ["apt-get", "-qq", *(word for pair in _apt_options(work / "apt") for word in ("-o", pair))]
    subprocess.run([*apt, "update"], check=True)
    for name in missing:
        subprocess.run([*apt, "source", "--download-only", name], cwd=work / "apt", check=True)
        unpack(work, name, work / name)


def unpack(work: Path, name: str, folder: Path) -> None:
    """Makes `folder` the sources of a package that has been fetched."""
    (description,) = sorted((work / "apt").glob(f"{name}_*.dsc"))
    command = ["dpkg-source", "--no-check", "-x", str(description), str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(folder / ".pc", ignore_errors=True)  # what files were before Debian's patches


def _apt_options(folder: Path) -> Iterator[str]:
    yield f"Dir::Etc::SourceList={folder}/sources.list"
    yield "Dir::Etc::SourceParts=/dev/null"
    yield f"Dir::State={folder}/state"
    yield f"Dir::State::Status={folder}/status"
    yield f"Dir::Cache={folder}/cache"


def build(work: Path, name: str, command: str, limit: float) -> bool:
    """Builds a package, unless that has been done; says whether the build came to its end."""
    log = work / f"{name}.log"
    if log.exists():
        return True
    part = work / f"{name}.log.part"
    part.unlink(missing_ok=True)
    compiler = {"CC": str(HERE / "record"), "FIELD_LOG": str(part), "FIELD_CC": os.environ.get("CC", "gcc")}
    with open(work / f"{name}.out", "wb") as output:
        try:
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=work / name,
                env={"CFLAGS": "-O0", **os.environ, **NO_GENERATORS, **compiler},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return False
    if part.exists():
        part.rename(log)
    return done.returncode == 0


def units(work: Path, name: str) -> list[Unit]:
    """The C files of a package that its build compiles, each once, with the flags of the first time."""
    found: dict[Path, Unit] = {}
    for entry, place in compilations(work / f"{name}.log", work / name):
        folder, arguments = entry["directory"], entry["arguments"][1:]
        source = os.path.relpath(place, folder)
        found.setdefault(place, Unit(name, folder, source, tuple(_flags(arguments))))
    return list(found.values())


def compilations(log: Path, tree: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """The commands that a log notes for C files of a tree that still stand there, and these files."""
    for line in log.read_text(errors="surrogateescape").splitlines() if log.exists() else ():
        entry = json.loads(line)
        folder, arguments = entry["directory"], entry["arguments"][1:]
        if "-E" in arguments:
            continue  # what is preprocessed alone is often no C
        for source in (a for a in arguments if a.endswith(".c") and not a.startswith("-")):
            place = Path(folder, source).resolve()
            is_own = place.is_relative_to(tree.resolve()) and not place.name.startswith("conftest")
            if is_own and place.is_file() and Path(folder).is_dir():
                yield entry, place


def _flags(arguments: list[str]) -> Iterator[str]:
    rest = iter(arguments)
    for word in rest:
        if word in _TAKES_NEXT:
            yield from (word, next(rest, ""))
        elif word in _WITH_VALUE:
            next(rest, "")
        elif word.startswith(_MATTERS):
            yield word


def spelt(unit: Unit) -> str:
    """How the unit would be compiled, for a shell."""
    return f"cd {shlex.quote(unit.folder)} && cc {shlex.join(unit.flags)} -c {shlex.quote(unit.source)}"
