"""Accelerators: asked and measured by programs for CUDA and for OpenCL, where there is a device."""

from __future__ import annotations

import os
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

from cuvier.base.processes import run
from cuvier.machine.probes import HERE, TIMEOUT, Probes, gpu_name, keys_of
from models.machine import Device
from species.core.command_lines import words_of

_TEXTS = frozenset(("api", "name", "kind", "architecture"))
_REALS = frozenset(("bandwidth", "single", "double", "launch", "latency", "copying", "opening", "watts"))


def cuda(folder: Path) -> tuple[Device | None, str]:
    """The first CUDA device; None, and why, where there is none or it cannot be asked."""
    if gpu_name(folder) is None:
        return None, "no CUDA device"
    nvcc = words_of(os.environ.get("NVCC", "nvcc"))
    if not shutil.which(nvcc[0]):
        return None, "a CUDA device, but no nvcc to measure it with (set NVCC, or put it on the PATH)"
    program = folder / "cuda"
    done = run([*nvcc, "-O3", "-arch=native", str(HERE / "cuda.cu"), "-o", str(program)], folder, TIMEOUT)
    if done.status != 0:
        return None, f"nvcc does not build cuda.cu, which measures: {done.complaint}"
    return _asked("cuda", program, folder)


def opencl(probes: Probes) -> tuple[Device | None, str]:
    """The OpenCL device that generated programs would take; None, and why, where there is none."""
    program = probes.folder / "opencl"
    if probes.compile(HERE / "opencl.c", program, "-lOpenCL").status != 0:
        return None, "no OpenCL headers or library"
    return _asked("opencl", program, probes.folder)


def _asked(api: str, program: Path, folder: Path) -> tuple[Device | None, str]:
    found = {"api": api, **keys_of([program], folder)}
    missing = [f.name for f in fields(Device) if f.name != "architecture" and f.name not in found]
    if "name" in missing:
        return None, f"no {'CUDA' if api == 'cuda' else 'OpenCL'} device"
    if missing:
        return None, f"{found['name']} ({api}) does not say or reach its {', '.join(missing)}"
    return device_of(found), ""


def device_of(found: dict[str, str]) -> Device:
    """The device that lines `key value` describe."""
    known = {f.name for f in fields(Device)}
    values: dict[str, Any] = {key: _value(key, text) for key, text in found.items() if key in known}
    return Device(**values)


def _value(key: str, text: str) -> str | int | float:
    if key in _TEXTS:
        return text
    return float(text) if key in _REALS else int(text)
