"""Shortcuts for tests: analyse a C text, find its loops."""

from __future__ import annotations

from species import analyse
from species.facts.loops import LoopFacts, UnitFacts, Verdict
from species.source import PreprocessOptions, read_translation_unit


def facts_of(text: str, *defines: str) -> UnitFacts:
    """The facts about all loops of a C text that is not on the disk."""
    unit = read_translation_unit("test.c", PreprocessOptions(defines=defines), text=text)
    assert unit.status == "ok", unit.diagnostics
    return analyse(unit)


def loops_of(text: str) -> list[LoopFacts]:
    return list(facts_of(text).loops)


def outermost(text: str) -> LoopFacts:
    """The first outermost loop of the function f."""
    return next(loop for loop in loops_of(text) if loop.function == "f" and loop.depth == 0)


def loops_in(body: str, declarations: str = "") -> list[LoopFacts]:
    """The loops of a function with `body`, which may use local iterators i, j and k."""
    return loops_of(f"{declarations}\nvoid f(void) {{\nint i, j, k;\n{body}\n}}\n")


def only_loop(body: str, declarations: str = "") -> LoopFacts:
    """The outermost loop of a function that has just one."""
    outermost = [loop for loop in loops_in(body, declarations) if loop.depth == 0]
    assert len(outermost) == 1
    return outermost[0]


def verdict_of(body: str, declarations: str = "") -> Verdict:
    return only_loop(body, declarations).verdict


def codes_of(body: str, declarations: str = "") -> set[str]:
    """The codes of the reasons why the only outermost loop is serial."""
    return {reason.code for reason in only_loop(body, declarations).reasons}
