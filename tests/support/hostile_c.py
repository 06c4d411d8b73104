"""Shortcuts for tests with C that deceives: what is said of the last loop of every function."""

from __future__ import annotations

from species import analyse
from species.facts.loops import LoopFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit


def last_loops(text: str) -> dict[str, LoopFacts]:
    """The last outermost loop of each function, by the function's name; parts may be left out of the file."""
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    return {f.function: f for f in analyse(unit).loops if f.depth == 0}


def is_parallel(text: str) -> bool:
    """Is the last loop of the function `f` parallel, whatever a run may find out?"""
    loop = last_loops(text).get("f")
    return loop is not None and loop.verdict is Verdict.PARALLEL


def left_out(text: str) -> str:
    """What the diagnostics say of a text."""
    unit = read_translation_unit("test.c", PreprocessOptions(), text=text)
    return "; ".join(diagnostic.message for diagnostic in unit.diagnostics)
