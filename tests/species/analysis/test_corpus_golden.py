"""Beside each corpus program stands the JSON report of its loops; `--update-golden` writes them anew."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cuvier.document.json import document_of, report_json, schema_text, unit_json
from species import analyse
from species.source import PreprocessOptions, read_translation_unit
from tests.support.places import ROOT

CORPUS = ROOT / "corpus"
OF_THE_TEXT = ("fingerprint", "kind", "iterator", "header", "pragma", "users", "estimate", "unprofitable")
PROGRAMS = sorted(str(p.relative_to(CORPUS)) for p in CORPUS.glob("[!a]*/*.c"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("program", PROGRAMS)
def test_report(program: str, monkeypatch: pytest.MonkeyPatch, update_golden: bool) -> None:
    monkeypatch.chdir(CORPUS)
    document = document_of([unit_json(analyse(read_translation_unit(program, PreprocessOptions())))])
    Draft202012Validator(json.loads(schema_text())).validate(document)
    text = report_json(_bare(document))
    golden = CORPUS / Path(program).with_suffix(".json")
    if update_golden:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8"), "look at the difference, then run with --update-golden"


def _bare(document: dict[str, Any]) -> dict[str, Any]:
    """The document without what a file's text and tree add to its facts (see `test_cli_json.py`)."""
    for unit in document["units"]:
        del unit["sources"]
        for loop in unit["loops"]:
            for field in OF_THE_TEXT:
                del loop[field]
            for reason in loop["reasons"]:
                for place in (reason, *reason["related"]):
                    del place["file"]
    return document


def test_schema_is_package_data() -> None:
    assert resources.files("cuvier.document").joinpath("schema.json").is_file()
