"""A source with its loops on threads, as `cuvier compile` writes it for OpenMP; or why it stays as it is."""

from __future__ import annotations

import re
import shlex
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cuvier.wrapper.notes import note

if TYPE_CHECKING:
    from cuvier.pipeline.summary import Summary

TARGET = "openmp"
_LOOP = re.compile(r"\b(for|while|do)\b")
_NO_CODE = re.compile(r"""//[^\n]*|/\*.*?(\*/|\Z)|"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'""", re.DOTALL)
_DIRECTIVES = re.compile(r"\b(omp|_OPENMP)\b")
_LINES = re.compile(r"^[ \t]*#[ \t]*(line\b|\d)", re.MULTILINE)
_SHARED = ("-fPIC", "-fpic")
# Threads wait in OpenMP's run-time library, which must stay when a library of the program's is unloaded.
_STAYS = """
#if defined(__ELF__) && defined(__linux__)
extern void *cuvier_cc_dlopen(const char *, int) __asm__("dlopen") __attribute__((weak));
__attribute__((constructor)) static void cuvier_cc_threads_stay(void)
{
  if (cuvier_cc_dlopen)
    cuvier_cc_dlopen("libgomp.so.1", 0x1005); /* RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE */
}
#endif
"""
_FENV = re.compile(r"\bfenv\.h\b|\bfe(test|get|raise|clear|set|hold|update)\w*")


@dataclass(frozen=True)
class Translation:
    """`text` is to be compiled in place of the file ("": the file stays as it is), and `why` says why not."""

    text: str = ""
    why: str = ""
    loops: int = 0
    run: int = 0


class TooLong(BaseException):
    """The analysis takes longer than it may; no handler of defects on the way takes it for one."""


def translated(
    path: Path, compiler: str, arguments: Sequence[str], *, strict_fp: bool, seconds: float
) -> Translation:
    """The file as the command would compile it, with loops on threads.  It takes so many seconds at most."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    if not _LOOP.search(_NO_CODE.sub(" ", text)):
        return Translation(why="it has no loops")
    if "-fopenmp" not in arguments and _DIRECTIVES.search(text):
        return Translation(why="it has directives of OpenMP, and the build does not use OpenMP")
    if _LINES.search(text):
        return Translation(why="it was written by a generator, and has the line numbers of another file")
    if _FENV.search(text):
        return Translation(why="it looks at floating-point exceptions, and each thread has its own")
    try:
        with _limited(seconds):
            return _translated(path, compiler, arguments, strict_fp)
    except TooLong:
        return Translation(why=f"its analysis took longer than {seconds:g} s")


def _translated(path: Path, compiler: str, arguments: Sequence[str], strict_fp: bool) -> Translation:
    from cuvier.batch.flags import read_command
    from cuvier.machine.store import load
    from cuvier.pipeline.driver import analyse_file
    from cuvier.pipeline.generate import generate, options_for
    from cuvier.pipeline.summary import summarised
    from skeletons import CompileOptions, Library
    from species.analysis.options import AnalysisOptions
    from species.source import PreprocessOptions

    said = read_command([compiler, *arguments], str(path), str)
    if said.language != "c" or said.refused:
        return Translation(why=f"{said.refused or said.language} is not understood")
    flags = PreprocessOptions(cc=shlex.quote(compiler), std=said.std, flags=(*said.machine, *said.flags))
    library = Library.load()
    analysis = options_for(library.target(TARGET), AnalysisOptions(strict_aliasing=said.strict_aliasing))
    found = analyse_file(path, flags, analysis, complete=True)
    if found.unit is None or found.facts.status == "failed":
        worst = next((d.message for d in found.facts.diagnostics if d.severity == "error"), "")
        return Translation(why=worst or "it was not understood")
    options = CompileOptions(strict_fp=strict_fp, machine=load(None), part=True)
    program = generate(found.unit, found.facts, TARGET, library, flags, analysis, options)
    summary = summarised(program, found.facts, TARGET, options)
    if not summary.run:
        return Translation(why=_why(summary), loops=summary.loops)
    stays = _STAYS if not set(_SHARED).isdisjoint(arguments) else ""
    text = program.files[f"{path.stem}.c"] + stays + note(str(path), summary.run, summary.loops)
    return Translation(text, "", summary.loops, summary.run)


def _why(summary: Summary) -> str:
    return summary.left[0][0] if summary.left else "no loop of it is worth threads"


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def late(number: int, frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
