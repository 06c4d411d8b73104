"""What programs for CUDA need: nvcc, a GPU with its driver, or a C++ compiler for the host shim."""

from __future__ import annotations

import os
import re
import shutil

from cuvier.base.processes import run
from cuvier.doctor.finding import Finding, good, missing, problem
from cuvier.doctor.site import HERE, Site, complaint
from cuvier.doctor.ways import packages
from cuvier.machine.probes import TIMEOUT, gpu_name
from species.core.command_lines import words_of

_TOOLKIT = "install the CUDA toolkit (developer.nvidia.com/cuda-downloads), or name its compiler with NVCC"
_HOST = "name a host compiler that it takes, as in NVCC='nvcc -ccbin gcc-12'"
_DRIVER = "install NVIDIA's driver; without one, `cuvier verify` runs kernels on the CPU"
_OTHER = "see what it says, or name another with NVCC"
_TAKEN = re.compile(r"gcc|g\+\+|clang|GNU|host compiler")
_PROGRAM = "cuda"


def nvcc(site: Site) -> Finding:
    """Does it compile a kernel?  The program is left for `gpu`."""
    command = words_of(os.environ.get("NVCC", "nvcc"))
    if not command or not shutil.which(command[0]):
        return missing("nvcc", f"there is no '{' '.join(command)}'", _TOOLKIT)
    flags = ["-arch=native"] if gpu_name(site.folder) else []
    words = [*command, *flags, str(HERE / "cuda.cu"), "-o", str(site.folder / _PROGRAM)]
    built = run(words, site.folder, TIMEOUT)
    if built.status != 0:
        why = complaint(built)
        way_out = _HOST if _TAKEN.search(why) else _OTHER
        return problem("nvcc", f"{command[0]} does not compile: {why}", way_out)
    told = run([*command, "--version"], site.folder, TIMEOUT).stdout.decode(errors="replace")
    release = re.search(r"release ([\d.]+)", told)
    return good("nvcc", f"CUDA {release[1] if release else '?'} ({shutil.which(command[0])}): compiles")


def gpu(site: Site) -> Finding:
    """Does a driver answer, and does a kernel run?"""
    name = gpu_name(site.folder)
    if name is None:
        return missing("GPU", "no driver answers (nvidia-smi)", _DRIVER)
    program = site.folder / _PROGRAM
    if not program.exists():
        return good("GPU", f"{name}; no kernel was tried, for want of nvcc")
    trial = site.ran(program)
    if trial.not_run:
        return problem("GPU", f"{name} runs no kernel: {trial.not_run}", "install a driver as new as nvcc")
    return good("GPU", f"{trial.printed}: runs a kernel")


def host_shim(_: Site) -> Finding:
    """With which `cuvier verify` runs kernels where there is no GPU."""
    command = os.environ.get("CXX", "g++")
    place = shutil.which(command)
    if place is None:
        way_out = f"{packages('g++')}, or name one with CXX"
        return missing("host shim", f"there is no '{command}', which runs kernels on the CPU", way_out)
    return good("host shim", f"{place}, for kernels on the CPU")
