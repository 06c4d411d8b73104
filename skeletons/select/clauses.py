"""The clauses of an OpenMP directive for a kernel."""

from __future__ import annotations

from dataclasses import replace

from models.profitability import Worth
from skeletons.body.outline import unlisted_iterators
from skeletons.body.simd_sums import FLOATS, has_clauses
from skeletons.kernel.context import Subject
from species.annotate import openmp
from species.source.text.code import directives, words_in

_LOOPS = frozenset({"for", "while", "do", "goto", "asm", "__asm__", "_Pragma"})


def clauses(subject: Subject, worth: Worth) -> tuple[str, ...]:
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
    stated = replace(facts, private=private, lastprivate=last, conditions=conditions, asked=worth.asked)
    stated = replace(stated, schedule=worth.schedule)
    return (*openmp.clauses(stated, worth.joined), *(() if worth.schedule else _schedule(subject)))


def construct(subject: Subject, *, reorder: bool) -> str:
    """`parallel for`; with `simd` for an innermost loop that adds up numbers with a point, and one that is
    for vectors across its iterations (`LoopFacts.across`).

    No compiler may use vectors for these sums by itself.  Without `reorder` it is not to, either.
    """
    facts, loops = subject.facts, subject.kernel.loops
    plain = len(loops) == 1 and not (facts.uneven or subject.kept_iterators() or has_clauses(facts))
    if facts.across > 1 and plain and not directives(loops[0].spans.body.of(subject.text)):
        return "parallel for simd"
    types = {scalar.name: subject.declarations.canonical(scalar.ctype) for scalar in subject.kernel.scalars}
    if not facts.reductions or facts.uneven or not reorder or len(loops) > 1 or subject.kept_iterators():
        return "parallel for"
    if not all(types.get(each.variable) in FLOATS and not each.with_it for each in facts.reductions):
        return "parallel for"
    if facts.conditions or facts.lastprivate_conditional or facts.linear:
        return "parallel for"  # conditions are for threads and vectors; not all clauses are for both
    body = loops[0].spans.body.of(subject.text)
    inside = words_in(body) | subject.macro_names(body)
    return "parallel for" if inside & _LOOPS or directives(body) else "parallel for simd"


def _schedule(subject: Subject) -> tuple[str, ...]:
    """For iterations of which data decide how long they take: threads ask for more as they come to an end."""
    if subject.facts.uneven or "while" not in words_in(subject.span.of(subject.text)):
        return ()  # those of triangles are shared in turns anyway
    canonical = subject.declarations.canonical(subject.kernel.loops[0].ctype) or ""
    if canonical.startswith("unsigned"):
        return ()  # gcc 12 makes other iterations where they count down, or start behind the end
    return ("schedule(dynamic)",) if len(subject.kernel.loops) > 1 else ("schedule(guided)",)
