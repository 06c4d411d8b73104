"""How does it run?  Skeletons for species: the library, the choice, and the programs they make."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.errors import SkeletonError
    from skeletons.api import Choice, CompileOptions, Program
    from skeletons.catalogue import Library
    from skeletons.compile import compile_unit
    from skeletons.model import Skeleton, Target
    from skeletons.write import write_program

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
    "Choice": "skeletons.api",
    "CompileOptions": "skeletons.api",
    "Library": "skeletons.catalogue",
    "Program": "skeletons.api",
    "Skeleton": "skeletons.model",
    "SkeletonError": "models.errors",
    "Target": "skeletons.model",
    "compile_unit": "skeletons.compile",
    "write_program": "skeletons.write",
}


def __getattr__(name: str) -> Any:
    """Import a name of the public interface when it is first asked for (templates and YAML are slow)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'skeletons' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
