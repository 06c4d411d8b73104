"""A program with versions in its folder: what it says of itself, how it is built, and how it is run."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuvier.base.errors import UserError
from cuvier.base.processes import Outcome, run
from cuvier.batch.flags import read_command
from skeletons.program.manifest import SUFFIX
from species.source import PreprocessOptions

BUILD_SECONDS = 600.0
_KEYS = {"program", "source", "target", "std", "include_dirs", "defines", "flags", "kernels"}
_RECOMPILE = "cuvier compile FILE --target opencl,openmp -o DIR writes one"


@dataclass(frozen=True)
class VersionedProgram:
    """The folder of a program for a device and the host, and its manifest (`skeletons.program.manifest`)."""

    folder: Path
    manifest: Mapping[str, Any]

    @staticmethod
    def read(folder: Path) -> VersionedProgram:
        """UserError where there is none, or several."""
        if not folder.is_dir():
            raise UserError(f"{folder}: no such folder: {_RECOMPILE}")
        found = sorted(folder.glob(f"*{SUFFIX}"))
        if len(found) != 1:
            what = "several programs" if found else "no program with versions for a device and the host"
            raise UserError(f"{folder}: {what} in it: {_RECOMPILE}")
        try:
            of = json.loads(found[0].read_text(encoding="utf-8"))
        except ValueError as error:
            raise UserError(f"{found[0]}: not the JSON that `cuvier compile` writes: {error}") from error
        if not isinstance(of, dict) or not of.keys() >= _KEYS or f"{of['program']}{SUFFIX}" != found[0].name:
            raise UserError(f"{found[0]}: not what `cuvier compile` writes")
        return VersionedProgram(folder, of)

    @property
    def name(self) -> str:
        """The program's, and that of its files."""
        return str(self.manifest["program"])

    @property
    def hashes(self) -> dict[str, str]:
        """Of the kernels' texts, by kernel."""
        return {each["name"]: each["hash"] for each in self.manifest["kernels"]}

    @property
    def preprocess(self) -> PreprocessOptions:
        """How its source is read; a folder may be another's: compilers get flags that preprocess only."""
        of = self.manifest
        said = read_command(["cc", *of["flags"], of["source"]], of["source"], str)
        return PreprocessOptions(
            include_dirs=tuple(of["include_dirs"]),
            defines=tuple(of["defines"]),
            flags=(*said.flags, *said.machine),
            std=of["std"],
        )

    @property
    def has_threads(self) -> bool:
        """Do threads share the loops of the versions for the host?"""
        return str(self.manifest["target"]).endswith(",openmp")

    @property
    def is_cuda(self) -> bool:
        return str(self.manifest["target"]).startswith("cuda")

    def build(self) -> None:
        """Run make; UserError where it fails."""
        done = run(["make", "-s", "-C", self.folder.resolve()], self.folder, BUILD_SECONDS)
        if done.status != 0:
            raise UserError(f"make -C {self.folder} {done.ending}: {done.complaint}")
        if not (self.folder / self.name).exists():
            raise UserError(f"{self.folder}: it has no main function, so there is no program to run")

    def run(self, arguments: Sequence[str], policy: str, threads: int, timeout: float) -> Mapping[str, Any]:
        """What launches took, as `CUVIER_PROFILE` writes it; ProgramFailed where the program fails."""
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "profile.json"
            settings = {"CUVIER_PROFILE": str(log), "CUVIER_POLICY": policy, "OMP_NUM_THREADS": str(threads)}
            done = run([(self.folder / self.name).resolve(), *arguments], Path.cwd(), timeout, settings)
            if done.status != 0 or not log.exists():
                raise ProgramFailed(policy, done)
            found: Mapping[str, Any] = json.loads(log.read_text(encoding="utf-8"))
            return found


class ProgramFailed(Exception):
    """A run of the program came to no good end."""

    def __init__(self, policy: str, outcome: Outcome) -> None:
        said = outcome.complaint or "it wrote no profile"
        super().__init__(f"by policy {policy} the program {outcome.ending}: {said}")


def thread_counts() -> list[int]:
    """Of this machine: 1, 2, 4 and so on, and all."""
    cores = len(os.sched_getaffinity(0))
    return sorted({1 << k for k in range(cores.bit_length()) if 1 << k <= cores} | {cores})
