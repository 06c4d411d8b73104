"""The work on one file, in whatever process."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cuvier.base.files import read_text
from cuvier.batch import keys
from cuvier.batch.cache import Cache, Inputs
from cuvier.batch.coding import Result, encoded, result_for
from cuvier.batch.job import Job, digest
from cuvier.document.json import diagnostic_json, known_of, unit_json
from cuvier.pipeline.driver import Way, analyse_file, annotate_file, unmarked, weighed
from species.annotate import mask
from species.core.positions import Diagnostic, Position
from species.facts.loops import UnitFacts
from species.source import PreprocessOptions, SourceError, SourceFile
from species.source.preprocess.run import EndlessError, preprocess
from species.source.text.files import NotRegularError

_MACRO = re.compile(r"^#(?:define|undef) .*\n", re.MULTILINE)  # what it expands to stands in the code
_PLACES = ("-fPIC", "-fpic", "-fPIE", "-fpie")  # flags that change where code may be, not what it does
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
    except NotRegularError as error:
        return failed(job, "CV003", str(error.strerror))
    except OSError as error:
        return failed(job, "CV003", f"cannot be read: {error.strerror}")
    if job.refused:
        return failed(job, "CV007", job.refused, text)
    try:
        preprocessed = _preprocessed(job, text)
        others = _others(job, text) if preprocessed is not None else []
    except EndlessError as error:
        return failed(job, "CV004", error.diagnostic.message, text)
    if preprocessed is None:
        return Outcome(text, _result(job, text, None))
    ways = [Way(job.preprocess, job.analysis, preprocessed), *others]
    name = keys.result_key(job, digest(text), ways)
    inputs = keys.looked_at(job.path, ways, name)
    if not keys.settled([job.path, *inputs.files], started):
        return Outcome(text, _result(job, text, None))
    kept = cache.result(name) if cache else None
    if kept is None or result_for(text, kept) is None:
        kept = _result(job, text, preprocessed, _different(ways))
    return Outcome(text, kept, inputs)


def failed(job: Job, code: str, message: str, text: str = "") -> Outcome:
    """The outcome where nothing can be said of the file but why."""
    diagnostic = Diagnostic("error", code, message, Position(job.path, 1, 1))
    facts = UnitFacts(file=job.path, status="failed", diagnostics=(diagnostic,), loops=())
    return Outcome(text, encoded(Result(unit_json(facts))))


def _preprocessed(job: Job, text: str) -> str | None:
    """What the preprocessor makes of the file without our annotations; None: it refuses it.

    Headers that are not found are taken to be empty.
    """
    return _preprocessed_as(job.path, job.preprocess, text)


def _preprocessed_as(path: str, options: PreprocessOptions, text: str) -> str | None:
    masked = mask(text)
    source = SourceFile(path, masked.encode("utf-8", "surrogateescape"))
    try:
        return preprocess(source, replace(options, forgiving=True), on_disk=masked == text)
    except EndlessError:
        raise
    except SourceError:
        return None


def _others(job: Job, text: str) -> list[Way]:
    """The job's other ways of compiling the file, with the texts that come out."""
    return [replace(way, preprocessed=_preprocessed_as(job.path, way.preprocess, text)) for way in job.others]


def _different(ways: Sequence[Way]) -> list[Way]:
    """All but the first, without those in which the code and the rules for it are as in another one."""
    found: dict[str, Way] = {}
    for way in ways:
        rules = [f for f in way.preprocess.flags if f.startswith(("-f", "-m")) and f not in _PLACES]
        code = _MACRO.sub("", way.preprocessed) if way.preprocessed else None
        found.setdefault(repr((code, rules, way.preprocess.std, way.preprocess.cc, way.analysis)), way)
    return list(found.values())[1:]


def _result(job: Job, text: str, preprocessed: str | None, others: Sequence[Way] | None = None) -> bytes:
    path = Path(job.path)
    if job.annotations is None:
        found = analyse_file(path, job.preprocess, job.analysis, text, preprocessed)
        facts = weighed(found, job.machine)
        known = known_of(facts, found.text, found.unit, dict(job.sizes))
        return encoded(Result(unit_json(facts, known), summary=facts.summary))
    annotated = annotate_file(
        path,
        job.preprocess,
        job.annotations,
        job.analysis,
        text,
        preprocessed,
        copies=job.copies,
        machine=job.machine,
        others=job.others if others is None else others,
    )
    passed = unmarked(annotated.facts, job.annotations, annotated.disputed)
    notes = [diagnostic_json(each) for each in passed]
    return encoded(Result(unit_json(annotated.facts), annotated.after, notes, annotated.facts.summary))
