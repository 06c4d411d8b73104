"""Who takes part: each contender makes one executable (or command) per program, or says why it cannot.

A peer is somebody whose time Cuvier's is compared with.  The library of matrix products is none: it is shown
beside them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cuvier.bench.contenders import POLLY, has_polly

from .programs import BENCHMARKS, Program

ROOT = BENCHMARKS.parent
HARNESS = Path(__file__).parent
BLAS = HARNESS / "blas.py"
PRODUCTS = ("gemm", "2mm", "3mm", "doitgen", "symm", "syr2k", "syrk", "trmm")
BUILD_TIMEOUT = 300.0  # seconds


class BuildError(Exception):
    """A contender has nothing to run for a program."""


class Unsuitable(Exception):
    """A contender does not take part in this program: that is no failure."""


@dataclass(frozen=True)
class Workshop:
    """What all contenders build with."""

    threads: int
    flags: tuple[str, ...] = ("-O3", "-march=native")
    gcc: str = "gcc"
    clang: str | None = None
    pluto: str | None = None
    ppcg: str | None = None
    python: str = sys.executable
    machine: Path | None = None  # what `cuvier machine` wrote; None: Cuvier does not know the machine

    def run(self, *command: str | Path) -> str:
        """Run a command; what it prints.  BuildError with its first words of complaint where it fails."""
        words = [str(word) for word in command]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=BUILD_TIMEOUT, cwd=ROOT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BuildError(str(error)) from error
        if done.returncode:
            raise BuildError(complaint(done.stderr or done.stdout) or f"exit status {done.returncode}")
        return done.stdout


Command = list[str]


@dataclass(frozen=True)
class Contender:
    """`build` writes into a folder of its own and gives the command that takes RUNS and SECONDS."""

    key: str
    title: str
    build: Callable[[Workshop, Program, Path], Command]
    missing: Callable[[Workshop], str | None] = field(default=lambda _: None)
    peer: bool = True
    optional: bool = False


def complaint(text: str) -> str:
    """The line of a compiler's output that says what is wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    return next((line for line in lines if re.search(r"error|fatal", line, re.I)), lines[0] if lines else "")


def compiled(
    shop: Workshop, compiler: str, program: Program, text: str, folder: Path, *flags: str
) -> Command:
    """Compile a text with the driver."""
    source, executable = folder / f"{program.name}.c", folder / program.name
    source.write_text(text, encoding="utf-8")
    driver = timing_object(shop, folder)
    options = [*shop.flags, *flags, "-Dmain=program_main", *program.macros]
    shop.run(compiler, *options, "-o", executable, source, driver, "-lm")
    return [str(executable)]


def timing_object(shop: Workshop, folder: Path) -> Path:
    driver = folder / "timing.o"
    shop.run(shop.gcc, "-O2", "-c", "-o", driver, HARNESS / "timing.c")
    return driver


def gcc(shop: Workshop, program: Program, folder: Path) -> Command:
    return compiled(shop, shop.gcc, program, program.timed(), folder)


def gcc_parallel(shop: Workshop, program: Program, folder: Path) -> Command:
    flags = (f"-ftree-parallelize-loops={shop.threads}", "-floop-parallelize-all")
    return compiled(shop, shop.gcc, program, program.timed(), folder, *flags)


def clang(shop: Workshop, program: Program, folder: Path) -> Command:
    return compiled(shop, str(shop.clang), program, program.timed(), folder)


def another_compiler(name: str, command: tuple[str, ...]) -> Contender:
    """A peer that is not among `CONTENDERS`: a C compiler, with flags beside those that all have."""

    def build(shop: Workshop, program: Program, folder: Path) -> Command:
        compiler, *flags = command
        return compiled(shop, compiler, program, program.timed(), folder, *flags)

    def missing(_: Workshop) -> str | None:
        return None if shutil.which(command[0]) else f"no {command[0]}"

    return Contender(name, name, build, missing)


def polly(shop: Workshop, program: Program, folder: Path) -> Command:
    return compiled(shop, str(shop.clang), program, program.timed(), folder, *POLLY)


def _polyhedral(shop: Workshop, program: Program, folder: Path, *command: str) -> Command:
    """Source to source: COMMAND in.c -o out.c, then gcc."""
    source, out = folder / "in.c", folder / "out.c"
    source.write_text(program.as_scop(), encoding="utf-8")
    shop.run(*command, source, "-o", out)
    return compiled(shop, shop.gcc, program, out.read_text(encoding="utf-8"), folder, "-fopenmp")


def pluto(shop: Workshop, program: Program, folder: Path) -> Command:
    return _polyhedral(shop, program, folder, str(shop.pluto), "--parallel", "--tile")


def ppcg(shop: Workshop, program: Program, folder: Path) -> Command:
    flags = ["--target=c", "--openmp", "--tile", *program.macros]
    return _polyhedral(shop, program, folder, str(shop.ppcg), *flags)


def by_hand(shop: Workshop, program: Program, folder: Path) -> Command:
    if not program.peer.exists():
        raise BuildError(f"no {program.peer.relative_to(ROOT)}")
    return compiled(shop, shop.gcc, program, program.by_hand(), folder, "-fopenmp")


def blas(shop: Workshop, program: Program, folder: Path) -> Command:
    if program.name not in PRODUCTS:
        raise Unsuitable
    sizes = [f"{name}={int(program.amount(name))}" for name in program.size_names]
    return [shop.python, str(BLAS), program.name, *sizes]


def _cuvier(shop: Workshop, program: Program, folder: Path, target: str) -> Command:
    """Cuvier's program, by its own Makefile, with the flags that all have."""
    source, out = folder / f"{program.name}.c", folder / "out"
    source.write_text(program.timed(), encoding="utf-8")
    cuvier = (sys.executable, "-m", "cuvier", "compile")
    described = ("--machine", shop.machine) if shop.machine else ()
    shop.run(*cuvier, source, "--target", target, "-o", out, *described, *program.macros)
    libraries = re.findall(r"^LDLIBS = (.*)$", (out / "Makefile").read_text(encoding="utf-8"), re.M)
    flags = " ".join([*shop.flags, "-Dmain=program_main"])
    driver = timing_object(shop, folder)
    libs = f"LDLIBS={driver} {' '.join(libraries)}"
    shop.run("make", "-s", "-C", out, f"CC={shop.gcc}", f"CFLAGS={flags}", libs)
    return [str(out / program.name)]


def cuvier_openmp(shop: Workshop, program: Program, folder: Path) -> Command:
    return _cuvier(shop, program, folder, "openmp")


def cuvier_opencl(shop: Workshop, program: Program, folder: Path) -> Command:
    return _cuvier(shop, program, folder, "opencl")


def no_clang(shop: Workshop) -> str | None:
    return None if shop.clang else "no clang"


def no_polly(shop: Workshop) -> str | None:
    if shop.clang is None:
        return "no clang"
    return None if has_polly(shop.clang) else "this clang has no Polly"


def no_numpy(shop: Workshop) -> str | None:
    done = subprocess.run([shop.python, "-c", "import numpy"], capture_output=True, check=False)
    return "no NumPy (--python names an interpreter that has it)" if done.returncode else None


def no_opencl(_: Workshop) -> str | None:
    vendors = Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors"))
    return None if vendors.is_file() or any(vendors.glob("*.icd")) else "no OpenCL driver"


CONTENDERS = (
    Contender("gcc", "gcc -O3", gcc),
    Contender("clang", "clang -O3", clang, no_clang),
    Contender("gcc-parallel", "gcc auto-par.", gcc_parallel),
    Contender("polly", "Polly", polly, no_polly),
    Contender("pluto", "Pluto", pluto, lambda shop: None if shop.pluto else "no --pluto"),
    Contender("ppcg", "PPCG", ppcg, lambda shop: None if shop.ppcg else "no --ppcg"),
    Contender("by-hand", "OpenMP by hand", by_hand),
    Contender("blas", "OpenBLAS", blas, no_numpy, peer=False),
    Contender("openmp", "Cuvier OpenMP", cuvier_openmp, peer=False),
    Contender("opencl", "Cuvier OpenCL", cuvier_opencl, no_opencl, peer=False, optional=True),
)
