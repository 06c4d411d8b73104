"""Which files of the run-time library, and templates of such, stand beside a generated program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BLAS = "cuvier_blas.h"  # where kernels call a library of products
_COLLECT = "cuvier_collect.h"  # where launches have parts
_DEVICES = "cuvier_devices.h"  # where several devices share kernels
_TENSOR = "cuvier_tensor.h"  # where tensor cores make products
UNITS = "cuvier_units.h"  # where memory is managed as allocation units
_VERSIONS = (  # where launches are decided
    *(
        "cuvier_balance.h",
        "cuvier_decisions.h",
        "cuvier_energy.h",
        "cuvier_split.h",
        "cuvier_tables.h",
        "cuvier_versions.h",
    ),
    _COLLECT,
)


def library_files(stem: str, context: Mapping[str, Any], *, accelerator: bool) -> dict[str, str]:
    """Names of files for a program called `stem`, with those of their templates (files of the library are
    their own); `context` is what templates see.
    """
    several = accelerator and context["options"].devices != 1
    named = (
        (UNITS, f"{UNITS}.j2", context["has_units"]),
        *((name, name, context["has_versions"]) for name in _VERSIONS),
        (f"{stem}_tables.h", "tables.h.j2", context["has_versions"]),
        (_COLLECT, _COLLECT, several),
        (_DEVICES, _DEVICES, several),
        (BLAS, BLAS, accelerator and context["calls_library"]),
        (_TENSOR, _TENSOR, context["has_tensor_cores"]),
    )
    return {name: template for name, template, is_used in named if is_used}
