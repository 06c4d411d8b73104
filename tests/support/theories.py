"""Both theories of species side by side (see species/characterise/polyhedral)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unittest import mock

from species import AnalysisOptions, analyse
from species.analysis.characterise import NestCharacteriser
from species.characterise.patterns import part_of, species_of
from species.characterise.polyhedral import Described
from species.characterise.tuples import Tuple
from species.facts.loops import LoopFacts
from species.grammar.nodes import ArraySpecies, Range, Species
from species.loops.model import Loop
from species.regions.c_printer import Renderer
from species.source import TranslationUnit

_OPTIONS = AnalysisOptions(t_gap=0, theory="polyhedral")


@dataclass(frozen=True)
class Nest:
    """A nest by both theories, with the base loops of the polyhedral one; `tuples` are the other's."""

    facts: LoopFacts
    references: Species
    tuples: tuple[Tuple, ...]
    parts: tuple[ArraySpecies, ...]  # of the tuples, in their order

    @property
    def polyhedral(self) -> Species:
        assert self.facts.species is not None
        return self.facts.species


def by_both(unit: TranslationUnit) -> list[Nest]:
    """The nests of a file that have a species by both theories."""
    found: list[Nest] = []
    original = NestCharacteriser._by_polyhedra

    def watched(self: NestCharacteriser, facts: LoopFacts, loop: Loop, base: tuple[Loop, ...]) -> LoopFacts:
        result = original(self, facts, loop, base)
        described = self._polyhedral.describe(loop, self._visible(loop), lambda r: None)
        if result.species is not None and isinstance(described, Described):
            tuples = self._tuples(loop, described.base)
            if tuples is not None:
                renderer = Renderer(self._model, loop)
                parts = tuple(part_of(t, renderer) for t in tuples)
                found.append(Nest(result, species_of(tuples, renderer), tuple(tuples), parts))
        return result

    with mock.patch.object(NestCharacteriser, "_by_polyhedra", watched):
        analyse(unit, _OPTIONS)
    return found


def both_apply(nest: Nest) -> bool:
    """Do both theories apply, as the docstring of the package defines it?"""
    return nest.facts.exact and all(map(_is_plain, nest.tuples))


def _is_plain(item: Tuple) -> bool:
    if not item.exact or any(t is None or (t.is_constant and t.constant < 2) for t in item.trips):
        return False
    if any(sum(map(bool, steps)) > 1 for steps in item.steps):
        return False
    dimensions = range(len(item.dimensions))
    return all(sum(map(bool, item.base_steps(d))) <= 1 and _is_dense(item, d) for d in dimensions)


def _is_dense(item: Tuple, dimension: int) -> bool:
    """Does one base iteration touch all elements between its first and its last one?"""
    inner = [
        (abs(steps[dimension]), trips)
        for steps, trips, base in zip(item.steps, item.trips, item.base, strict=True)
        if steps[dimension] and not base
    ]
    covered = 1
    for step, trips in sorted(inner, key=lambda part: part[0]):
        if step > covered or step.denominator != 1:
            return False
        many = trips.constant if trips is not None and trips.is_constant else 1000
        covered += int(step) * (many - 1)
    return True


Part = tuple[str | None, str, tuple[tuple[int, int], ...], tuple[tuple[int, int] | None, ...]]
Side = frozenset[Part]


def agree(nest: Nest) -> bool:
    """Do both species mean the same, whatever the names stand for?"""
    return all(_by_polyhedra(nest, v) == _by_references(nest, v) for v in (40, 55))


def _by_polyhedra(nest: Nest, value: int) -> tuple[Side, Side]:
    inputs, outputs = nest.polyhedral.inputs, nest.polyhedral.outputs
    return frozenset(_part(p, value) for p in inputs), frozenset(_part(p, value) for p in outputs)


def _by_references(nest: Nest, value: int) -> tuple[Side, Side]:
    """With the ranges of base loops in the place of the domains of neighbourhoods."""
    sides: tuple[set[Part], set[Part]] = set(), set()
    for item, part in zip(nest.tuples, nest.parts, strict=True):
        if part in (nest.references.outputs if item.write else nest.references.inputs):
            name, kind, domain, offsets = _part(part, value)
            if kind == "neighbourhood":
                moved = [any(item.base_steps(d)) for d in range(len(domain))]
                domain = tuple(map(_less, domain, offsets, moved))
            sides[item.write].add((name, kind, domain, offsets))
    return frozenset(sides[0]), frozenset(sides[1])


def _less(domain: tuple[int, int], offsets: tuple[int, int] | None, moved: bool) -> tuple[int, int]:
    return (domain[0] - offsets[0], domain[1] - offsets[1]) if offsets and moved else domain


def _part(part: ArraySpecies, value: int) -> Part:
    """In numbers, all names being `value` or near it; `full` and `shared` are one."""
    kind = "still" if part.pattern.kind in ("full", "shared") else part.pattern.kind
    offsets = tuple(_numbers(r, value) if r else None for r in part.pattern.ranges)
    return part.name, kind, tuple(_numbers(r, value) for r in part.domain), offsets


def _numbers(interval: Range, value: int) -> tuple[int, int]:
    return _number(interval.low, value), _number(interval.high, value)


def _number(text: str, value: int) -> int:
    names = sorted(set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", text)) - {"min", "max"})
    known = {name: value + sum(map(ord, name)) % 7 for name in names}
    return int(eval(text.replace("/", "//"), {"min": min, "max": max}, known))


def disagreements(unit: TranslationUnit) -> Iterator[str]:
    """Nests to which both theories apply and of which they say different things."""
    for nest in by_both(unit):
        if both_apply(nest) and not agree(nest):
            yield f"{nest.facts.position}: {nest.polyhedral} or {nest.references}"
