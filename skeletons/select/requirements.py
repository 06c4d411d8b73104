"""The entries of `requires` in a descriptor: each asks one question of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from skeletons.body.halo_tiles import tiled_arrays
from skeletons.body.transpose import turned_arrays
from skeletons.body.triangle import triangle_of
from skeletons.body.unroll_and_jam import check_shared
from skeletons.kernel.context import Subject
from skeletons.sums import teams
from skeletons.sums.tiled_reduction import recognise
from species.core.refusal import NOT_APPLICABLE, Refusal


def base_loops(subject: Subject, allowed: list[int]) -> str | None:
    """As many base loops as the range says."""
    low, high = allowed
    count = len(subject.kernel.loops)
    wanted = str(low) if low == high else f"{low} to {high}"
    return None if low <= count <= high else f"it needs {wanted} base loops, this has {count}"


def elements(subject: Subject, allowed: list[str]) -> str | None:
    """Only arrays of these element types."""
    for array in subject.kernel.arrays:
        element = subject.declarations.canonical(array.element) or array.element
        if element not in allowed:
            return f"the elements of {array.name} are {element}, it takes {', '.join(allowed)}"
    return None


def steps(subject: Subject, allowed: list[int]) -> str | None:
    """Only loops with these increments."""
    for loop in subject.kernel.loops:
        if loop.step not in allowed:
            return f"the step of {loop.iterator} is {loop.step}"
    return None


def rectangular(subject: Subject, _: bool) -> str | None:
    """No base loop's bounds depend on another base loop."""
    return f"the bounds of {subject.tied} depend on an outer loop" if subject.tied else None


def conditions(subject: Subject, _: bool) -> str | None:
    """No run-time conditions."""
    return "it is parallel on a condition only" if subject.kernel.conditions else None


def reductions(subject: Subject, operators: list[str]) -> str | None:
    """At least one scalar is reduced, all of them with these operators (an empty list: none is)."""
    found = subject.facts.reductions
    if not found or not operators:
        return None if bool(found) == bool(operators) else f"{'no' if operators else 'a'} scalar is reduced"
    scalars = {scalar.name for scalar in subject.kernel.scalars}
    for reduction in found:
        if reduction.operator not in operators:
            return f"it does not reduce with {reduction.operator}"
        if reduction.variable not in scalars and not reduction.keeps:
            return f"{reduction.variable} is no scalar, and only scalars are reduced"
    return None


def combined(subject: Subject, allowed: list[str]) -> str | None:
    """Values are combined into elements of arrays, with these operators only."""
    found = subject.kernel.combined
    for reduction in found:
        if reduction.operator not in allowed:
            return f"it does not combine elements of {reduction.array} with {reduction.operator}"
    return None if found else "nothing is combined into elements of an array"


def rows(subject: Subject, _: bool) -> str | None:
    """At least one matrix that is touched a row by every thread."""
    return None if turned_arrays(subject) else "no matrix is touched row by row, a row per thread"


def shared(subject: Subject, _: bool) -> str | None:
    """The iterations of one of the base loops read the same cells."""
    try:
        check_shared(subject)
    except Refusal as refusal:
        return str(refusal)
    return None


def triangular(subject: Subject, _: bool) -> str | None:
    """Two base loops, the rows of which grow or shrink evenly."""
    try:
        triangle_of(subject)
    except Refusal as refusal:
        return str(refusal)
    return None


def contraction(subject: Subject, _: bool) -> str | None:
    """Sums over inner loops, of values that the iterations of two base loops share."""
    try:
        recognise(subject)
    except Refusal as refusal:
        return str(refusal)
    return None


def pattern(subject: Subject, allowed: list[str]) -> str | None:
    """The iterations are tied together by one of these patterns."""
    found = subject.kernel.pattern
    return None if found and found.kind in allowed else NOT_APPLICABLE


def tile(subject: Subject, dimensions: int) -> str | None:
    """At least one array whose reads are all `iterator + constant`, over so many base loops."""
    try:
        return None if tiled_arrays(subject, dimensions) else "no array is read with constant offsets only"
    except Refusal as refusal:
        return str(refusal)


def device(subject: Subject, kinds: list[str]) -> str | None:
    """The machine's description says that the device is of one of these kinds."""
    return (
        None
        if subject.device in kinds
        else f"the device is not a {' or a '.join(kind.upper() for kind in kinds)}"
    )


def team(subject: Subject, _: bool) -> str | None:
    """Every iteration adds up in one inner loop, whose steps several threads can share."""
    try:
        teams.recognise(subject)
    except Refusal as refusal:
        return str(refusal)
    return None


_QUESTIONS: Mapping[str, Callable[[Subject, Any], str | None]] = {
    "device": device,
    "base_loops": base_loops,
    "elements": elements,
    "steps": steps,
    "rectangular": rectangular,
    "conditions": conditions,
    "reductions": reductions,
    "combined": combined,
    "pattern": pattern,
    "tile": tile,
    "rows": rows,
    "shared": shared,
    "triangular": triangular,
    "contraction": contraction,
    "team": team,
}


def unmet(subject: Subject, requires: Mapping[str, Any]) -> str | None:
    """Why the first requirement that is not met is not met; None if all are.

    Iterations that a pattern ties together are only for skeletons that ask for the pattern.
    """
    tied = subject.kernel.pattern
    if tied is not None and "pattern" not in requires:
        return f"the loop is a {tied.kind}"
    answers = (_QUESTIONS[name](subject, value) for name, value in requires.items())
    return next((answer for answer in answers if answer is not None), None)
