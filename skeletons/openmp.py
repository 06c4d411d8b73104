"""The clauses of an OpenMP directive for a kernel."""

from __future__ import annotations

from collections.abc import Iterable

from skeletons.ctext import accesses, names_in
from skeletons.outline import unlisted_iterators
from skeletons.subject import Subject
from species.facts import Reduction


def clauses(subject: Subject) -> tuple[str, ...]:
    """The clauses in a fixed order, each variable in one of them only.

    Iterators whose final value is needed are private here: OpenMP leaves them as they were if the loop makes
    no iteration, C does not, so the host template lets the loop's header run once more for them.
    """
    facts, kept = subject.facts, subject.kept_iterators()
    inside = {loop.iterator for loop in subject.kernel.loops if loop.declared_inside}
    reduced = {name for r in facts.reductions for name in names_in(r.variable)[:1]}
    # firstprivate as well: gcc copies the private value back even where the loop makes no iteration
    last = [n for n in facts.lastprivate if n not in kept and n not in reduced]
    unlisted = (scalar.name for scalar in unlisted_iterators(subject))
    private = [
        n
        for n in (*facts.private, *kept, *unlisted)
        if n not in last and n not in reduced and n not in inside
    ]
    first = [n for n in (*facts.firstprivate, *last) if n not in reduced]
    conditions = facts.conditions or subject.kernel.conditions
    return tuple(
        [f"collapse({facts.collapse})"] * (facts.collapse > 1)
        + _listed("private", [n for n in private if n not in first])
        + _listed("firstprivate", first)
        + _listed("lastprivate", last)
        + [f"reduction({r.operator}:{_section(r)})" for r in facts.reductions]
        + [f"if({' && '.join(f'({c})' for c in conditions)})"] * bool(conditions)
    )


def _listed(clause: str, names: Iterable[str]) -> list[str]:
    unique = list(dict.fromkeys(names))
    return [f"{clause}({', '.join(unique)})"] if unique else []


def _section(reduction: Reduction) -> str:
    """An array element as a section of length one, as OpenMP wants it."""
    name = names_in(reduction.variable)[0]
    subscripts = accesses(reduction.variable, name)[0].subscripts
    return name + "".join(f"[{s}]" if ":" in s else f"[{s}:1]" for s in subscripts)
