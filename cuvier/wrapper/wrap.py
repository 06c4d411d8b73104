"""Carries out a compiler's command, and then has loops of its sources run on threads."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from cuvier.wrapper.invocation import Invocation, Kind, read_invocation

THREADS = "-fopenmp"
_MISSED = re.compile(rb"\b(GOMP_|omp_get_)\w+")  # what a linker says that it does not find
_BARE = ("-nostdlib", "-nodefaultlibs", "-ffreestanding")  # without the run-time library


@dataclass(frozen=True)
class Settings:
    """How the wrapper does its part; it may take `seconds` for a file, and notes in `log` what it did."""

    strict_fp: bool = False
    log: str = ""
    seconds: float = 120.0


def wrap(compiler: str, arguments: Sequence[str], settings: Settings) -> int:
    """Run the command and give back the compiler's exit status.

    What the command writes is what it always writes, but for object files and programs in which loops run on
    threads.
    """
    said = read_invocation(compiler, arguments)
    other = said.kind is Kind.OTHER or said.has(*_BARE)
    if other and not said.links:
        os.execvp(compiler, [compiler, *arguments])
    if other or (said.kind is Kind.LINK and not said.sources):
        status = _linked([compiler, *arguments], _runtime(said))
    else:
        status = subprocess.call([compiler, *arguments, *_runtime(said)])
    if other:
        return status
    if status == 0 and said.sources:
        try:
            _improve(said, settings)
        except OSError as error:  # of a folder, a disk, a log: the compiler's result is there
            _note(settings, {"output": said.output, "status": "as it was", "why": str(error)})
    if status == 0 and said.kind is Kind.LINK:
        _summarise(said)
    return status


def _linked(command: list[str], runtime: list[str]) -> int:
    """Links; with OpenMP's run-time library, too, where an object calls it that no argument names."""
    first = subprocess.run([*command, *runtime], stderr=subprocess.PIPE, check=False)
    if first.returncode and not runtime and _MISSED.search(first.stderr):
        return subprocess.call([*command, THREADS])
    sys.stderr.buffer.write(first.stderr)
    sys.stderr.flush()
    return first.returncode


def _runtime(said: Invocation) -> list[str]:
    """What links OpenMP's run-time library, where objects of the program need it."""
    from cuvier.wrapper.notes import needs_runtime

    return [THREADS] if said.kind is Kind.LINK and needs_runtime(said.linked) else []


def _summarise(said: Invocation) -> None:
    from cuvier.wrapper.notes import notes_in, summary

    line = summary(said.output, notes_in([said.output]))
    if line:
        print(line, file=sys.stderr)


def _improve(said: Invocation, settings: Settings) -> None:
    """Replaces what the compiler wrote; whatever goes wrong, that stays."""
    with tempfile.TemporaryDirectory(prefix="cuvier-cc") as folder:
        texts, options = {}, [THREADS, "-w"]
        for number, source in enumerate(said.sources):
            place = Path(folder, str(number), Path(source).name)
            if _write(source, place, said, settings):
                texts[source] = str(place)
                home = os.path.dirname(source)
                name = said.name_of(home and home + os.sep)
                options += ["-iquote", home or ".", f"-ffile-prefix-map={place.parent}{os.sep}={name}"]
        if not texts:
            return
        output = Path(folder, Path(said.output).name)
        command = said.variant(texts, str(output), options)
        made = subprocess.run(command, capture_output=True, env=_environment(), check=False)
        if made.returncode == 0 and output.is_file():
            _put(output, said.output)
        else:
            _note(
                settings,
                {"output": said.output, "status": "as it was", "why": "the generated C does not compile"},
            )


def _write(source: str, place: Path, said: Invocation, settings: Settings) -> bool:
    from cuvier.wrapper.translation import Translation, translated

    began = monotonic()
    try:
        made = translated(
            Path(source),
            said.compiler,
            said.arguments,
            strict_fp=settings.strict_fp,
            seconds=settings.seconds,
        )
    except Exception as error:  # a defect of ours, or a strange file: the compiler's result is there
        made = Translation(why=f"{type(error).__name__}: {error}")
    status = "threads" if made.text else "as it was"
    _note(
        settings,
        {"file": source, "status": status, "loops": made.loops, "run": made.run, "why": made.why}
        | {"seconds": round(monotonic() - began, 1)},
    )
    if made.text:
        place.parent.mkdir(parents=True)
        place.write_text(made.text, encoding="utf-8", errors="surrogateescape")
    return bool(made.text)


def _environment() -> dict[str, str]:
    """Ours, without what has compilers note dependencies in files."""
    return {k: v for k, v in os.environ.items() if k not in ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")}


def _put(made: Path, output: str) -> None:
    """Puts a file in the place of another one, at once, with the other one's rights."""
    place = Path(output).resolve()  # a link leads where it led
    if place.stat().st_nlink > 1:  # and all names of a file are names of the new one
        shutil.copyfile(made, place)
        return
    beside = place.with_name(f"{place.name}.cuvier{os.getpid()}")
    try:
        beside.write_bytes(made.read_bytes())
        beside.chmod(place.stat().st_mode)
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


def _note(settings: Settings, what: dict[str, object]) -> None:
    with suppress(OSError):  # a build does not fail for want of a log
        if settings.log:
            with Path(settings.log).open("a", encoding="utf-8") as log:
                log.write(json.dumps(what) + "\n")
