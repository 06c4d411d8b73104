"""What a job gave, as bytes: JSON, so that reading a cache that somebody tampered with runs no code."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import Any

from species.annotate import are_known, strip

Json = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What is said of a file.

    `unit` is its part of a report (cuvier.document.json).  `after` is the annotated text, None where none was
    asked for or the file could not be annotated; `notes` are diagnostics about that, in the same form.
    `summary` is for other files of the program (species.interprocedural), empty where it was not asked for.
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
        result = Result(parts["unit"], parts["after"], parts["notes"], parts["summary"])
    except (zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unreadable from error
    if not _is_whole(result):
        raise Unreadable
    return result


def _is_whole(result: Result) -> bool:
    """Has it what is asked of it?"""
    return (
        isinstance(result.unit, dict)
        and {"file", "status", "diagnostics", "sources", "loops"} <= set(result.unit)
        and isinstance(result.after, str | None)
        and isinstance(result.notes, list)
        and isinstance(result.summary, str)
    )


def result_for(text: str, data: bytes | None) -> Result | None:
    """What was kept of a file with this text.

    None where that is no result, or would put more into the file than marks.
    """
    try:
        found = decoded(data) if data else None
    except Unreadable:
        return None
    after = found.after if found is not None else None
    marks_only = after is None or (strip(after) == strip(text) and are_known(after))
    return found if marks_only else None
