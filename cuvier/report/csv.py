"""CSV (RFC 4180): a row for each loop."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from cuvier.base.shown import shown
from cuvier.document.model import Json
from cuvier.report.ranking import Ranked
from cuvier.report.view import View

COLUMNS = (
    *(
        "file",
        "function",
        "line",
        "column",
        "end_line",
        "depth",
        "kind",
        "iterator",
        "verdict",
        "proven",
        "class",
    ),
    *("species", "exact", "reasons", "why", "conditions", "reductions", "pragma"),
    *("iterations", "operations", "bytes", "share", "id", "fingerprint"),
)


def render(view: View) -> str:
    """All loops in the order of the files; several values in a field stand on lines of their own."""
    shares = {id(each.loop): each for each in view.ranking.order}
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for loop in view.report.loops:
        writer.writerow([_field(value) for value in _row(loop, shares.get(id(loop)))])
    return text.getvalue()


def _row(loop: Json, ranked: Ranked | None) -> Iterator[object]:
    work = loop["estimate"] or {}
    values = {
        **loop,
        "reasons": [each["code"] for each in loop["reasons"]],
        "why": [each["message"] for each in loop["reasons"]],
        "reductions": [f"{each['variable']} {each['operator']}" for each in loop["reductions"]],
        "iterations": work.get("iterations"),
        "operations": work.get("operations"),
        "bytes": work.get("bytes"),
        "share": None if ranked is None or ranked.share is None else round(ranked.share, 6),
    }
    yield from (values[column] for column in COLUMNS)


def _field(value: object) -> object:
    if isinstance(value, list):
        return _plain(shown("\n".join(value)))
    if isinstance(value, str):
        return _plain(shown(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _plain(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
