"""How the generated program is built and what it runs on: the CPU, an OpenCL device, a GPU, the host shim."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import run
from cuvier.machine.probes import gpu_name
from cuvier.verification.prebuilt import OBJECT, build
from cuvier.verification.programs import Programs
from cuvier.verification.toolchain import (
    BUILD_TIMEOUT,
    HERE,
    SANITIZERS,
    Toolchain,
    check_built,
    watch_header,
)
from runtime import WRAPPED
from skeletons.body.simd_sums import simd_flags
from skeletons.program.library_files import BLAS
from species.core.command_lines import words_of

SHIM = "host-shim"
THREADS = "4"  # more than most small machines have cores: races show
REPORT = "run again with --keep DIR to look at it, and report it"
_NO_BLAS = "--with library needs a BLAS (apt-get install libopenblas-dev; BLAS_LIBS, BLAS_FLAGS: another one)"
_NO_CUBLAS = "--with library needs cuBLAS; the host shim has none (CUBLAS_FLAGS, CUBLAS_LIBS: another)"
_NO_OPENCL = "install one: apt-get install pocl-opencl-icd ocl-icd-opencl-dev"


@dataclass(frozen=True)
class Built:
    """An executable, and what is to be said of it."""

    program: Path
    device: str
    notes: tuple[str, ...] = ()
    hosted: bool = True  # with the mathematical functions of the host
    emulated: bool = False  # as many devices as are asked for


@dataclass(frozen=True)
class Workshop:
    """What building needs: the compiler, the user's file, a directory to work in, and the watch library."""

    toolchain: Toolchain
    source: Path
    directory: Path  # holds the generated program
    guards: tuple[str, ...]  # the watch library for the link line, with guarded memory
    watch: tuple[str, ...]  # the one to be used: the same, or that which goes with the sanitizers
    sanitize: bool
    begun: bool = False  # the directory holds what was made of the same files with the same flags

    @property
    def executable(self) -> Path:
        """What the generated Makefile builds."""
        return self.executable_in(self.directory)

    def executable_in(self, folder: Path) -> Path:
        """The same, in another folder."""
        return folder / self.source.stem

    def make(self, *variables: str) -> None:
        """Run the generated program's Makefile; UserError shows what the compiler said."""
        if not shutil.which("make"):
            raise UserError(
                "no 'make' on this machine, which builds the generated program; apt-get install make"
            )
        outcome = run(["make", "-C", self.directory, *variables], Path.cwd(), BUILD_TIMEOUT)
        rules = self.directory / "Makefile"
        text = rules.read_text(encoding="utf-8") if rules.exists() else ""
        missing = _NO_CUBLAS if "CUBLAS_LIBS" in text else _NO_BLAS if "BLAS_LIBS" in text else REPORT
        check_built(outcome, "the generated program", missing)


def build_generated(programs: Programs, workshop: Workshop, device: str | None) -> Built:
    """Write and build the generated program for the device that the user chose, or the best there is."""
    for name, text in programs.generated.items():
        file, content = workshop.directory / name, text.encode("utf-8", "surrogateescape")
        if not workshop.begun or not file.exists() or file.read_bytes() != content:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    cuda = [name for name in programs.generated if name.endswith(".cu")]
    if workshop.sanitize and not cuda and programs.target.accelerator:
        raise UserError(
            f"--sanitize does not work with target {programs.target.name}; it does with the CPU targets"
            " and with the host shim of CUDA"
        )
    if device is not None and (device != SHIM or not cuda):
        raise UserError(
            f"no device '{device}' for target {programs.target.name}; CUDA programs have --device {SHIM}"
        )
    if cuda:
        return _build_cuda(programs, workshop, forced=device is not None)
    hosted = not any(name.endswith(".cl") for name in programs.generated)
    return replace(_build_host(workshop, _describe(programs, workshop)), hosted=hosted)


def _describe(programs: Programs, workshop: Workshop) -> str:
    if any(name.endswith(".cl") for name in programs.generated):
        return opencl_device(workshop.toolchain, workshop.directory)
    if programs.target.name == "openmp":
        return f"{os.environ.get('OMP_NUM_THREADS', THREADS)} OpenMP threads"
    return "the CPU"


def opencl_device(toolchain: Toolchain, directory: Path) -> str:
    """The name of the OpenCL device; UserError where there is none."""
    probe = directory / "opencl_probe"
    command = [*toolchain.cc, str(HERE / "opencl_probe.c"), "-w", "-lOpenCL", "-o", OBJECT]
    if build(command, probe, BUILD_TIMEOUT).status != 0:
        raise UserError(f"no OpenCL headers or library on this machine; {_NO_OPENCL}")
    probe.chmod(0o700)
    found = run([probe], directory, BUILD_TIMEOUT)
    if found.status != 0:
        raise UserError(f"no OpenCL platform on this machine; {_NO_OPENCL}")
    return found.stdout.decode(errors="replace").strip()


def _compiler(workshop: Workshop) -> list[str]:
    """The C compiler with its flags; those that link are harmless where it only compiles."""
    sanitizers = [SANITIZERS, "-fno-omit-frame-pointer"] if workshop.sanitize else []
    chain = workshop.toolchain
    return [*chain.cc, *chain.common, *sanitizers, *watch_header()]


def _build_host(workshop: Workshop, device: str) -> Built:
    """CC names all flags, so the Makefile's own ways to compile and to link are tried as they are."""
    workshop.make(f"CC={shlex.join([*_compiler(workshop), *workshop.watch])}", "CFLAGS=")
    return Built(workshop.executable, device)


def _build_cuda(programs: Programs, workshop: Workshop, forced: bool) -> Built:
    nvcc = words_of(os.environ.get("NVCC", "nvcc"))
    compiled = shutil.which(nvcc[0]) is not None
    if compiled:
        host = shlex.join(_compiler(replace(workshop, sanitize=False)))
        libraries = shlex.join(["-lm", *_nvcc_flags(workshop.guards)])
        workshop.make(f"NVCC={shlex.join(nvcc)}", f"CC={host}", "CFLAGS=", f"LDLIBS={libraries}")
    notes = (f"compiled by nvcc: {'yes' if compiled else 'no, there is none on this machine'}",)
    gpu = gpu_name(Path.cwd()) if compiled and not forced and not workshop.sanitize else None
    if gpu:
        return Built(workshop.executable, gpu, notes, hosted=False)
    shim = _build_shim(programs, workshop)
    return Built(shim, "host shim (the kernels run on the CPU)", notes, emulated=True)


def _nvcc_flags(watch: Sequence[str]) -> list[str]:
    """What links the watch library, as nvcc wants it."""
    linker = [word for flag in watch if flag.startswith("-Wl,") for word in ("-Xlinker", flag[4:])]
    return [*linker, *(name for name in watch if not name.startswith("-Wl,"))]


def _library_flags(programs: Programs) -> list[str]:
    """What the environment says of the library that the program calls, if it calls one."""
    given = [os.environ.get(name, "") for name in ("CUBLAS_FLAGS", "CUBLAS_LIBS")]
    return [word for text in given for word in shlex.split(text)] if BLAS in programs.generated else []


def _build_shim(programs: Programs, workshop: Workshop) -> Path:
    """The C files as they are and the CUDA files as C++, linked to one program."""
    from skeletons.shim import build_command, library_command, translate

    cxx, folder, chain = os.environ.get("CXX", "g++"), workshop.directory, workshop.toolchain
    if not shutil.which(cxx):
        raise UserError(
            f"no C++ compiler '{cxx}', which the host shim needs; apt-get install g++, or set CXX"
        )
    flags = [*chain.macros, "-iquote", str(workshop.source.resolve().parent), "-iquote", str(folder)]
    objects = []
    for name, text in ((name, text) for name, text in programs.generated.items() if name.endswith(".c")):
        objects.append(f"{name}.o")
        std = chain.language[:1] if chain.std else ()
        openmp = programs.openmp or simd_flags(text)  # as in the Makefile
        command = [*_compiler(workshop), *std, *openmp, *flags, "-c", name, "-o", objects[-1]]
        check_built(run(command, folder, BUILD_TIMEOUT), "the generated program", REPORT)
    (source,) = (folder / name for name in programs.generated if name.endswith(".cu"))
    translated, program = source.with_suffix(".shim.cpp"), folder / f"{workshop.source.stem}.shim"
    translate(source, translated)
    extra = [*chain.common, *flags, *_library_flags(programs), *objects, *workshop.watch, *programs.openmp]
    if "cgcm_wrap.c" in programs.generated:  # the library that knows blocks of memory
        extra += [f"-Wl,--wrap={name}" for name in WRAPPED]
    library = folder / "shim.o"
    shim = library_command(cxx, Path(OBJECT), chain.common, sanitize=workshop.sanitize)
    check_built(build(shim, library, BUILD_TIMEOUT), "the host shim", REPORT)
    command = build_command(cxx, translated, program, extra, sanitize=workshop.sanitize, library=library)
    way_out = _NO_CUBLAS if BLAS in programs.generated else REPORT
    check_built(run(command, folder, BUILD_TIMEOUT), "the generated program on the host shim", way_out)
    return program
