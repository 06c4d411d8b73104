"""The model's core in C: compiled once per user and version of its sources, then loaded."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

from models.errors import SkeletonError

_SOURCES = Path(__file__).parent / "native"
_FLAGS = ("-std=gnu11", "-O3", "-w", "-shared", "-fPIC")


@cache
def library() -> ctypes.CDLL:
    """The core.  Raises SkeletonError where there is no C compiler, or it fails."""
    command = shlex.split(os.environ.get("CC") or "cc")
    sources = b"".join(file.read_bytes() for file in sorted(_SOURCES.iterdir()))
    key = sha256(sources + repr((command, _FLAGS, os.uname().machine)).encode()).hexdigest()[:16]
    made = _folder() / f"cache-model-{key}.so"
    if not made.exists():
        _build(command, made)
    loaded = ctypes.CDLL(str(made))
    loaded.cache_open.restype = ctypes.c_void_p
    loaded.cache_gpu.restype = ctypes.c_uint64
    return loaded


def _folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cuvier" / "native"


def _build(command: list[str], made: Path) -> None:
    if not shutil.which(command[0]):
        raise SkeletonError(
            f"no C compiler '{command[0]}' to build the cache model; install gcc, or name one in CC"
        )
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as folder:  # others may build it at the same time
        output = Path(folder) / made.name
        call = [*command, *_FLAGS, str(_SOURCES / "model.c"), "-o", str(output), "-lm"]
        done = subprocess.run(call, capture_output=True, check=False)
        if done.returncode != 0:
            told = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
            raise SkeletonError(f"'{shlex.join(command)}' does not build the cache model: {told[0]}")
        output.replace(made)
