"""The device that generated programs run on, by the name that results are kept under."""

from __future__ import annotations

import shutil
from pathlib import Path

from cuvier.base.errors import UserError
from cuvier.base.processes import run
from cuvier.machine import limits, processor
from cuvier.tuning.store import on_cores
from cuvier.verification.devices import opencl_device
from cuvier.verification.toolchain import Toolchain


def device_of(target: str, toolchain: Toolchain, folder: Path) -> str:
    """The name; UserError where programs for the target cannot run here."""
    if target == "opencl":
        return opencl_device(toolchain, folder).rsplit(" (", 1)[0]
    if target == "cuda":
        return _cuda(folder)
    return on_cores(processor.name(), limits.count(limits.cores()))


def _cuda(folder: Path) -> str:
    found = None
    if shutil.which("nvidia-smi"):
        found = run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], folder, 60)
    if found is None or found.status != 0 or not found.stdout.strip():
        raise UserError(
            "no CUDA device on this machine (nvidia-smi finds none), and the host shim does not measure"
            " speed; tune where the device is, or --target opencl"
        )
    return found.stdout.decode(errors="replace").splitlines()[0].strip()
