"""The work on one file, in whatever process."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from cuvier.batch import keys
from cuvier.batch.cache import Cache, Inputs
from cuvier.batch.coding import Result, encoded, readable
from cuvier.batch.job import Job, digest
from cuvier.driver import analyse_file, annotate_file, unmarked
from cuvier.files import read_text
from cuvier.report.json import diagnostic_json, known_of, unit_json
from species.annotate import mask
from species.facts import UnitFacts
from species.positions import Diagnostic, Position
from species.source import SourceError, SourceFile
from species.source.preprocess import preprocess

_TICK = 0.01  # seconds; file systems' clocks are coarser than ours


@dataclass(frozen=True)
class Outcome:
    """The text of the file, what is said of it as bytes (`cuvier.batch.coding`), and how to keep that.

    Where nothing is to be kept, `inputs` is None.
    """

    text: str
    result: bytes
    inputs: Inputs | None = None


def perform(job: Job, cache: Cache | None = None) -> Outcome:
    """Do a job, unless the cache has its result."""
    started = time.time() - _TICK
    try:
        text = read_text(Path(job.path))
    except OSError as error:
        return failed(job, "CV003", f"cannot be read: {error.strerror}")
    if job.refused:
        return failed(job, "CV007", job.refused, text)
    preprocessed = _preprocessed(job, text)
    if preprocessed is None:
        return Outcome(text, _result(job, text, None))
    key = keys.job_key(job, digest(text))
    name = keys.result_key(key, preprocessed, keys.user_files(job, preprocessed))
    inputs = keys.looked_at(job, preprocessed, name)
    if not keys.settled([job.path, *inputs.files], started):
        return Outcome(text, _result(job, text, None))
    kept = cache.result(name) if cache else None
    if kept is None or not readable(kept):
        kept = _result(job, text, preprocessed)
    return Outcome(text, kept, inputs)


def failed(job: Job, code: str, message: str, text: str = "") -> Outcome:
    """The outcome where nothing can be said of the file but why."""
    diagnostic = Diagnostic("error", code, message, Position(job.path, 1, 1))
    facts = UnitFacts(file=job.path, status="failed", diagnostics=(diagnostic,), loops=())
    return Outcome(text, encoded(Result(unit_json(facts))))


def _preprocessed(job: Job, text: str) -> str | None:
    """What the preprocessor makes of the file without our annotations; None: it refuses it."""
    masked = mask(text)
    source = SourceFile(job.path, masked.encode("utf-8", "surrogateescape"))
    try:
        return preprocess(source, job.preprocess, on_disk=masked == text)
    except SourceError:
        return None


def _result(job: Job, text: str, preprocessed: str | None) -> bytes:
    path = Path(job.path)
    if job.annotations is None:
        found = analyse_file(path, job.preprocess, job.analysis, text, preprocessed)
        return encoded(Result(unit_json(found.facts, known_of(found.facts, found.text, found.unit))))
    annotated = annotate_file(
        path, job.preprocess, job.annotations, job.analysis, text, preprocessed, copies=job.copies
    )
    notes = [diagnostic_json(each) for each in unmarked(annotated.facts, job.annotations)]
    return encoded(Result(unit_json(annotated.facts), annotated.after, notes))
