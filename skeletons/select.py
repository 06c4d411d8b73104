"""Choosing a skeleton: the first, by priority, that takes the species and whose requirements are met."""

from __future__ import annotations

import re
from collections.abc import Callable

from skeletons.catalogue import Library
from skeletons.dialect import Refusal
from skeletons.model import Choice, Skeleton
from skeletons.patterns import parse_pattern
from skeletons.requirements import unmet
from skeletons.subject import Subject
from species.source.tokens import tokenize

_PARALLEL = re.compile(r"#\s*pragma\s+(omp|acc)\b")

Trial = Callable[[Subject, Skeleton], None]


def select(subject: Subject, library: Library, trial: Trial) -> Choice:
    """Try the target's skeletons by priority; `trial` raises Refusal where one cannot be instantiated.

    `why` of the result has an entry for every skeleton, or one entry named "kernel" that rules all out.
    """
    general = _ruled_out(subject)
    if general is not None:
        return Choice(subject.kernel, None, (("kernel", False, general),))
    why: list[tuple[str, bool, str]] = []
    chosen: Skeleton | None = None
    for skeleton in library.skeletons(subject.target.name):
        if chosen is not None:
            why.append((skeleton.name, False, f"{chosen.name} comes first"))
            continue
        reason = _refused(subject, skeleton, trial)
        why.append((skeleton.name, reason is None, reason or f"takes {skeleton.species}"))
        chosen = skeleton if reason is None else None
    return Choice(subject.kernel, chosen, tuple(why))


def _ruled_out(subject: Subject) -> str | None:
    """Why no skeleton at all can replace the loop."""
    if subject.facts.spans is None or subject.facts.position.file != subject.unit.source.path:
        return "the loop comes from a macro or from another file and cannot be replaced"
    if _has_directive(subject):
        return "the loop already stands under an OpenMP or OpenACC directive"
    if subject.target.name == "openmp" and not subject.facts.openmp:
        return "OpenMP cannot state it: no canonical loop, or a reduction into an array that is not small"
    if subject.target.accelerator and subject.kernel.obstacles:
        return "; ".join(f"{reason.code}: {reason.message}" for reason in subject.kernel.obstacles)
    return None


def _has_directive(subject: Subject) -> bool:
    before = tokenize(subject.text[: subject.span.start])
    last = next((token for token in reversed(before) if token.kind != "comment"), None)
    return last is not None and last.kind == "directive" and _PARALLEL.match(last.text) is not None


def _refused(subject: Subject, skeleton: Skeleton, trial: Trial) -> str | None:
    if not parse_pattern(skeleton.species).matches(subject.facts.species):
        return f"the species is not of the form {skeleton.species}"
    try:
        reason = unmet(subject, skeleton.requires)
        if reason is None:
            trial(subject, skeleton)
        return reason
    except Refusal as refusal:
        return str(refusal)
