"""Joining the JSON reports of shards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

from cuvier.base.errors import UserError
from cuvier.document.model import read_report

Json = dict[str, Any]


def merged(paths: Sequence[Path]) -> Json:
    """The reports in one, their files in the order of their paths.

    UserError where they are of different versions, or say different things of one file.
    """
    units: dict[str, tuple[Path, Json]] = {}
    documents = [(path, read_report(path)) for path in paths]
    for path, document in documents:
        if document["cuvier"] != documents[0][1]["cuvier"]:
            versions = f"{documents[0][1]['cuvier']} and {document['cuvier']}"
            raise UserError(f"'{paths[0]}' and '{path}' were written by Cuvier {versions}; use one version")
        for unit in document["units"]:
            before = units.setdefault(unit["file"], (path, unit))
            if before[1] != unit:
                raise UserError(
                    f"'{before[0]}' and '{path}' describe '{unit['file']}' differently;"
                    " merge reports of one state of the sources, with one set of options"
                )
    ordered = sorted(units, key=lambda file: PurePath(file).parts)
    return {**documents[0][1], "units": [units[file][1] for file in ordered], "predictions": None}
