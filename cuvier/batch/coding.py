"""What a job gave, as bytes: JSON, so that reading a cache that somebody tampered with runs no code."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What is said of a file.

    `unit` is its part of a report (cuvier.report.json).  `after` is the annotated text, None where none was
    asked for or the file could not be annotated; `notes` are diagnostics about that, in the same form.
    `summary` is for other files of the program (species.whole), empty where it was not asked for.
    """

    unit: Json
    after: str | None = None
    notes: list[Json] = field(default_factory=list)
    summary: str = ""


class Unreadable(Exception):
    """The bytes are no result."""


def encoded(result: Result) -> bytes:
    """The result; bytes of the source that are not UTF-8 survive as escapes."""
    parts = {
        "unit": result.unit,
        "after": result.after,
        "notes": result.notes,
        "summary": result.summary,
    }
    return zlib.compress(json.dumps(parts, separators=(",", ":")).encode("ascii"), 1)


def decoded(data: bytes) -> Result:
    """What `encoded` was given; raises Unreadable."""
    try:
        parts = json.loads(zlib.decompress(data))
        return Result(parts["unit"], parts["after"], parts["notes"], parts["summary"])
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise Unreadable from error


def readable(data: bytes) -> bool:
    """Would `decoded` take it?"""
    try:
        decoded(data)
    except Unreadable:
        return False
    return True
