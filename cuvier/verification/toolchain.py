"""The C compiler and the flags with which both programs are built, and the watch library for them.

Both programs are compiled with the same flags: no contraction of `a*b+c` (it rounds differently from
one compiler or device to the next), and local variables filled with one pattern, so that memory which
the program never wrote has the same content in both.
"""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cuvier.errors import UserError
from cuvier.verification.prebuilt import OBJECT, build
from cuvier.verification.run import Outcome, run
from species.source import PreprocessOptions

HERE = Path(__file__).parent
BUILD_TIMEOUT = 300.0
SANITIZERS = "-fsanitize=address,undefined"
# What guard.c stands in for.
_WRAPPED = "malloc calloc realloc reallocarray free posix_memalign aligned_alloc memalign"
_FILL_LOCALS = "-ftrivial-auto-var-init=pattern"
# The compiler must not take stores away because it knows that `free` follows, or what `malloc` returns.
_FLAGS = (
    "-O2",
    "-g",
    "-w",
    "-ffp-contract=off",
    *(f"-fno-builtin-{f}" for f in ("malloc", "calloc", "realloc", "free")),
)


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
        command = tuple(shlex.split(options.cc or os.environ.get("CC") or "cc"))
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
        return (*_FLAGS, *((_FILL_LOCALS,) if self._accepts(_FILL_LOCALS) else ()))

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
        folder = directory / ("sanitized" if sanitize else "guarded")
        folder.mkdir(parents=True, exist_ok=True)
        names = ("watch", "locate_asan" if sanitize else "guard")
        for name in names:
            flags = ["-std=gnu11", "-O2", "-g", "-fPIC", "-c", str(HERE / f"{name}.c"), "-o", OBJECT]
            outcome = build([*self.cc, *flags], folder / f"{name}.o", BUILD_TIMEOUT)
            check_built(outcome, "the watch library of cuvier verify", "see --cc")
        objects = tuple(str(folder / f"{name}.o") for name in names)
        return objects if sanitize else (*objects, *wrap_flags())

    def build_original(
        self,
        text: str,
        name: str,
        source: Path,
        directory: Path,
        watch: tuple[str, ...],
        openmp: tuple[str, ...] = (),
    ) -> Path:
        """Compile `text` as if it stood at `source`; the result is the program.  `openmp`: its flag."""
        directory.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        flags = [*self.common, *self.language, "-iquote", str(source.resolve().parent), *watch_header()]
        self.compile(
            [*flags, *openmp, "-x", "c", "-c", name, "-o", "original.o"],  # whatever the name ends in
            directory,
            f"the original program {source}",
        )
        link = ["original.o", *watch, *openmp, "-lm", "-o", "original"]
        self.compile(link, directory, f"the original program {source}")
        return directory / "original"


def watch_header() -> tuple[str, ...]:
    """The flags that make watch.h known to every file."""
    return ("-include", str(HERE / "watch.h"))


def wrap_flags() -> tuple[str, ...]:
    """Linker flags that put guard.c before the C library's allocation functions."""
    return tuple(f"-Wl,--wrap={name}" for name in _WRAPPED.split())


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
