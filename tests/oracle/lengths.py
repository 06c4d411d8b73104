"""Rows with lengths are tested however short they are, as those of random programs mostly are."""

from __future__ import annotations

import re


def however_short(text: str) -> str:
    """A text with the tests of rows in which no rows are too short to be tested."""
    return re.sub(r"(?<=\bcuvier_short = )\d+", "0", text)
