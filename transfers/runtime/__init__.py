"""CGCM: the C library that manages data at run time (docs/runtime.md)."""

from __future__ import annotations

from pathlib import Path

# What cgcm_wrap.c takes the place of: programs are linked with `--wrap` for each.
WRAPPED = ("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free")
FOLDER = Path(__file__).resolve().parent


def sources() -> dict[str, str]:
    """The texts of the library's files, by name."""
    return {path.name: path.read_text() for path in sorted(FOLDER.glob("cgcm*.[ch]"))}


def sources_for(target: str) -> dict[str, str]:
    """The files that generated programs for `target` are linked with."""
    others = {"cgcm_host.c", "cgcm_cuda.c", "cgcm_opencl.c", "cgcm_opencl.h"}
    common = {name: text for name, text in sources().items() if name not in others}
    if target == "cuda":  # buffers have addresses
        return common
    return {**common, **{name: sources()[name] for name in ("cgcm_opencl.c", "cgcm_opencl.h")}}
