"""The C compiler and the flags with which both programs are built, and the watch library for them.

Both programs are compiled with the same flags: no contraction of `a*b+c` (it rounds differently from
one compiler or device to the next), and local variables filled with one pattern, so that memory which
the program never wrote has the same content in both.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import Outcome, run
from cuvier.verification.prebuilt import OBJECT, build
from species.core.command_lines import words_of
from species.source import PreprocessOptions

HERE = Path(__file__).parent
BUILD_TIMEOUT = 300.0
SANITIZERS = "-fsanitize=address,undefined"
# What guard.c stands in for.
_WRAPPED = "malloc calloc realloc reallocarray free posix_memalign aligned_alloc memalign"
_FILL_LOCALS = "-ftrivial-auto-var-init=pattern"
_FILL_OTHERWISE = "-ftrivial-auto-var-init=zero"
# The judge is not built with the part of the compiler that is most often wrong; the generated program is.
_NOT_VECTORISED = ("-fno-tree-vectorize", "-fno-tree-slp-vectorize")
# The compiler must not take stores away because it knows that `free` follows, or what `malloc` returns.
_FLAGS = (
    "-O2",
    "-g",
    "-w",
    "-ffp-contract=off",
    *(f"-fno-builtin-{f}" for f in ("malloc", "calloc", "realloc", "free")),
)


_INEXACT = (
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p cbrt erf"
    " erfc tgamma lgamma atan2 pow hypot sincos"
)
INEXACT = tuple(name + suffix for name in _INEXACT.split() for suffix in ("", "f"))  # as in perturb.c


class Build(Enum):
    """The ways to build the original program."""

    REFERENCE = "original"
    FILLED = "filled"  # memory that was never written holds something else
    PERTURBED = "perturbed"  # with perturb.c
    ALIKE = "alike"  # as the generated program is built
    CAREFUL = "careful"  # by a compiler that does little


@dataclass(frozen=True)
class Toolchain:
    """A C compiler as a command, and the flags of the user's program."""

    cc: tuple[str, ...]
    std: str | None
    include_dirs: tuple[str, ...]
    defines: tuple[str, ...]
    flags: tuple[str, ...] = ()  # others of the preprocessor

    @staticmethod
    def find(options: PreprocessOptions) -> Toolchain:
        """The compiler that the user names, or $CC, or cc; UserError where there is none."""
        command = tuple(words_of(options.cc or os.environ.get("CC") or "cc"))
        if not command or not shutil.which(command[0]):
            name = command[0] if command else ""
            raise UserError(
                f"no C compiler '{name}'; install one (apt-get install gcc), or name one with --cc"
            )
        absolute = tuple(str(Path(folder).resolve()) for folder in options.include_dirs)
        return Toolchain(command, options.std, absolute, options.defines, options.absolute_flags())

    @cached_property
    def common(self) -> tuple[str, ...]:
        """Flags for every file of both programs."""
        return (*_FLAGS, *self._those_known(_FILL_LOCALS))

    def _original_flags(self, build: Build) -> tuple[str, ...]:
        """The flags for a build of the original; a later one wins over an earlier one."""
        if build is Build.ALIKE:
            return self.common
        flags = (*self.common, *self._those_known(*_NOT_VECTORISED))
        if build is Build.FILLED:
            return (*flags, *self._those_known(_FILL_OTHERWISE))
        if build is Build.CAREFUL:
            return (*flags, "-O1", "-fno-strict-aliasing", "-fwrapv")
        if build is Build.PERTURBED:
            return (*flags, "-frounding-math", *(f"-fno-builtin-{name}" for name in INEXACT))
        return flags

    def _those_known(self, *flags: str) -> tuple[str, ...]:
        return tuple(flag for flag in flags if self._accepts(flag))

    @property
    def language(self) -> tuple[str, ...]:
        """The user's own flags."""
        return (*((f"-std={self.std}",) if self.std else ()), *self.macros)

    @property
    def macros(self) -> tuple[str, ...]:
        """The user's own flags for the preprocessor, which C++ takes as well."""
        folders = tuple(f"-I{folder}" for folder in self.include_dirs)
        return (*folders, *self.flags, *(f"-D{define}" for define in self.defines))

    def _accepts(self, flag: str) -> bool:
        command = [*self.cc, flag, "-Werror", "-fsyntax-only", "-x", "c", "/dev/null"]
        return run(command, Path.cwd(), BUILD_TIMEOUT).status == 0

    def compile(self, arguments: list[str], directory: Path, what: str) -> None:
        """Run the compiler; UserError shows its message."""
        check_built(run([*self.cc, *arguments], directory, BUILD_TIMEOUT), what, "see -I, -D, --std and --cc")

    def build_watch(self, directory: Path, sanitize: bool) -> tuple[str, ...]:
        """Compile the watch library into `directory`; the result is what a link line needs."""
        names = ("watch", "watch_hash", "watch_sites", "locate_asan" if sanitize else "guard")
        objects = self._library(directory / ("sanitized" if sanitize else "guarded"), names)
        return objects if sanitize else (*objects, *wrap_flags(_WRAPPED.split()))

    def _library(self, folder: Path, names: Sequence[str]) -> tuple[str, ...]:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            flags = ["-std=gnu11", "-O2", "-g", "-fPIC", "-c", str(HERE / f"{name}.c"), "-o", OBJECT]
            outcome = build([*self.cc, *flags], folder / f"{name}.o", BUILD_TIMEOUT)
            check_built(outcome, "the watch library of cuvier verify", "see --cc")
        return tuple(str(folder / f"{name}.o") for name in names)

    def build_original(
        self,
        text: str,
        source: Path,
        directory: Path,
        watch: tuple[str, ...],
        openmp: tuple[str, ...] = (),
        how: Build = Build.REFERENCE,
    ) -> Path:
        """Compile `text` as if it stood at `source`; the result is the program.  `openmp`: its flag."""
        directory.mkdir(parents=True, exist_ok=True)
        name, what = source.name, f"the original program {source}"
        (directory / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        flags = [*self._original_flags(how), *self.language, "-iquote", str(source.resolve().parent)]
        named = ["-x", "c", "-c", name, "-o", "original.o"]  # whatever the name ends in
        self.compile([*flags, *watch_header(), *openmp, *named], directory, what)
        if how is Build.PERTURBED:
            watch = (*watch, *self._library(directory, ["perturb"]), *wrap_flags(INEXACT))
        self.compile(["original.o", *watch, *openmp, "-lm", "-o", "original"], directory, what)
        return directory / "original"


def watch_header() -> tuple[str, ...]:
    """The flags that make watch.h known to every file."""
    return ("-include", str(HERE / "watch.h"))


def wrap_flags(names: Sequence[str]) -> tuple[str, ...]:
    """Linker flags that put functions of ours before those of the C library."""
    return tuple(f"-Wl,--wrap={name}" for name in names)


def check_built(outcome: Outcome, what: str, way_out: str) -> None:
    """UserError with the first error message where a build step failed."""
    if outcome.timed_out:
        raise UserError(f"{what} was not built within {BUILD_TIMEOUT:.0f} s")
    if outcome.status != 0:
        lines = (outcome.stderr + b"\n" + outcome.stdout).decode(errors="replace").splitlines()
        told = [line.strip() for line in lines if "error" in line or "undefined" in line] or [
            outcome.complaint
        ]
        raise UserError(f"{what} does not build: {told[0]}; {way_out}")
