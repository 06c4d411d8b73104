"""A program of the corpus in single precision: its types, its constants, and the functions that it calls."""

from __future__ import annotations

import re
from dataclasses import replace

from .programs import Program, Region

TOLERANCE = 1e-2  # relative, of sums of thousands of numbers that are rounded at every step
_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*|^[ \t]*#[ \t]*include[^\n]*', re.S | re.M)
_NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?![\w.])")
_FUNCTION = re.compile(r"\b(sqrt|fabs|exp|log|pow|sin|cos|floor|ceil|fmin|fmax)(?=\s*\()")


def in_single(program: Program) -> Program:
    """The program with `float` in the place of `double`."""
    region = program.region
    if region is not None:
        region = Region(*map(_converted, (region.begin, region.end, region.call)))
    return replace(program, text=_single(program.text), region=region, single=True, tolerance=TOLERANCE)


def precisions(program: Program) -> dict[str, Program]:
    """The program in both precisions; one that is written in single precision, in that alone."""
    if program.single:
        return {"single": program}
    return {"double": program, "single": in_single(program)}


def _single(text: str) -> str:
    """All but comments, strings and names of headers."""
    found, at = "", 0
    for kept in _TEXT.finditer(text):
        found += _converted(text[at : kept.start()]) + kept.group()
        at = kept.end()
    return found + _converted(text[at:])


def _converted(code: str) -> str:
    code = re.sub(r"\bdouble\b", "float", code)
    return _FUNCTION.sub(r"\1f", _NUMBER.sub(r"\1f", code))
