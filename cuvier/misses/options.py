"""What is to be examined, and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skeletons import CompileOptions
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions


@dataclass(frozen=True)
class MissOptions:
    """What is examined: the machine's name or file, extensions of the model that are left out, arguments.

    `launches` of each kernel are looked at, and `limit` accesses of a launch, or of a sequential program.
    """

    preprocess: PreprocessOptions
    analysis: AnalysisOptions
    generation: CompileOptions
    machine: str | None = None
    without: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    skeletons: tuple[Path, ...] = ()
    launches: int = 2
    limit: int = 20_000_000
    timeout: float = 300.0
