"""Beside each corpus program stands the JSON report of its loops; `--update-golden` writes them anew."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from cuvier.report.json import report_json, schema_text
from species import analyse
from species.source import PreprocessOptions, read_translation_unit

CORPUS = Path(__file__).parent.parent / "corpus"
PROGRAMS = sorted(str(p.relative_to(CORPUS)) for p in CORPUS.glob("*/*.c"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_report(program: str, monkeypatch: pytest.MonkeyPatch, update_golden: bool) -> None:
    monkeypatch.chdir(CORPUS)
    text = report_json([analyse(read_translation_unit(program, PreprocessOptions()))])
    golden = CORPUS / Path(program).with_suffix(".json")
    if update_golden:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8"), "look at the difference, then run with --update-golden"
    Draft202012Validator(json.loads(schema_text())).validate(json.loads(text))


def test_schema_is_package_data() -> None:
    assert resources.files("cuvier.report").joinpath("schema.json").is_file()
