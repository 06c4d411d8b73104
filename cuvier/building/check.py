"""Gives the files of a program to the compilers of this machine, which write nothing."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from cuvier.base.processes import Outcome, run
from cuvier.building.faults import Fault, first_fault
from skeletons import Program, write_program
from species.core.command_lines import words_of
from species.source import PreprocessOptions, find_compiler

_HERE = Path(__file__).parent
TIME_LIMIT = 120.0  # seconds for each compiler
_ARCHITECTURE = "sm_80"  # the first with all that kernels use


@dataclass(frozen=True)
class Opinion:
    """What a compiler says of the files that it was given: a fault, nothing, or `unable`, why it was not
    asked, or did not answer.
    """

    files: str
    compiler: str
    fault: Fault | None = None
    unable: str = ""

    def __str__(self) -> str:
        return f"{self.files}: {self.unable or f'{self.compiler} takes it'}"


def opinions(program: Program, options: PreprocessOptions) -> tuple[Opinion, ...]:
    """What the compilers say of a program: the C compiler, and for device code an OpenCL runtime or nvcc."""
    with TemporaryDirectory(prefix="cuvier-check-") as name:
        folder = Path(name)
        write_program(program, folder)
        asked: list[Callable[[], Opinion]] = [lambda: _host(program, folder, options)]
        for file in program.files:
            ask = {".cl": _opencl, ".cu": _cuda}.get(Path(file).suffix)
            if ask is not None:
                asked.append(lambda ask=ask, file=file: ask(program, folder, file))  # type: ignore[misc]
        with ThreadPoolExecutor() as pool:
            return tuple(pool.map(lambda each: each(), asked))


def _host(program: Program, folder: Path, options: PreprocessOptions) -> Opinion:
    """By the program's own Makefile, so that its flags are tried as well."""
    files = ", ".join(name for name in program.files if name.endswith(".c") and not name.startswith("cgcm"))
    compiler = find_compiler(options)
    if compiler is None or not shutil.which(compiler[0]):
        return Opinion(files, "", unable="not checked, there is no C compiler")
    if "Makefile" not in program.files or not shutil.which("make"):
        return Opinion(files, compiler[0], unable="not checked, there is no make, or no Makefile")
    is_device = any(Path(name).suffix in (".cl", ".cu") for name in program.files)
    objects = [f"{Path(name).stem}.o" for name in files.split(", ")] if is_device else []
    syntax = shlex.join([*compiler, "-fsyntax-only", "-w"])
    command = ["make", "-s", "-C", str(folder), f"CC={syntax}", "CFLAGS=", *objects]
    return _opinion(files, compiler[0], command, folder, program)


def _opencl(program: Program, folder: Path, file: str) -> Opinion:
    command = [sys.executable, "-I", str(_HERE / "opencl.py"), str(folder / file)]
    return _opinion(file, "the OpenCL runtime", command, folder, program)


def _cuda(program: Program, folder: Path, file: str) -> Opinion:
    """Only what comes before machine code: that is quick, and finds what is no CUDA."""
    nvcc = words_of(os.environ.get("NVCC", "nvcc"))
    if not nvcc or not shutil.which(nvcc[0]):
        return Opinion(file, "nvcc", unable="not checked, there is no nvcc")
    flags = ["-w", "-ptx", "-Xcicc", "-O0", f"-arch={_ARCHITECTURE}", "-o", os.devnull]
    more = shlex.split(os.environ.get("CUBLAS_FLAGS", ""))
    return _opinion(file, "nvcc", [*nvcc, *flags, *more, file], folder, program)


def _opinion(files: str, compiler: str, command: list[str], folder: Path, program: Program) -> Opinion:
    """Errors of the C compiler count, of others those in the program's own files; all else is a matter of the
    machine, say a missing library.
    """
    try:
        outcome = run(command, folder, TIME_LIMIT, {"LC_ALL": "C"})
    except OSError as error:
        return Opinion(files, compiler, unable=f"not checked, {compiler} cannot be run ({error})")
    if outcome.status == 0 and not outcome.timed_out:
        return Opinion(files, compiler)
    said = outcome.stderr.decode(errors="replace")
    fault = None if _lacks_header(said) or outcome.timed_out else first_fault(compiler, said)
    if fault is not None and files.endswith(".cl"):
        fault = replace(fault, file=files)  # the runtime has a name of its own for it
    if fault is not None and (fault.file in program.files or files.endswith(".c")):
        return Opinion(files, compiler, fault)
    return Opinion(files, compiler, unable=f"not checked, {_why(compiler, outcome)}")


def _lacks_header(said: str) -> bool:
    """Is there a header of a library missing, rather than one of the user's?"""
    return any(
        f"{name}: No such file" in said or f'"{name}"' in said
        for name in ("CL/cl.h", "cblas.h", "cublas_v2.h", "omp.h")
    )


def _why(compiler: str, outcome: Outcome) -> str:
    if outcome.timed_out:
        return f"{compiler} did not end within {TIME_LIMIT:.0f} s"
    if outcome.status == 2 and not outcome.complaint:
        return "there is no OpenCL runtime"
    return f"{compiler} {outcome.ending}: {outcome.complaint or 'no message'}"
