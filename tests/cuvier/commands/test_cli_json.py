"""The JSON report is an interface: its fields, their order, and its schema."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from cuvier import __version__
from cuvier.document.json import Known, document_of, report_json, schema_text, unit_json
from models.estimate import Estimate
from tests.support.cli_facts import FAILED, FILE, OK, PARTIAL, TEXT
from tests.support.places import ROOT

ESTIMATE = Estimate(
    "n", 1000.0, 0.0, 16000.0, 0.0, 1.0, 2.0, ("n",), (("n", 1000.0),), 1000.0, 8000.0, 8000.0, 2.0, True
)
KNOWN = Known({FILE: TEXT}, {"f/1": "#pragma omp parallel for"}, {"f/1": ESTIMATE})
UNITS = [unit_json(OK, KNOWN), unit_json(PARTIAL), unit_json(FAILED)]
DOCUMENT: dict[str, Any] = json.loads(report_json(document_of(UNITS)))
SCHEMA: dict[str, Any] = json.loads(schema_text())


def test_the_report_is_exactly_this() -> None:
    unit = DOCUMENT["units"][0]
    assert list(DOCUMENT) == ["cuvier", "units", "predictions"]
    assert list(unit) == ["file", "status", "diagnostics", "sources", "loops"]
    assert unit["file"] == "app.c"
    (source,) = unit["sources"]
    assert source == {"file": "app.c", "sha256": hashlib.sha256(TEXT.encode()).hexdigest(), "text": TEXT}
    assert unit["loops"][0] == {
        "id": "f/1",
        "fingerprint": unit["loops"][0]["fingerprint"],
        "kind": "for",
        "iterator": "i",
        "header": "for (int i = 0; i < n; i++)",
        "file": "app.c",
        "function": "f",
        "line": 3,
        "column": 5,
        "end_line": 4,
        "depth": 0,
        "parent": None,
        "verdict": "conditional",
        "proven": True,
        "class": "doall",
        "tags": [],
        "distances": [],
        "wavefront": [],
        "traversal": None,
        "stages": None,
        "put_off": [],
        "own_copies": [],
        "species": "a[0:n-1]|element -> b[0:n-1]|element",
        "exact": False,
        "base_loops": ["i"],
        "characterisations": [
            {
                "name": "a",
                "access": "r",
                "domain": [["0", "n-1"]],
                "elements": ["1"],
                "step": ["1"],
                "repetition": ["n"],
                "exact": True,
            },
            {
                "name": "b",
                "access": "w",
                "domain": [["0", "n-1"]],
                "elements": ["1"],
                "step": ["1/8"],
                "repetition": [],
                "exact": False,
            },
        ],
        "statements": [],
        "private": ["t", "u"],
        "firstprivate": ["v"],
        "lastprivate": ["w"],
        "lastprivate_conditional": [],
        "linear": [],
        "reductions": [{"operator": "max", "variable": "m", "with": [], "keeps": None}],
        "conditions": ["a + n <= b || b + n <= a"],
        "condition_words": ["'a' and 'b' do not overlap"],
        "reasons": [
            {
                "code": "CV401",
                "message": "a and b may be the same array",
                "proven": False,
                "file": "app.c",
                "line": 4,
                "column": 9,
                "related": [],
            }
        ],
        "pragma": "#pragma omp parallel for",
        "unprofitable": None,
        "users": None,
        "estimate": {
            "trips": "n",
            "iterations": 1000.0,
            "operations": 0.0,
            "bytes": 16000.0,
            "own": 0.0,
            "executions": 1.0,
            "calls": 2.0,
            "assumed": ["n"],
            "sizes": [{"name": "n", "value": 1000.0}],
            "parallel": 1000.0,
            "copied_in": 8000.0,
            "copied_out": 8000.0,
            "copies": 2.0,
            "double": True,
        },
    }
    assert unit["loops"][1]["reasons"][0]["related"] == [{"file": "app.c", "line": 6, "column": 6}]
    assert unit["loops"][1]["species"] is None


def test_diagnostics_name_their_own_file() -> None:
    assert DOCUMENT["units"][1]["diagnostics"] == [
        {
            "severity": "error",
            "code": "CV001",
            "message": "unexpected '}'",
            "file": "b.h",
            "line": 2,
            "column": 1,
        }
    ]


def test_fields_come_in_the_order_of_the_schema() -> None:
    loop = DOCUMENT["units"][0]["loops"][0]
    definitions = SCHEMA["$defs"]
    assert list(loop) == definitions["loop"]["required"]
    assert list(loop["characterisations"][0]) == definitions["characterisation"]["required"]
    assert list(loop["reasons"][0]) == definitions["reason"]["required"]
    assert list(loop["estimate"]) == definitions["estimate"]["required"]
    assert list(DOCUMENT["units"][0]["sources"][0]) == definitions["source"]["required"]


def test_the_schema_is_valid_and_the_report_obeys_it() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(DOCUMENT, SCHEMA, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("units", 0, "loops", 0, "verdict"), "maybe"),
        (("units", 0, "loops", 0, "line"), 0),
        (("units", 0, "loops", 0, "species"), ["a"]),
        (("units", 0, "loops", 0, "characterisations", 0, "domain"), [["0"]]),
        (("units", 0, "loops", 0, "characterisations", 0, "domain"), [["0", "1", "2"]]),
        (("units", 0, "loops", 0, "more"), 1),
        (("units", 0, "status"), "good"),
        (("more",), 1),
    ],
)
def test_the_schema_refuses(path: tuple[str | int, ...], value: object) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA, jsonschema.Draft202012Validator)


def objects(node: Any) -> list[dict[str, Any]]:
    """All subschemas that have properties."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    found = [each for child in children for each in objects(child)]
    return [node, *found] if isinstance(node, dict) and node.get("type") == "object" else found


def test_every_field_is_described_and_required_and_no_other_allowed() -> None:
    for schema in objects(SCHEMA):
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])
        for name, field in schema["properties"].items():
            assert field.get("description"), name


def test_bytes_that_are_no_utf_8_make_no_bad_json() -> None:
    name = b"caf\xe9.c".decode("utf-8", "surrogateescape")
    text = report_json(document_of([unit_json(replace(OK, file=name), Known({name: name}, {}, {}))]))
    assert json.loads(text.encode("utf-8"))["units"][0]["file"] == "caf\ufffd.c"


def test_the_version_is_the_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == __version__ == DOCUMENT["cuvier"]
