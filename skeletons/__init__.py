"""How does it run?  Skeletons for species: the library, the choice, and the programs they make."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.errors import SkeletonError
    from skeletons.catalogue.descriptor import Skeleton, Target
    from skeletons.catalogue.library import Library
    from skeletons.program.compile import compile_unit
    from skeletons.program.write import write_program
    from skeletons.select.api import Choice, CompileOptions, Program

__all__ = [
    "Choice",
    "CompileOptions",
    "Library",
    "Program",
    "Skeleton",
    "SkeletonError",
    "Target",
    "compile_unit",
    "write_program",
]

_HOMES = {
    "Choice": "skeletons.select.api",
    "CompileOptions": "skeletons.select.api",
    "Library": "skeletons.catalogue.library",
    "Program": "skeletons.select.api",
    "Skeleton": "skeletons.catalogue.descriptor",
    "SkeletonError": "models.errors",
    "Target": "skeletons.catalogue.descriptor",
    "compile_unit": "skeletons.program.compile",
    "write_program": "skeletons.program.write",
}


def __getattr__(name: str) -> Any:
    """Import a name of the public interface when it is first asked for (templates and YAML are slow)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'skeletons' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
