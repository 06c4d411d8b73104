"""What Cuvier's programs for accelerators run on, and how they are built for it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from species.source.text.code import identifier

from .contenders import PRODUCTS, BuildError, Command, Workshop, timing_object
from .programs import Program

SHIM = "host-shim"
DEVICES = {"cuda": "cuda", "opencl": "opencl", SHIM: "cuda"}  # and the targets that are compiled for them
_STAND_IN = {"CUBLAS_FLAGS", "CUBLAS_LIBS"}  # what names one for the host shim, which has no cuBLAS
_ASKED_FOR = ("library", "contraction-tensor")  # skeletons
_LAUNCH = re.compile(r"^/\* [^\n]*:(\d+), (\w+)\(\)\. \*/\n(?:extern \"C\" )?(?:void|int) (\w+)\(", re.M)
_SPECIES = re.compile(r"^/\* (.* -> .*) \*/\n(?:/\*.*\*/\n)?(?:void|int) (\w+)\(", re.M)


@dataclass(frozen=True)
class Variant:
    """One way to compile a program; `products`: makes sense for matrix products only; `double`: in it."""

    key: str
    options: tuple[str, ...] = ()
    products: bool = False
    double: bool = False


OURS = Variant("ours")
PLAIN = Variant("default", ("--skeleton", "default"))
LIBRARY = Variant("library", ("--with", "library"), products=True)
TENSOR = Variant("tensor", ("--with", "tensor-cores"), products=True, double=True)
VARIANTS = (OURS, PLAIN, LIBRARY, TENSOR)


@dataclass(frozen=True)
class Kernel:
    """What a kernel is, and what one launch has to do; None where that is not known before it runs."""

    name: str
    skeleton: str
    species: str
    bytes: float | None
    operations: float | None
    is_asked_for: bool = False  # its skeleton is taken only where `--with` says so
    is_timed: bool = True  # it stands in what the program's own formulas are about


@dataclass(frozen=True)
class Built:
    """A program that takes RUNS and SECONDS, and its kernels."""

    command: Command
    kernels: dict[str, Kernel]


@dataclass(frozen=True)
class Builder:
    """Compiles and builds for a device."""

    shop: Workshop
    device: str
    nvcc_flags: str = "-O3"
    arch: str | None = None  # None: that of this machine's GPU

    @property
    def target(self) -> str:
        return DEVICES[self.device]

    def wanted(self, program: Program) -> list[Variant]:
        """The variants of a program: the library where there is one."""
        products = self.target == "cuda" and program.name in PRODUCTS
        found = [v for v in VARIANTS if (products or not v.products) and not (v.double and program.single)]
        has_library = self.device != SHIM or set(os.environ) >= _STAND_IN
        return [variant for variant in found if has_library or variant is not LIBRARY]

    def build(self, program: Program, variant: Variant, folder: Path) -> Built:
        """The program in `folder`; BuildError where that fails."""
        folder.mkdir(parents=True, exist_ok=True)
        source, out = folder / f"{program.name}.c", folder / "out"
        source.write_text(program.timed(), encoding="utf-8")
        cuvier = (sys.executable, "-m", "cuvier", "compile", source, "--target", self.target, "--json")
        described = ("--machine", self.shop.machine) if self.shop.machine else ()
        told = self.shop.run(*cuvier, "-o", out, *described, *variant.options, *program.macros)
        texts = [file.read_text(encoding="utf-8") for file in sorted(out.glob("*_kernels.[ch]*"))]
        (self._shim if self.device == SHIM else self._make)(program, folder, out)
        return Built([str(out / program.name)], kernels_of(told, "".join(texts), inside(program)))

    def _make(self, program: Program, folder: Path, out: Path) -> None:
        """By the program's own Makefile."""
        libraries = re.findall(r"^LDLIBS = (.*)$", (out / "Makefile").read_text(encoding="utf-8"), re.M)
        flags = " ".join([*self.shop.flags, "-Dmain=program_main"])
        libs = f"LDLIBS={timing_object(self.shop, folder)} {' '.join(libraries)}"
        nvcc = [f"NVCCFLAGS={self.nvcc_flags}"] if self.target == "cuda" else []
        nvcc += [f"ARCH={self.arch}"] if self.arch else []
        self.shop.run("make", "-s", "-C", out, f"CC={self.shop.gcc}", f"CFLAGS={flags}", libs, *nvcc)

    def _shim(self, program: Program, folder: Path, out: Path) -> None:
        from skeletons.shim import build_command, translate

        host, name = out / "host.o", program.name
        self.shop.run(
            self.shop.gcc, *self.shop.flags, "-Dmain=program_main", "-c", "-o", host, out / f"{name}.c"
        )
        translate(out / f"{name}_kernels.cu", out / "kernels.cpp")
        given = [word for name in sorted(_STAND_IN) for word in shlex.split(os.environ.get(name, ""))]
        extra = ["-O1", "-I", str(out), str(host), str(timing_object(self.shop, folder)), *given]
        self.shop.run(*build_command("g++", out / "kernels.cpp", out / name, extra))

    def verified(self, program: Program, variant: Variant) -> str:
        """What `cuvier verify` says of the program at its own sizes: "" where all is equal."""
        command = [sys.executable, "-m", "cuvier", "verify", str(program.path), "--target", self.target]
        command += ["--device", SHIM] if self.device == SHIM else []
        try:
            self.shop.run(*command, *variant.options, "--timeout", "120")
        except BuildError as error:
            return str(error)
        return ""

    def name(self) -> str:
        """What the device is called."""
        if self.device == "cuda" and shutil.which("nvidia-smi"):
            query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
            found = subprocess.run(query, capture_output=True, text=True, check=False).stdout.split("\n")
            return found[0].strip() or "no GPU"
        return {SHIM: "host shim on the CPU", "cuda": "no GPU"}.get(self.device, "OpenCL device")


Place = tuple[int, str]  # a line and its function


def inside(program: Program) -> Callable[[Place], bool]:
    """Tells what stands between the calls that time, or in the kernel that is called there."""
    lines = program.timed().split("\n")
    first, last = (lines.index(f"  timing_{name}();") + 1 for name in ("start", "stop"))
    return lambda place: place[1] == program.kernel or (place[1] == "main" and first < place[0] < last)


def kernels_of(told: str, texts: str, is_timed: Callable[[Place], bool]) -> dict[str, Kernel]:
    """The kernels of a program, from what `cuvier compile --json` said and from the files it wrote."""
    species = {name: text for text, name in _SPECIES.findall(texts)}
    places = {name: (int(line), function) for line, function, name in _LAUNCH.findall(texts)}
    found = {}
    for kernel in json.loads(told)["kernels"]:
        name = identifier(kernel["kernel"])
        if kernel["skeleton"] is None or (name not in species and not kernel["work"]):
            continue
        work = kernel["work"] if kernel["work"] and not kernel["work"]["assumed"] else {}
        amounts = (work.get("bytes"), work.get("operations"))
        skeleton, timed = kernel["skeleton"], is_timed(places.get(name, (0, "")))
        found[name] = Kernel(
            name,
            skeleton,
            species.get(name, ""),
            *amounts,
            is_asked_for=skeleton in _ASKED_FOR,
            is_timed=timed,
        )
    return found
