"""The JSON report: an interface that others program against (`schema.json` describes it).

Fields and their order are fixed; a change here is a change of the interface.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from cuvier.base.shown import harmless_json
from cuvier.base.version import __version__
from cuvier.document.fingerprint import fingerprints
from cuvier.document.words import own_iterator
from models.estimate import NO_SIZES, Estimate, Program, estimates
from species.annotate import openmp_pragmas
from species.core.positions import Diagnostic, Position
from species.facts.loop_forms import Stages, Traversal
from species.facts.loops import (
    Characterisation,
    LoopFacts,
    Reason,
    Reduction,
    StatementFacts,
    UnitFacts,
)
from species.source import TranslationUnit

Json = dict[str, Any]


@dataclass(frozen=True)
class Known:
    """What a file's text and tree tell beyond its facts: of loops, by id.

    `sources` are the texts of the files in which the loops stand.
    """

    sources: Mapping[str, str]
    pragmas: Mapping[str, str]
    estimates: Mapping[str, Estimate]


NOTHING = Known({}, {}, {})


def known_of(
    facts: UnitFacts, text: str, unit: TranslationUnit | None, sizes: Mapping[str, float] = NO_SIZES
) -> Known:
    """For the file whose characters are `text`; `unit` is None where it could not be read in.

    The pragmas are for what the facts say is worth threads (`cuvier.pipeline.driver.weighed`).  Estimates
    take the names in `sizes` to have these values.
    """
    sources = {facts.file: text} if facts.loops else {}
    for file in {loop.position.file for loop in facts.loops} - {facts.file}:
        if unit is not None and file in unit.sources:
            sources[file] = unit.sources[file].text
    guessed = estimates(unit, facts, Program.of(unit.ast, sizes)) if unit is not None else {}
    return Known(sources, openmp_pragmas(text, facts), guessed)


def unit_json(facts: UnitFacts, known: Known = NOTHING) -> Json:
    """One file's part of a report."""
    marks = fingerprints(facts, known.sources)
    return {
        "file": facts.file,
        "status": facts.status,
        "diagnostics": [diagnostic_json(diagnostic) for diagnostic in facts.diagnostics],
        "sources": [_source(file, text) for file, text in sorted(known.sources.items())],
        "loops": [_loop(loop, marks[loop.id], known) for loop in facts.loops],
    }


def document_of(units: Iterable[Json]) -> Json:
    """The report of these files."""
    return {"cuvier": __version__, "units": list(units), "predictions": None}


def report_json(document: Json) -> str:
    """The document as text; bytes that are not UTF-8 become U+FFFD."""
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return harmless_json(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) of `report_json`."""
    return resources.files("cuvier.document").joinpath("schema.json").read_text(encoding="utf-8")


def diagnostic_of(said: Json) -> Diagnostic:
    """The diagnostic that a report speaks of."""
    position = Position(said["file"], said["line"], said["column"])
    return Diagnostic(said["severity"], said["code"], said["message"], position)


def _source(file: str, text: str) -> Json:
    data = text.encode("utf-8", "surrogateescape")
    return {"file": file, "sha256": hashlib.sha256(data).hexdigest(), "text": text}


def diagnostic_json(diagnostic: Diagnostic) -> Json:
    """A diagnostic as reports have it."""
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "file": diagnostic.position.file,
        **_place(diagnostic.position),
    }


def _traversal(found: Traversal) -> Json:
    return {"variable": found.variable, "independent": found.independent}


def _stages(found: Stages) -> Json:
    return {"before": found.first is not None, "behind": found.last is not None}


def _own_copies(loop: LoopFacts) -> list[Json]:
    pairs = loop.copied_for_threads
    return [{"variable": variable, "operator": operator or None} for variable, operator in pairs]


def _loop(loop: LoopFacts, fingerprint: str, known: Known) -> Json:
    text = known.sources.get(loop.position.file)
    estimate = known.estimates.get(loop.id)
    return {
        "id": loop.id,
        "fingerprint": fingerprint,
        "kind": loop.kind,
        "iterator": own_iterator(loop, text) if text is not None else None,
        "header": _header(loop, text),
        "file": loop.position.file,
        "function": loop.function,
        **_place(loop.position),
        "end_line": loop.end_line,
        "depth": loop.depth,
        "parent": loop.parent,
        "verdict": loop.verdict.value,
        "proven": loop.proven,
        "class": loop.loop_class.value,
        "tags": list(loop.tags),
        "distances": [{"loops": list(d.loops), "distance": list(d.distance)} for d in loop.distances],
        "wavefront": list(loop.wavefront),
        "traversal": _traversal(loop.traversal) if loop.traversal else None,
        "stages": _stages(loop.stages) if loop.stages else None,
        "put_off": sorted({each.line for each in loop.deferral.late}) if loop.deferral else [],
        "own_copies": _own_copies(loop),
        "species": str(loop.species) if loop.species else None,
        "exact": loop.exact,
        "base_loops": list(loop.base_loops),
        "characterisations": [_characterisation(each) for each in loop.characterisations],
        "statements": [_statement(each) for each in loop.statements],
        "private": list(loop.private),
        "firstprivate": list(loop.firstprivate),
        "lastprivate": list(loop.lastprivate),
        "lastprivate_conditional": list(loop.lastprivate_conditional),
        "linear": [{"variable": each.variable, "step": each.step} for each in loop.linear],
        "reductions": [_reduction(each) for each in loop.reductions],
        "conditions": list(loop.conditions),
        "condition_words": list(loop.condition_words),
        "reasons": [_reason(reason) for reason in loop.reasons],
        "pragma": known.pragmas.get(loop.id),
        "unprofitable": loop.unprofitable or None,
        "users": loop.users or None,
        "estimate": _estimate(estimate) if estimate else None,
    }


def _header(loop: LoopFacts, text: str | None) -> str | None:
    """`for (i = 0; i < n; i++)` in one line."""
    if text is None or loop.spans is None:
        return None
    return " ".join(loop.spans.header.of(text).split())


def _estimate(estimate: Estimate) -> Json:
    return {
        "trips": estimate.trips,
        "iterations": estimate.iterations,
        "operations": estimate.operations,
        "bytes": estimate.bytes,
        "own": estimate.own,
        "executions": estimate.executions,
        "calls": estimate.calls,
        "assumed": list(estimate.assumed),
        "sizes": sizes_json(estimate.sizes),
        "parallel": estimate.parallel,
        "copied_in": estimate.copied_in,
        "copied_out": estimate.copied_out,
        "copies": estimate.copies,
        "double": estimate.double,
    }


def sizes_json(sizes: Iterable[tuple[str, float]]) -> list[Json]:
    """Names with the values that they were taken to have."""
    return [{"name": name, "value": value} for name, value in sizes]


def _characterisation(each: Characterisation) -> Json:
    return {
        "name": each.name,
        "access": each.access,
        "domain": [[interval.low, interval.high] for interval in each.domain],
        "elements": list(each.elements),
        "step": list(each.step),
        "repetition": list(each.repetition),
        "exact": each.exact,
    }


def _statement(each: StatementFacts) -> Json:
    return {
        **_place(each.position),
        "complete": each.complete,
        "characterisations": [_characterisation(c) for c in each.characterisations],
    }


def _reduction(each: Reduction) -> Json:
    return {
        "operator": each.operator,
        "variable": each.variable,
        "with": list(each.with_it),
        "keeps": each.keeps or None,
    }


def _reason(reason: Reason) -> Json:
    return {
        "code": reason.code,
        "message": reason.message,
        "proven": reason.proven,
        "file": reason.position.file,
        **_place(reason.position),
        "related": [{"file": each.file, **_place(each)} for each in reason.related],
    }


def _place(position: Position) -> Json:
    return {"line": position.line, "column": position.column}
