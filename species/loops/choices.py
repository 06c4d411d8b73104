"""Subscripts that are chosen, as in `w = x == 0 ? c : c - 1`, one choice at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from species.loops.model import Reference
from species.sets.affine import Affine, Atom, Counter
from species.sets.conditions import Both, Compare, Condition, Fact
from species.sets.domains import implied
from species.sets.products import factors, replaced
from species.sets.truths import value_in

MOST = 32  # references that are made of some


def by_choice(references: Sequence[Reference]) -> Sequence[Reference]:
    """The references, each as several under conditions that exclude each other, without values in their
    subscripts that are chosen; as they are where that makes too many.
    """
    found = list(references)
    for _ in range(MOST):
        split = [each for reference in found for each in _split(reference)]
        if len(split) > MOST:
            return references
        if split == found:
            return found
        found = split
    return references


def _split(reference: Reference) -> list[Reference]:
    """A reference by the choices of one value in its subscripts; itself where there is none."""
    used = {f for s in reference.place.subscripts for a in s.atoms() for f in factors(a)}
    for number, fact in enumerate(reference.conditions):
        if isinstance(fact, Fact) and fact.value in used:
            others = reference.conditions[:number] + reference.conditions[number + 1 :]
            cases = [_case(reference, others, fact.value, part) for part in fact.parts]
            if None not in cases:
                return [case for case in cases if case is not None]
    return [reference]


def _case(
    reference: Reference, others: tuple[Condition, ...], value: Atom, case: Condition
) -> Reference | None:
    """The reference where one case holds, which says what the value is; None where it does not say it."""
    chosen = value_in(case, value)
    if chosen is None or not isinstance(case, Both):
        return None
    chosen = _as_counter(chosen, (*others, *case.parts[:-1]))
    path = tuple(replaced(s, value, chosen) if isinstance(s, Affine) else s for s in reference.place.path)
    conditions = (*others, *case.parts[:-1])
    return replace(reference, place=replace(reference.place, path=path), conditions=conditions)


def _as_counter(chosen: Affine, known: tuple[Condition, ...]) -> Affine:
    """The counter that is as much wherever the conditions hold, as in `y > 0 ? y - 1 : 0`: it goes with the
    loop; else the value itself.
    """
    compared = dict.fromkeys(a for c in known[-2:] if isinstance(c, Compare) for a in c.expression.atoms())
    for counter in (a for a in compared if isinstance(a, Counter) and a not in chosen.atoms()):
        apart = chosen - Affine.of(counter)
        if implied(Compare(apart), known) and implied(Compare(-apart), known):
            return Affine.of(counter)
    return chosen
