"""The clauses of an OpenMP directive for a kernel."""

from __future__ import annotations

from dataclasses import replace

from models.machine import DEFAULT, Machine
from skeletons.array_views import BYTES
from skeletons.ctext import directives, words_in
from skeletons.emit.threshold import REGIONS, condition
from skeletons.outline import unlisted_iterators
from skeletons.subject import Subject
from skeletons.vectors import FLOATS
from skeletons.work import Work, work_of
from species.annotate import openmp

SCALAR = 16  # times as many operations make vectors of multiply-adds as other code does
_LOOPS = frozenset({"for", "while", "do", "goto", "asm", "__asm__", "_Pragma"})
ENOUGH = 8  # iterations of the outermost loop for every thread


def clauses(subject: Subject, machine: Machine = DEFAULT, *, threshold: bool = True) -> tuple[str, ...]:
    """The clauses that `cuvier annotate` would write, but for iterators whose final value is needed.

    With `threshold`, an `if` clause keeps few iterations with one thread.

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
    asked = enough(subject, machine) if threshold else ""
    conditions = (*conditions, asked) if asked else conditions
    stated = replace(facts, private=private, lastprivate=last, conditions=conditions)
    return (*openmp.clauses(stated, joined_loops(subject, machine)), *_schedule(subject))


def construct(subject: Subject, *, reorder: bool) -> str:
    """`parallel for`; with `simd` for an innermost loop that adds up numbers with a point.

    No compiler may use vectors for these sums by itself.  Without `reorder` it is not to, either.
    """
    facts, loops = subject.facts, subject.kernel.loops
    types = {scalar.name: subject.declarations.canonical(scalar.ctype) for scalar in subject.kernel.scalars}
    if not facts.reductions or not reorder or len(loops) > 1 or subject.kept_iterators():
        return "parallel for"
    if not all(types.get(each.variable) in FLOATS and not each.with_it for each in facts.reductions):
        return "parallel for"
    if facts.conditions or facts.lastprivate_conditional or facts.linear:
        return "parallel for"  # conditions are for threads and vectors; not all clauses are for both
    body = loops[0].spans.body.of(subject.text)
    inside = words_in(body) | subject.macro_names(body)
    return "parallel for" if inside & _LOOPS or directives(body) else "parallel for simd"


def has_little(subject: Subject, machine: Machine) -> bool:
    """Are there surely too few iterations for threads?  All numbers of iterations must be known."""
    if not all(loop.trips is not None and loop.trips.isdigit() for loop in subject.kernel.loops):
        return False
    body = subject.kernel.loops[-1].spans.body.of(subject.text)
    work, words = work_of(subject), words_in(body) | subject.macro_names(body)
    unknown = subject.kernel.functions or "while" in words or ("for" in words and work.assumed)
    return not unknown and seconds_of_one_core(work, machine) < REGIONS * machine.region


def enough(subject: Subject, machine: Machine) -> str:
    """When there are enough iterations for threads, in C; empty: always, or nobody can tell."""
    trips = [loop.trips for loop in subject.kernel.loops]
    work = work_of(subject)
    if None in trips or not work.iterations:
        return ""
    seconds = seconds_of_one_core(work, machine) / work.iterations
    types = (subject.declarations.canonical(scalar.ctype) for scalar in subject.kernel.scalars)
    narrow = any(BYTES.get(ctype or "", 8) < BYTES["int"] for ctype in types)
    return condition([text for text in trips if text is not None], seconds, machine, narrow=narrow)


def seconds_of_one_core(work: Work, machine: Machine) -> float:
    """What one core takes for all iterations."""
    peak = (machine.double if work.double else machine.single).one / SCALAR
    return max(work.operations / peak, work.bytes / machine.bandwidth.one)


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
