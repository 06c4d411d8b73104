"""SARIF 2.1.0 (OASIS, 2020), for code scanning: loops that may run in parallel as results.

Within the limits of GitHub: one run, 5,000 results of which those that matter most come first.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import quote

from cuvier.base.shown import harmless_json
from cuvier.base.version import __version__
from cuvier.document.model import PARALLEL, Json, Report, losses
from cuvier.document.words import details, loop_name, standing
from cuvier.report.ranking import Ranked
from cuvier.report.view import View
from species.core.reasons import REASONS, page_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST = 5000  # results of a run that are shown
NOTIFIED = 1000  # notifications of a run
_ROOT = "%SRCROOT%"
_HELP = {
    "parallel": "The iterations of the loop may run in any order. `cuvier annotate --style openmp` marks it,"
    " `cuvier compile` writes a parallel program.",
    "conditional": "The iterations of the loop may run in any order where the conditions hold; OpenMP tests"
    " them with `if(...)`, `cuvier compile` before a kernel is launched.",
}
_PROPERTIES = ("verdict", "proven", "class", "species", "conditions")
_SAID = {
    "parallel": "may run in parallel",
    "conditional": "may run in parallel on condition",
    "serial": "stays serial",
    "unproven": "is not proven parallel, and stays serial",
}
_SHORT = {
    "parallel": "A loop may run in parallel",
    "conditional": "A loop may run in parallel on condition",
}


def render(view: View) -> str:
    """A log with one run; with `serial`, the loops that stay serial are notes in it."""
    open_to = {id(loop) for loop in view.report.opportunities}
    wanted = [
        each
        for each in view.ranking.order
        if id(each.loop) in open_to or (view.serial and each.loop["verdict"] not in PARALLEL)
    ]
    limit = min(view.top or MOST, MOST)
    run = _run(view, wanted[:limit], len(wanted) - len(wanted[:limit]))
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    text = json.dumps(log, indent=2, ensure_ascii=False) + "\n"
    return harmless_json(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))


def _run(view: View, shown: list[Ranked], left_out: int) -> Json:
    rules = list(dict.fromkeys(_rule_id(each.loop) for each in shown))
    notes = [_notification(each) for _, each in losses(view.report.units)][:NOTIFIED]
    if left_out:
        text = f"{left_out} more results are left out; those that are here matter most"
        notes.append({"level": "note", "message": {"text": text}})
    driver = {
        "name": "Cuvier",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(name) for name in rules],
    }
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "Where Cuvier was started."}}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": list(_results(shown, rules, _fingerprints(view.report))),
    }


def _rule_id(loop: Json) -> str:
    """`parallel`, `conditional`, or the code of the first reason."""
    if loop["verdict"] in PARALLEL:
        return f"loop/{loop['verdict']}"
    return str(loop["reasons"][0]["code"]) if loop["reasons"] else "loop/unknown"


def _rule(name: str) -> Json:
    short = _SHORT.get(name.removeprefix("loop/"), REASONS.get(name, "A loop was not decided"))
    page = page_of(name) if name in REASONS else _HELP.get(name.removeprefix("loop/"), short)
    return {
        "id": name,
        "shortDescription": {"text": short[:1].upper() + short[1:]},
        "fullDescription": {"text": short[:1].upper() + short[1:] + "."},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _level(name)},
        "properties": {"tags": ["performance", "parallelism"], "precision": "very-high"},
    }


def _level(rule: str) -> str:
    return "warning" if rule == "loop/parallel" else "note"


def _fingerprints(report: Report) -> dict[int, str]:
    """By the identity of loops; equal ones, in functions of one name in several files, are numbered."""
    seen: Counter[str] = Counter()
    found = {}
    for loop in report.loops:
        found[id(loop)] = f"{loop['fingerprint']}:{seen[loop['fingerprint']]}"
        seen[loop["fingerprint"]] += 1
    return found


def _results(shown: list[Ranked], rules: list[str], fingerprints: dict[int, str]) -> Iterator[Json]:
    for each in shown:
        rule, loop = _rule_id(each.loop), each.loop
        result = {
            "ruleId": rule,
            "ruleIndex": rules.index(rule),
            "level": _level(rule),
            "message": {"text": _message(loop)},
            "locations": [_location(loop, loop["end_line"], loop["function"])],
            "partialFingerprints": {"cuvierLoop/v1": fingerprints[id(loop)]},
            "properties": {key: loop[key] for key in _PROPERTIES},
        }
        if each.share is not None:
            result["rank"] = round(100 * each.share, 3)
        if related := list(_related(loop)):
            result["relatedLocations"] = related
        yield result


def _message(loop: Json) -> str:
    head = f"The loop `{loop_name(loop)}` {_SAID.get(standing(loop), 'is not decided')}: "
    pragma = [loop["pragma"]] if loop["pragma"] else []
    return _without_links((head + "; ".join([*details(loop), *pragma])).rstrip(": "))


def _without_links(text: str) -> str:
    """The text with `] (` for `](`, which would begin the target of a link (SARIF 2.1.0, 3.11.6)."""
    return text.replace("](", "] (")


def _related(loop: Json) -> Iterator[Json]:
    """The places of which the reasons speak, each once."""
    places = {
        (place["file"], place["line"], place["column"]): (reason, place)
        for reason in loop["reasons"]
        for place in (reason, *reason["related"])
    }
    for number, (reason, place) in enumerate(places.values()):
        yield {"id": number, **_location(place), "message": {"text": _without_links(reason["message"])}}


def _location(place: Json, end_line: int | None = None, function: str | None = None) -> Json:
    region = {"startLine": place["line"], "startColumn": place["column"]}
    if end_line is not None and end_line >= place["line"]:
        region["endLine"] = end_line
    physical = {"artifactLocation": _artifact(place["file"]), "region": region}
    logical = {"logicalLocations": [{"name": function, "kind": "function"}]} if function else {}
    return {"physicalLocation": physical, **logical}


def _artifact(file: str) -> Json:
    path = PurePath(file)
    uri = quote(path.as_posix().encode("utf-8", "surrogateescape"))
    return {"uri": f"file://{uri}"} if path.is_absolute() else {"uri": uri, "uriBaseId": _ROOT}


def _notification(diagnostic: Json) -> Json:
    code = f" [{diagnostic['code']}]" if diagnostic["code"] else ""
    return {
        "level": diagnostic["severity"],
        "message": {"text": _without_links(f"not analysed: {diagnostic['message']}{code}")},
        "locations": [_location(diagnostic)],
    }
