"""The clauses of an OpenMP directive for a kernel."""

from __future__ import annotations

from dataclasses import replace

from skeletons.ctext import words_in
from skeletons.machine import DEFAULT, Machine
from skeletons.outline import unlisted_iterators
from skeletons.subject import Subject
from species.annotate import openmp

ENOUGH = 8  # iterations of the outermost loop for every thread


def clauses(subject: Subject, machine: Machine = DEFAULT) -> tuple[str, ...]:
    """The clauses that `cuvier annotate` would write, but for iterators whose final value is needed.

    They are private here: OpenMP leaves them as they were if the loop makes no iteration, C does not, so
    the host template lets the loop's header run once more for them.
    """
    facts, kept = subject.facts, subject.kept_iterators()
    inside = {loop.iterator for loop in subject.kernel.loops if loop.declared_inside}
    unlisted = (scalar.name for scalar in unlisted_iterators(subject))
    inside |= set(facts.lastprivate_conditional)
    private = tuple(n for n in (*facts.private, *kept, *unlisted) if n not in inside)
    last = tuple(n for n in facts.lastprivate if n not in kept)
    conditions = facts.conditions or subject.kernel.conditions
    stated = replace(facts, private=private, lastprivate=last, conditions=conditions)
    return (*openmp.clauses(stated, joined_loops(subject, machine)), *_schedule(subject))


def _schedule(subject: Subject) -> tuple[str, ...]:
    """For iterations of which data decide how long they take: threads ask for more as they come to an end."""
    if "while" not in words_in(subject.span.of(subject.text)):
        return ()
    return ("schedule(dynamic)",) if len(subject.kernel.loops) > 1 else ("schedule(guided)",)


def joined_loops(subject: Subject, machine: Machine = DEFAULT) -> int:
    """How many loops a directive joins, from the outermost one inwards."""
    return subject.facts.collapse if _is_short(subject, machine) else 1


def _is_short(subject: Subject, machine: Machine) -> bool:
    """Has the outermost loop too few iterations for all threads?  Else joined loops only hinder vectors."""
    trips = subject.kernel.loops[0].trips
    return trips is not None and trips.isdigit() and int(trips) < ENOUGH * machine.cores
