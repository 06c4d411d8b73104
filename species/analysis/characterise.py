"""Characterisations and species of the loops of a function, by either theory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from species.analysis.options import AnalysisOptions
from species.characterise.merging import merge
from species.characterise.patterns import characterisation_of, combining, species_of
from species.characterise.polyhedral import PolyhedralTheory
from species.characterise.statements import StatementCharacteriser, calls_into, grouped
from species.characterise.tuples import Characteriser, Tuple
from species.core.positions import Position
from species.dependence.flow.coverage import is_overwritten
from species.dependence.judge import Judge
from species.dependence.judgement import Judgement
from species.facts.loops import LoopFacts, StatementFacts
from species.loops.entry_values import standing
from species.loops.model import FunctionModel, Loop, Reference
from species.regions.c_printer import Renderer, Unprintable

PlaceOf = Callable[[Any], Position]  # of a node of the syntax tree
TextOf = Callable[[Any], str]  # a node as C


class NestCharacteriser:
    """Characterises the loops of one function, once all of them are judged."""

    def __init__(
        self,
        model: FunctionModel,
        judge: Judge,
        judgements: Mapping[int, Judgement],
        options: AnalysisOptions,
        place_of: PlaceOf,
        text_of: TextOf,
    ) -> None:
        self._model, self._judge, self._judgements, self._options = model, judge, judgements, options
        self._place_of, self._text_of = place_of, text_of
        self._polyhedral = PolyhedralTheory(model, judge, judgements)

    def characterised(self, facts: LoopFacts, loop: Loop, base: tuple[Loop, ...]) -> LoopFacts:
        """The facts with what the nest that starts at `loop` touches; `base` are its base loops."""
        if self._options.at == "statement":
            facts = replace(facts, statements=self._statements(loop))
        if not loop.counted:
            return facts
        if self._options.theory == "polyhedral":
            return self._by_polyhedra(facts, loop, base)
        return self._by_references(facts, loop, base)

    def _by_references(self, facts: LoopFacts, loop: Loop, base: tuple[Loop, ...]) -> LoopFacts:
        tuples = self._tuples(loop, base)
        renderer = Renderer(self._model, loop)
        try:
            listed = tuple(characterisation_of(t, renderer) for t in tuples or ())
            species = species_of(tuples, renderer) if tuples is not None else None
        except Unprintable:
            listed, species = (), None
        exact = tuples is not None and all(t.exact for t in tuples)
        species = species if self._has_species(facts, loop) else None
        return replace(facts, characterisations=listed, species=species, exact=exact)

    def _has_species(self, facts: LoopFacts, loop: Loop) -> bool:
        hidden = any(a.live for a in self._judgements[loop.number].arrays)  # a species cannot name the result
        return facts.verdict.is_parallel and not hidden

    def _by_polyhedra(self, facts: LoopFacts, loop: Loop, base: tuple[Loop, ...]) -> LoopFacts:
        """As by references, but with the base loops, the species and the exactness of the other theory."""
        named = self._named(loop)
        operators = {id(r): operator for r, operator in named}
        references = [r for r, _ in named if r is not None]
        found = self._polyhedral.describe(loop, references, lambda r: operators[id(r)])
        if isinstance(found, str) or len(references) < len(named):
            return replace(self._by_references(facts, loop, base), species=None, exact=False)
        facts = self._by_references(facts, loop, found.base)
        names = tuple(b.iterator.name for b in found.base if b.iterator)
        species = found.species if self._has_species(facts, loop) else None
        return replace(facts, base_loops=names, species=species, exact=found.exact)

    def _tuples(self, loop: Loop, base: tuple[Loop, ...]) -> list[Tuple] | None:
        """The merged characterisations of a nest; None if some reference has no bounded domain."""
        provided = self._judgements[loop.number].provided
        characteriser = Characteriser(self._model, loop, base, self._model.extents, provided)
        found = []
        for reference, operator in self._named(loop):
            item = characteriser.tuple_of(reference) if reference is not None else None
            if item is None:
                return None
            found.append(replace(item, operator=operator))
        return merge(found, self._options.t_gap)

    def _named(self, loop: Loop) -> list[tuple[Reference | None, str | None]]:
        """The references that make up a species, named as their objects are before the loop (None: they have
        no name there), with the operators that combine what they write.
        """
        judgement = self._judgements[loop.number]
        return [(_standing(loop, r), combining(r, judgement)) for r in self._visible(loop)]

    def _visible(self, loop: Loop) -> list[Reference]:
        """The references that make up a species: arrays that outlive the nest, and reduction scalars.

        A read of what the same iteration has just written is left out (it could be a register).
        """
        judgement = self._judgements[loop.number]
        references = self._judge.placed(judgement)
        combined = {r.place.symbol for r in judgement.reductions if r.is_scalar}
        private = {a.symbol for a in judgement.arrays if judgement.is_parallel and not a.live}
        private |= {r.symbol for r in references if self._judge.allocates(loop, r.symbol)}
        kept = []
        for r in references:
            if (
                (self._judge.is_inside(r.symbol, loop) and r.place.base is None)
                or r.symbol in private
                or (r.place.is_variable and r.symbol.ctype.kind == "pointer")
            ):
                continue
            if r.place.is_variable and r.symbol.is_scalar:
                if r.write and r.symbol in combined:
                    kept.append(r)
            elif r.write or not is_overwritten(r, references, self._model):
                kept.append(r)
        return kept

    # Statements

    def _statements(self, loop: Loop) -> tuple[StatementFacts, ...]:
        """The statements directly in the loop's body that touch arrays."""
        references = self._judge.placed(self._judgements[loop.number])
        arrays = [r for r in references if not r.place.is_variable]
        characteriser = StatementCharacteriser(self._model, loop, self._text_of)
        found = []
        for node, references in grouped(loop, arrays):
            named = [_standing(loop, r) for r in references]
            listed = [characteriser.characterisation(r) if r is not None else None for r in named]
            known = tuple(dict.fromkeys(c for c in listed if c is not None))
            complete = None not in listed and not calls_into(node, loop, arrays)
            found.append(StatementFacts(self._place_of(node), known, complete))
        return tuple(found)


def _standing(loop: Loop, reference: Reference) -> Reference | None:
    place = standing(loop, reference.place)
    if place is None or place is reference.place:
        return None if place is None else reference
    return replace(reference, place=place)
