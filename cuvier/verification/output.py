"""Compares what two programs printed."""

from __future__ import annotations

import re
from itertools import zip_longest

from cuvier.verification.compare import TOLERANCES, close
from cuvier.verification.result import OutputResult

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def compare_output(original: bytes, generated: bytes, exact: bool) -> OutputResult:
    """Byte by byte; with `exact` off, numbers may differ by the tolerance of doubles.

    Printed numbers are rounded: they may also differ by one unit of their last printed decimal.
    """
    if original == generated:
        return OutputResult(True, True, f"{len(original)} bytes, equal")
    ours, theirs = (text.decode("latin-1").split("\n") for text in (original, generated))
    for number, (a, b) in enumerate(zip_longest(ours, theirs), start=1):
        if a != b and (exact or a is None or b is None or not _similar(a, b)):
            return OutputResult(False, exact, f"line {number}: {_shown(a)} became {_shown(b)}")
    return OutputResult(True, False, f"{len(original)} bytes, equal but for rounding")


def _shown(line: str | None) -> str:
    if line is None:
        return "no line"
    return repr(line if len(line) <= 60 else line[:57] + "...")


def _similar(a: str, b: str) -> bool:
    if [text.split() for text in _NUMBER.split(a)] != [text.split() for text in _NUMBER.split(b)]:
        return False
    return all(map(_near, _NUMBER.findall(a), _NUMBER.findall(b)))


def _near(a: str, b: str) -> bool:
    unit = max(_last_place(a), _last_place(b))
    return a == b or close(float(a), float(b), TOLERANCES["d"].relative, 1.001 * unit)


def _last_place(number: str) -> float:
    """What one unit of the last printed decimal is worth; 0 for integers."""
    mantissa, _, exponent = number.lower().partition("e")
    if not exponent and "." not in mantissa:
        return 0.0
    return float(f"1e{int(exponent or 0) - len(mantissa.partition('.')[2])}")
