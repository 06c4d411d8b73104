"""The work on one file, as values that can be sent to another process."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from cuvier.batch.coding import Result
from cuvier.pipeline.driver import Way
from species.analysis.options import AnalysisOptions
from species.annotate import AnnotateOptions
from species.source import PreprocessOptions

if TYPE_CHECKING:
    from models.machine import Machine


@dataclass(frozen=True)
class Job:
    """Analyse a file and, where there are `annotations`, annotate it; with `copies`, also for these.

    With a `machine`, OpenMP pragmas are for loops that pay on it.
    `others` are more ways of compiling it, for all of which annotations have to be right.
    Estimates take names to have the values in `sizes`.
    `refused`: why the file cannot be analysed as its build compiles it; empty: it can.
    """

    path: str
    preprocess: PreprocessOptions
    analysis: AnalysisOptions
    annotations: AnnotateOptions | None = None
    copies: bool = False
    machine: Machine | None = None
    others: tuple[Way, ...] = ()
    sizes: tuple[tuple[str, float], ...] = ()
    refused: str = ""


@dataclass(frozen=True)
class Finished:
    """What came of a job, and the file's text as it was then."""

    job: Job
    text: str
    result: Result


def digest(data: bytes | str, *more: bytes | str) -> str:
    """A name for contents: 32 hexadecimal digits, other ones for other contents."""
    state = blake2b(digest_size=16)
    for part in (data, *more):
        raw = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        state.update(len(raw).to_bytes(8, "little"))
        state.update(raw)
    return state.hexdigest()
