"""The C library of generated programs, and of programs that launch kernels by hand (docs/runtime.md).

Plain C: files here are copied as they are.  `cuvier_*.h` keep the account of what lies where, for arrays that
kernels name with their bounds; those in a target's folder are its device.  `cgcm*` manage whole allocation
units, to which pointers lead.
"""

from __future__ import annotations

from pathlib import Path

# What cgcm_wrap.c takes the place of: programs are linked with `--wrap` for each.
WRAPPED = ("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free")
FOLDER = Path(__file__).resolve().parent


def file_for(target: str, name: str) -> Path | None:
    """The library's file of this name, in the variant for a target; None: it has none."""
    places = (FOLDER / target / name, FOLDER / name)
    return next((place for place in places if name.startswith("cuvier_") and place.is_file()), None)


def sources() -> dict[str, str]:
    """The texts of CGCM's files, by name."""
    return {path.name: path.read_text() for path in sorted(FOLDER.glob("cgcm*.[ch]"))}


def sources_for(target: str) -> dict[str, str]:
    """The files of CGCM that generated programs for `target` are linked with."""
    others = {"cgcm_host.c", "cgcm_cuda.c", "cgcm_opencl.c", "cgcm_opencl.h"}
    common = {name: text for name, text in sources().items() if name not in others}
    if target == "cuda":  # buffers have addresses
        return common
    return {**common, **{name: sources()[name] for name in ("cgcm_opencl.c", "cgcm_opencl.h")}}
