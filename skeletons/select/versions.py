"""Two versions of a loop: with threads, and as it is for the times when they do not pay.

A directive whose `if` clause is false still costs: the loop has become a function of its own, which the
run-time library calls, and in which the compiler no longer knows what the code around knows (loop versioning;
compilers do the same behind alias checks).
"""

from __future__ import annotations

from collections.abc import Sequence

from skeletons.kernel.chunks import can_stand_twice
from skeletons.kernel.context import Subject
from skeletons.kernel.spelling import user_words
from skeletons.select.feedback import SHARE, THREADS, Trial
from species.source.text.code import words_in

_CLAUSE = "if("
_PARALLEL = "#pragma omp parallel"


def versioned(
    subject: Subject, clauses: Sequence[str], *, often: bool, part: bool = False
) -> tuple[str, tuple[str, ...]]:
    """The condition of a loop with two versions, and the clauses that are left for its directive.

    The condition is empty, and all clauses are left, where the loop is not entered `often`, where nothing is
    asked, and where its text cannot stand in the file twice, or calls functions of the file: those that are
    called once become a part of what calls them, with the constants that they get, and so they shall stay.
    In a `part` of a program, how often that is is unknown, and both versions are written.
    """
    asked = [clause for clause in clauses if clause.startswith(_CLAUSE)]
    text = subject.span.of(subject.text)
    calls = not part and not subject.declarations.functions.keys().isdisjoint(words_in(text))
    if not (often or part) or not asked or calls or not can_stand_twice(text):
        return "", tuple(clauses)
    rest = tuple(clause for clause in clauses if clause not in asked)
    condition = asked[0][len(_CLAUSE) : -1]
    if THREADS in user_words(subject.unit) or f"{SHARE}(" in condition:  # which asks the same
        return condition, rest
    return f"({condition}) && {THREADS}() > 1", rest


def versioned_nests(text: str, original: str, trial: Trial | None) -> str:
    """Nests with directives, and the `original` for the times when no directive of theirs has its threads, or
    that is slower by a trial.
    """
    limits = [_limit(line) for line in text.splitlines() if line.lstrip().startswith(_PARALLEL)]
    if not limits or not (all(limits) or trial) or not can_stand_twice(original):
        return text
    condition = " || ".join(f"({each})" for each in dict.fromkeys(limits)) if all(limits) else ""
    if len(limits) == 1:
        text = text.replace(f" {_CLAUSE}{limits[0]})", "", 1)
    if trial is None:
        return f"if ({condition}) {{\n{text}\n}} else {{\n{original}\n}}"
    asked = f"({THREADS}() == 1 || {trial.asked})"  # one thread is better off with the nests in order
    condition = f"({condition}) && {asked}" if condition else asked
    both = f"if ({condition}) {{\n{text}\n}} else {{\n{original}\n}}"
    return f"{{ {trial.declared}\n{both}\n{trial.noted} }}"


def _limit(line: str) -> str:
    """What the `if` clause of a directive asks; empty where there is none."""
    _, found, rest = line.partition(f" {_CLAUSE}")
    depth = 1
    for place, character in enumerate(rest if found else ""):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return rest[:place]
    return ""
