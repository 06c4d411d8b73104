"""What a program with versions says of itself, in JSON, for the commands that measure and predict it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from skeletons.program.device_kernel import DeviceKernel
from skeletons.select.api import CompileOptions

SUFFIX = "_versions.json"  # of the file's name, behind the program's


def manifest(
    source: Path,
    target: str,
    options: CompileOptions,
    kernels: Iterable[tuple[DeviceKernel, Mapping[str, str]]],
) -> str:
    """The program's source and how it was read, and its kernels that have versions, with their texts by role.

    `hash`: of a kernel's texts; what was measured of others is of no use.  `trips` and `work` are C texts
    over what its loop uses, `host` and `device` predicted seconds before the first iteration and for each.
    """
    found = {
        "program": source.stem,
        "source": str(source.resolve()),
        "target": f"{target},{options.beside}",
        "std": options.std,
        "include_dirs": [str(folder) for folder in options.include_dirs],
        "defines": list(options.defines),
        "flags": list(options.flags),
        "kernels": [_kernel(kernel, pieces) for kernel, pieces in kernels if kernel.versions is not None],
    }
    return json.dumps(found, indent=1) + "\n"


def _kernel(kernel: DeviceKernel, pieces: Mapping[str, str]) -> dict[str, Any]:
    versions = kernel.versions
    assert versions is not None
    texts = "\0".join(f"{role}\0{text}" for role, text in sorted(pieces.items()))
    trips = [loop.trips_value for loop in kernel.loops]
    if kernel.shares is not None:
        trips[0] = kernel.shares.trips
    return {
        "name": kernel.name,
        "file": kernel.file,
        "line": kernel.line,
        "function": kernel.function,
        "hash": sha256(texts.encode()).hexdigest()[:16],
        "trips": trips,
        "work": versions.work,
        "host": [versions.host_start, versions.host_each],
        "device": [versions.device_start, versions.device_each],
    }
