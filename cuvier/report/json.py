"""The JSON report: an interface that others program against (`schema.json` describes it).

Fields and their order are fixed; a change here is a change of the interface.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import resources
from typing import Any

from cuvier import __version__
from species.facts import Characterisation, LoopFacts, Reason, Reduction, StatementFacts, UnitFacts
from species.positions import Diagnostic, Position

Json = dict[str, Any]


def report_json(units: Iterable[UnitFacts]) -> str:
    """The report of these files as JSON text; bytes that are not UTF-8 become U+FFFD."""
    document = {"cuvier": __version__, "units": [_unit(unit) for unit in units]}
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) of `report_json`."""
    return resources.files("cuvier.report").joinpath("schema.json").read_text(encoding="utf-8")


def _unit(unit: UnitFacts) -> Json:
    return {
        "file": unit.file,
        "status": unit.status,
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in unit.diagnostics],
        "loops": [_loop(loop) for loop in unit.loops],
    }


def _diagnostic(diagnostic: Diagnostic) -> Json:
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "file": diagnostic.position.file,
        **_place(diagnostic.position),
    }


def _loop(loop: LoopFacts) -> Json:
    return {
        "id": loop.id,
        "file": loop.position.file,
        "function": loop.function,
        **_place(loop.position),
        "end_line": loop.end_line,
        "depth": loop.depth,
        "parent": loop.parent,
        "verdict": loop.verdict.value,
        "class": loop.loop_class.value,
        "tags": list(loop.tags),
        "distances": [{"loops": list(d.loops), "distance": list(d.distance)} for d in loop.distances],
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
        "reasons": [_reason(reason) for reason in loop.reasons],
    }


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
        **_place(reason.position),
        "related": [_place(position) for position in reason.related],
    }


def _place(position: Position) -> Json:
    return {"line": position.line, "column": position.column}
