"""Builds programs that record: with calls before accesses (-fsanitize=thread), which a recorder answers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import run
from cuvier.verification.prebuilt import OBJECT, build
from cuvier.verification.toolchain import BUILD_TIMEOUT, Toolchain, check_built

_HERE = Path(__file__).parent / "recorder"
# One access of the source is one access of the program: no vectors, no calls for loops, no unrolled copies.
_PLAIN = ("-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-tree-loop-distribute-patterns")
_RECORDED = ("-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0")
_FLAGS = ("-O2", "-g", "-w", "-ffp-contract=off", "-fno-pie", *_PLAIN)
_NEEDS_GCC = "the recorder needs gcc and g++; name them with --cc or CC, and with CXX"


@dataclass(frozen=True)
class Builder:
    """Builds into a folder, which holds generated files already."""

    toolchain: Toolchain
    source: Path
    folder: Path
    openmp: tuple[str, ...] = ()

    def sequential(self) -> Path:
        """The user's own program."""
        chain, folder = self.toolchain, self.folder
        recorder = [*chain.cc, "-O2", "-w", "-c", str(_HERE / "sequential.c"), "-o", OBJECT]
        check_built(build(recorder, folder / "recorder.o", BUILD_TIMEOUT), "the recorder", _NEEDS_GCC)
        command = [*_FLAGS, *_RECORDED, *chain.language, *self.openmp, "-x", "c", "-c", self.source.resolve()]
        chain.compile([*map(str, command), "-o", "program.o"], folder, f"the program {self.source}")
        linked = ["-no-pie", "program.o", "recorder.o", *self.openmp, "-lm", "-o", "program"]
        chain.compile(linked, folder, f"the program {self.source}")
        return folder / "program"

    def kernels(self, files: Mapping[str, str]) -> Path:
        """A generated CUDA program, on the host shim."""
        from skeletons.shim import build_command, shim_include_dir, translate

        cxx = os.environ.get("CXX", "g++")
        if not shutil.which(cxx):
            raise UserError(f"no C++ compiler '{cxx}', which the host shim needs; apt-get install g++")
        shim = ("-DCUVIER_SHIM_LIBRARY", f"-I{shim_include_dir()}")
        recorder = [cxx, "-std=c++17", "-O2", "-w", *shim, "-c", str(_HERE / "kernels.cpp"), "-o", OBJECT]
        check_built(build(recorder, self.folder / "recorder.o", BUILD_TIMEOUT), "the recorder", _NEEDS_GCC)
        objects = [self._host_object(name) for name in files if name.endswith(".c")]
        (kernels,) = (self.folder / name for name in files if name.endswith(".cu"))
        translated = kernels.with_suffix(".shim.cpp")
        translate(kernels, translated)
        flags = [*_FLAGS, *_RECORDED, *shim, *self._includes(), "-c"]
        self._run(build_command(cxx, translated, self.folder / "kernels.o", flags))
        program = self.folder / "program"
        self._run(
            [cxx, "-no-pie", *objects, "kernels.o", "recorder.o", *self.openmp, "-lm", "-o", str(program)]
        )
        return program

    def _includes(self) -> list[str]:
        beside = ("-iquote", str(self.source.resolve().parent), "-iquote", str(self.folder))
        return [*self.toolchain.macros, *beside]

    def _host_object(self, name: str) -> str:
        flags = ["-O2", "-g", "-w", "-fno-pie", *self._includes()]
        std = [f"-std={self.toolchain.std}"] if self.toolchain.std else []
        self._run([*self.toolchain.cc, *flags, *std, *self.openmp, "-c", name, "-o", f"{name}.o"])
        return f"{name}.o"

    def _run(self, command: list[str]) -> None:
        check_built(run(command, self.folder, BUILD_TIMEOUT), "the program that records", _NEEDS_GCC)
