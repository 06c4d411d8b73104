"""Programs compiled for accelerators, for tests: generated, built for shim, OpenCL or nvcc, and run."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir, mkdtemp

from cuvier.pipeline.generate import generate
from models.machine import DEFAULT, Machine
from skeletons import Choice, CompileOptions, Library, compile_unit, write_program
from skeletons.shim import build_command, library_command, shim_include_dir, translate
from species import AnalysisOptions, analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import TESTS
from transfers import around_kernels

PROGRAMS = TESTS / "skeletons_programs"
FLAGS = ("-O1", "-ffp-contract=off", "-std=gnu99", "-Wall", "-Wextra", "-Werror")
ORDERS = ("forward", "reverse", "random:7")  # of threads and blocks in the shim
ARCHITECTURES = ("sm_75", "sm_80", "sm_90")


@dataclass(frozen=True)
class Written:
    """A generated program in `folder`; `name` is the stem of its files."""

    name: str
    folder: Path
    choices: tuple[Choice, ...]

    @property
    def skeletons(self) -> list[str]:
        """The skeleton of every kernel in their order; kernels without one are left out."""
        return [c.skeleton.name for c in self.choices if c.skeleton is not None]

    def reason(self, skeleton: str, kernel: int = 0) -> str:
        """What was said of a skeleton for a kernel."""
        return next(text for name, _, text in self.choices[kernel].why if name == skeleton)


def written(
    source: Path,
    target: str,
    folder: Path,
    parameters: Mapping[str, int] | None = None,
    strict_fp: bool = False,
    machine: Machine = DEFAULT,
    options: CompileOptions | None = None,
) -> Written:
    """The program of `source` for a target, on disk; `options` take the place of what else is said."""
    unit = read_translation_unit(str(source), PreprocessOptions())
    facts = analyse(unit)
    short = frozenset({"threshold"} if target == "openmp" else ())  # loops are to be taken, too
    said = CompileOptions(parameters=parameters or {}, strict_fp=strict_fp, machine=machine, without=short)
    options = options or said
    program = compile_unit(unit, facts, around_kernels(facts), target, Library.load(), options)
    write_program(program, folder)
    return Written(source.stem, folder, program.choices)


def resident(source: Path, target: str, folder: Path, options: CompileOptions | None = None) -> Written:
    """The program of `source` as `cuvier compile` writes it, on disk: data stays on the device."""
    wanted = options or CompileOptions()
    flags, analysis = PreprocessOptions(), AnalysisOptions(scops=True, parts=bool(wanted.beside))
    unit = read_translation_unit(str(source), flags)
    facts = analyse(unit, analysis)
    program = generate(unit, facts, target, Library.load(), flags, analysis, wanted)
    write_program(program, folder)
    return Written(source.stem, folder, program.choices)


def run(*command: str | Path, order: str = "forward", **settings: str) -> str:
    """What a command prints, with more settings in its environment; AssertionError with its complaints if it
    fails.
    """
    environment = {**os.environ, "CUVIER_SHIM_ORDER": order, **settings}
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout


def build_plain(source: Path, folder: Path, flags: Sequence[str] = ()) -> Path:
    """The program as it was written."""
    run("gcc", *FLAGS, *flags, source, "-o", folder / "plain", "-lm")
    return folder / "plain"


def build_shim(program: Written, flags: Sequence[str] = ()) -> Path:
    """The CUDA program for the host shim, under sanitizers."""
    host = program.folder / f"{program.name}.o"
    device = program.folder / f"{program.name}_kernels.cpp"
    binary = program.folder / program.name
    quiet = [flag for flag in flags if flag.startswith("-W")]
    run("gcc", *FLAGS, "-fopenmp-simd", *quiet, "-c", program.folder / f"{program.name}.c", "-o", host)
    translate(program.folder / f"{program.name}_kernels.cu", device)
    others = [flag for flag in flags if flag not in quiet]
    extra = [str(host), "-I", str(program.folder), *others, *_library(program), *_SOON]
    extra += ["-iquote", str(_shim_header().parent)]
    run(*build_command("g++", device, binary, extra, sanitize=True, library=shim_library()))
    return binary


_CALLS = ("-g0", "--param=asan-instrumentation-with-call-threshold=0")
_SOON = (*_CALLS, *(["-fuse-ld=gold"] if shutil.which("ld.gold") else []))  # what builds a program sooner


@cache
def shim_library() -> Path:
    """The host shim under sanitizers, as an object; processes that test the same shim share it."""
    return _of_shim("shim.o", lambda made: library_command("g++", made, ["-O1"], sanitize=True))


@cache
def _shim_header() -> Path:
    """The shim's header, compiled for `build_shim`."""

    def command(made: Path) -> list[str]:
        header = shim_include_dir() / "cuda_runtime.h"
        wanted = build_command("g++", header, made, _CALLS, sanitize=True, library=shim_library())
        flags = wanted[1 : wanted.index("-x")]
        return ["g++", *flags, *_CALLS, "-w", "-x", "c++-header", str(header), "-o", str(made)]

    return _of_shim("cuda_runtime.h.gch", command)


def _of_shim(name: str, command: Callable[[Path], list[str]]) -> Path:
    """What a command makes of the shim, in a folder that processes share until compiler or shim change."""
    key = sha256(run("g++", "--version").encode())
    for source in sorted(
        path for kind in ("h", "cpp", "py") for path in shim_include_dir().rglob(f"*.{kind}")
    ):
        key.update(str(source).encode() + source.read_bytes())
    folder = Path(gettempdir()) / f"cuvier-shim-{os.getuid()}" / key.hexdigest()
    folder.mkdir(mode=0o700, exist_ok=True, parents=True)
    built = folder / name
    if not built.exists():
        with TemporaryDirectory(dir=folder) as own:
            made = Path(own) / name
            run(*command(made))
            made.replace(built)
    return built


def _library(program: Written) -> list[str]:
    """What programs with tables of rows are linked with."""
    makefile = (program.folder / "Makefile").read_text()
    if "WRAP" not in makefile:
        return []
    _give_library(program.folder, FLAGS)
    (wrapped,) = re.findall(r"--wrap=\S+", makefile)
    objects = [str(program.folder / f"{name}.o") for name in ("cgcm", "cgcm_wrap")]
    return [f"-Wl,{wrapped}", *objects]


def _give_library(folder: Path, flags: Sequence[str]) -> None:
    """Puts the objects of the library of allocation units beside a program that needs it."""
    for source in folder.glob("cgcm*.c"):
        built = _objects() / f"{source.stem}{abs(hash((source.read_text(), *flags)))}.o"
        if not built.exists():
            run("gcc", *flags, "-c", source, "-o", built)
        shutil.copy(built, folder / f"{source.stem}.o")


@cache
def _objects() -> Path:
    """A folder for objects that all programs of a test run have."""
    folder = Path(mkdtemp(prefix="cuvier-objects-"))
    atexit.register(shutil.rmtree, folder)
    return folder


def build_opencl(program: Written, flags: Sequence[str] = ()) -> Path:
    """The OpenCL program; what the host does, which is not much, is compiled in a hurry."""
    flags = ("-O0", *FLAGS[1:], *flags)
    _give_library(program.folder, flags)
    run("make", "-C", program.folder, f"CFLAGS={' '.join(flags)}")
    return program.folder / program.name


def build_openmp(program: Written, flags: Sequence[str] = ()) -> Path:
    """The OpenMP program, under sanitizers."""
    binary, source = program.folder / program.name, program.folder / f"{program.name}.c"
    run("gcc", *FLAGS, "-fopenmp", "-fsanitize=address,undefined", *flags, source, "-o", binary, "-lm")
    return binary


_DEVICES = """
#include <CL/cl.h>
int main(void)
{
    cl_platform_id platform;
    cl_uint count = 0;
    if (clGetPlatformIDs(1, &platform, &count) || count == 0)
        return 1;
    return clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, 0, &count) || count == 0;
}
"""


@cache
def has_opencl() -> bool:
    """Is there an OpenCL device, and can programs for it be built?"""
    if shutil.which("gcc") is None:
        return False
    with TemporaryDirectory() as folder:
        program = f"{folder}/devices"
        command = ["gcc", "-DCL_TARGET_OPENCL_VERSION=120", "-x", "c", "-", "-lOpenCL", "-o", program]
        built = subprocess.run(command, input=_DEVICES, text=True, capture_output=True, check=False)
        return built.returncode == 0 and subprocess.run([program], check=False).returncode == 0


def spills(program: Written, architecture: str, flags: Sequence[str] = ()) -> list[str]:
    """Compile the kernels with nvcc, warnings being errors; the lines of ptxas that speak of spills."""
    source = program.folder / f"{program.name}_kernels.cu"
    command = ["nvcc", "-O2", "--fmad=false", f"-arch={architecture}", "-Xptxas", "-v", "-cubin"]
    command += [*flags, "-Werror", "all-warnings", "-o", str(program.folder / "kernels.cubin"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: Sequence[str] = re.findall(r"\d+ bytes spill stores, \d+ bytes spill loads", done.stderr)
    assert found, done.stderr
    return [line for line in found if line != "0 bytes spill stores, 0 bytes spill loads"]
