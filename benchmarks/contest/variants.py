"""What Cuvier makes of a program, built as its user would: annotated, and compiled for OpenMP."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import subjects
from .contenders import HARNESS, BuildError, Workshop
from .subjects import Subject
from .whole import cuvier

GCC = ("gcc", "-std=gnu11", "-O3", "-march=native", "-w")
ANNOTATED, COMPILED, BY_HAND = "annotate", "compile", "hand"
WAYS = (ANNOTATED, COMPILED)  # of Cuvier
MARK = re.compile(r"/\* OMP: (.*?) \*/")  # where a person would put a directive
REGION = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp[ \t]+(?:\w+[ \t]+)*?parallel\b", re.M)
DRIVER = HARNESS / "repeated.c"
SHOP = Workshop(threads=1)


@dataclass(frozen=True)
class Variant:
    """An executable; `regions` that were put into the source, and None where it is the original."""

    executable: Path
    regions: int = 0
    unchanged: bool = False


@dataclass
class Built:
    """All executables of a subject, and what could not be built."""

    subject: Subject
    original: Path
    variants: dict[str, Variant] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def original(subject: Subject, folder: Path) -> Path:
    """gcc -O3 of the program as it is."""
    name = "original" + "".join(flag[2:] for flag in subject.flags).replace("=", "")
    return _compiled(subject, subject.source, folder / name)


def build(subject: Subject, folder: Path, ways: tuple[str, ...] = WAYS) -> Built:
    """The original, which must build, and the variants."""
    built = Built(subject, original(subject, folder))
    for way in ways:
        try:
            built.variants[way] = _BUILDERS[way](built, folder)
        except (BuildError, subprocess.TimeoutExpired) as error:
            built.failures[way] = str(error)
    return built


def _compiled(subject: Subject, source: Path, executable: Path, *flags: str) -> Path:
    executable.parent.mkdir(parents=True, exist_ok=True)
    driver = ("-Dmain=program_main", _driver(executable.parent)) if subject.whole else ()
    where = ("-iquote", subject.source.parent)
    SHOP.run(*GCC, *flags, *subject.flags, *where, source, *driver, "-o", executable, "-lm")
    return executable


def _driver(folder: Path) -> Path:
    made = folder / "repeated.o"
    if not made.exists():
        SHOP.run("gcc", "-O2", "-c", "-o", made, DRIVER)
    return made


def _annotated(built: Built, folder: Path) -> Variant:
    subject, out = built.subject, folder / "annotated"
    _cuvier("annotate", subject, "--style", "openmp", "-o", str(out))
    copy = out / subject.source.name
    if not copy.exists() or copy.read_bytes() == subject.source.read_bytes():
        return Variant(built.original, unchanged=True)
    executable = _compiled(subject, copy, folder / "annotated.exe", "-fopenmp")
    return Variant(executable, regions_of(copy))


def _made(built: Built, folder: Path) -> Variant:
    subject, out = built.subject, folder / "compiled"
    shutil.rmtree(out, ignore_errors=True)
    _cuvier("compile", subject, "--target", "openmp", "-o", str(out))
    makefile, extra = (out / "Makefile").read_text(encoding="utf-8"), []
    if subject.whole:
        cflags, libraries = (_setting(makefile, name) for name in ("CFLAGS", "LDLIBS"))
        extra = [f"CFLAGS={cflags} -Dmain=program_main", f"LDLIBS={_driver(folder)} {libraries}"]
    SHOP.run("make", "-s", "-C", out, *extra)
    return Variant(out / subject.source.stem, sum(map(regions_of, out.rglob("*.[ch]"))))


def _by_hand(built: Built, folder: Path) -> Variant:
    """With the directives of the file beside it, or those that the source's comments have in mind."""
    source = built.subject.source
    beside = source.with_suffix(subjects.BY_HAND)
    if beside.exists():
        return _with_directives(built, beside, folder)
    text, count = MARK.subn(r"#pragma omp \1", source.read_text(encoding="utf-8"))
    if not count:
        return Variant(built.original, unchanged=True)
    copy = folder / "by-hand" / built.subject.source.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text, encoding="utf-8")
    return _with_directives(built, copy, folder)


def _with_directives(built: Built, source: Path, folder: Path) -> Variant:
    return Variant(_compiled(built.subject, source, folder / "by-hand.exe", "-fopenmp"), regions_of(source))


def _setting(makefile: str, name: str) -> str:
    found = re.search(rf"^{name} = (.*)$", makefile, re.M)
    return found.group(1) if found else ""


def _cuvier(command: str, subject: Subject, *options: str) -> None:
    done = cuvier(command, *options, *subject.flags, str(subject.source))
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise BuildError(f"cuvier {command} ends with {done.returncode}: {lines[-1]}")


def regions_of(source: Path) -> int:
    """The parallel regions in a source."""
    return len(REGION.findall(source.read_text(encoding="utf-8")))


_BUILDERS = {ANNOTATED: _annotated, COMPILED: _made, BY_HAND: _by_hand}
