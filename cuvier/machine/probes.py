"""Small C programs that measure: built at run time with the user's compiler, in a folder of their own."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import Outcome, run
from species.core.command_lines import words_of

HERE = Path(__file__).parent
TIMEOUT = 120.0
FLAGS = ("-O3", "-w")
NATIVE = ("-march=native", "-mcpu=native")
_VECTORS = (("__AVX512F__", 64), ("__AVX__", 32), ("__SSE2__", 16), ("__ARM_NEON", 16), ("__ALTIVEC__", 16))


@dataclass(frozen=True)
class Probes:
    """A C compiler as a command, and where to build."""

    cc: tuple[str, ...]
    folder: Path

    @staticmethod
    def find(cc: str | None, folder: Path) -> Probes:
        """With the compiler that the user names, or $CC, or cc; UserError where there is none."""
        command = tuple(words_of(cc or os.environ.get("CC") or "cc"))
        if not command or not shutil.which(command[0]):
            raise UserError(
                f"no C compiler '{' '.join(command)}', with which to measure; install one"
                " (apt-get install gcc), or name one with --cc"
            )
        return Probes(command, folder)

    @cached_property
    def native(self) -> tuple[str, ...]:
        """The flag that allows all instructions of this processor."""
        tried = ((flag,) for flag in NATIVE)
        return next((flag for flag in tried if self._tell(*flag).status == 0), ())

    def _tell(self, *flags: str) -> Outcome:
        """The macros that the compiler defines."""
        return run([*self.cc, *flags, "-dM", "-E", "-x", "c", "/dev/null"], self.folder, TIMEOUT)

    def vector_bytes(self) -> int:
        """The bytes of the widest vectors that the compiler would use here."""
        macros = self._tell(*self.native).stdout.decode(errors="replace").split()
        return next((size for macro, size in _VECTORS if macro in macros), 8)

    def compile(self, source: Path, program: Path, *flags: str) -> Outcome:
        """Build a program of one file; flags may name libraries."""
        return run([*self.cc, *FLAGS, source, *flags, "-o", program], self.folder, TIMEOUT)

    def build(self, source: str, name: str, *flags: str) -> Path:
        """Compile a program of this folder with OpenMP; UserError where that fails."""
        program = self.folder / name
        done = self.compile(HERE / source, program, *self.native, *flags, "-fopenmp")
        if done.status != 0:
            raise UserError(
                f"'{shlex.join(self.cc)}' does not build {source}, which measures: {done.complaint};"
                " name a compiler with OpenMP (gcc) with --cc"
            )
        return program

    def measure(self, program: Path, threads: int, *arguments: str) -> float:
        """The number that a program prints, run by so many threads."""
        environment = {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true", "OMP_DYNAMIC": "false"}
        done = run([program, *arguments], self.folder, TIMEOUT, environment)
        try:
            value = float(done.stdout)
        except ValueError:
            value = 0.0
        if done.status != 0 or value <= 0:
            raise UserError(f"the program {program.name}, which measures, {done.ending}: {done.complaint}")
        return value


def keys_of(command: Sequence[str | Path], folder: Path) -> dict[str, str]:
    """What a program prints as lines `key value`; nothing where it fails."""
    try:
        done = run(command, folder, TIMEOUT)
    except OSError:
        return {}
    lines = done.stdout.decode(errors="replace").splitlines() if done.status == 0 else []
    return {key: value.strip() for key, _, value in (line.partition(" ") for line in lines)}


def gpu_name(folder: Path) -> str | None:
    """The first GPU's name, where a driver answers."""
    if not shutil.which("nvidia-smi"):
        return None
    found = run(["nvidia-smi", "-L"], folder, TIMEOUT)
    lines = found.stdout.decode(errors="replace").splitlines() if found.status == 0 else []
    return lines[0] if lines else None
