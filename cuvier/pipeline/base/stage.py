"""A file with nests in other words than the user's: analysed like any other text, and told in the user's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from cuvier.pipeline.base.settle import settle
from skeletons import Choice, Program
from species.core.positions import LoopSpans, Span
from species.facts.loops import KernelArray, LoopFacts, UnitFacts
from species.grammar.nodes import Range
from species.source import TranslationUnit
from species.source.text.code import rename
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting

Again = Callable[[str], tuple[TranslationUnit, UnitFacts]]


@dataclass(frozen=True)
class Nest:
    """A loop, the variables that are ours (by name: what they stand for), and what stands in its place."""

    facts: LoopFacts
    names: Mapping[str, str]
    edit: Edit


@dataclass(frozen=True)
class Renewed:
    """A file in which nests use variables of ours for what cannot be told of otherwise; by what `feature`."""

    feature: str
    unit: TranslationUnit
    facts: UnitFacts
    written: Rewriting
    nests: tuple[Nest, ...]

    @property
    def places(self) -> tuple[Span, ...]:
        """What is no kernel's neighbour: nothing, blocks are apart from what stands around them."""
        return ()

    def in_source(self, program: Program) -> Program:
        """The program, its loops in terms of the file, and what was done to them."""
        made = {nest.edit: nest for nest in self.nests}
        names = {}
        for loop in program.replaced:
            edit = self._edit(loop.spans.whole) if loop.spans else None
            if loop.kernel is not None and edit is not None:
                names[loop.kernel.name] = ", ".join(made[edit].names.values())
        choices = tuple(
            self._told(c, names[c.kernel.name]) if c.kernel.name in names else c for c in program.choices
        )
        return replace(program, replaced=tuple(self._in_source(program)), choices=choices)

    def _told(self, choice: Choice, replaced: str) -> Choice:
        if not replaced:
            return choice
        return replace(choice, why=((self.feature, True, f"{replaced} in variables"), *choice.why))

    def _edit(self, span: Span) -> Edit | None:
        return self.written.edit_at(span.start)

    def _in_source(self, program: Program) -> Iterator[LoopFacts]:
        made = {nest.edit: nest for nest in self.nests}
        for loop in program.replaced:
            assert loop.spans is not None
            edit = self._edit(loop.spans.whole)
            if edit is None:
                parts = (loop.spans.whole, loop.spans.header, loop.spans.body)
                yield replace(loop, spans=LoopSpans(*map(self._original, parts)))
                continue
            nest = made[edit]
            spans = replace(loop.spans, whole=edit.span)
            yield replace(_renamed(loop, nest.names), spans=spans, position=nest.facts.position)

    def _original(self, span: Span) -> Span:
        """Where a stretch of the text stands in the file; there may be blocks of ours in it."""
        return Span(self.written.origin(span.start), self.written.origin(span.end))


def renewed(
    feature: str,
    unit: TranslationUnit,
    facts: UnitFacts,
    again: Again,
    nests: Callable[[Collection[Span]], Iterable[Nest]],
    serves: Callable[[LoopFacts], bool],
) -> Renewed | None:
    """The file with `nests` (but for those that stand where is told) in place of others, as far as that
    `serves` the first loop of each; None: nowhere.  `again` reads the file as if it read like a text.
    """

    def propose(refused: Mapping[Span, str]) -> Renewed | None:
        found = tuple(nests(refused))
        text = Rewriting(unit.source.text, tuple(nest.edit for nest in found))
        made = Renewed(feature, *again(text.text), text, found) if found else None
        return made if made and len(made.facts.diagnostics) == len(facts.diagnostics) else None

    def unserved(made: Renewed) -> Mapping[Span, str]:
        return {nest.edit.span: feature for nest in made.nests if not _is_served(nest, made, serves)}

    return settle(propose, unserved)


def _is_served(nest: Nest, made: Renewed, serves: Callable[[LoopFacts], bool]) -> bool:
    text, facts = made.written, made.facts
    place = next(p for p, edit in zip(text.places(), text.edits, strict=True) if edit is nest.edit)
    inside = (
        f for f in facts.loops if f.spans and place.holds(f.spans.whole) and f.position.file == facts.file
    )
    first = min(inside, key=lambda f: f.spans.whole if f.spans else Span(0, 0), default=None)
    return first is not None and serves(first)


def _renamed(loop: LoopFacts, names: Mapping[str, str]) -> LoopFacts:
    """A loop with what the variables stand for in their place."""
    assert loop.kernel is not None
    arrays = tuple(_renamed_array(array, names) for array in loop.kernel.arrays)
    scalars = tuple(scalar for scalar in loop.kernel.scalars if scalar.name not in names)
    reductions = tuple(replace(r, variable=rename(r.variable, names)) for r in loop.reductions)
    kernel = replace(loop.kernel, arrays=arrays, scalars=scalars)
    return replace(loop, kernel=kernel, reductions=reductions)


def _renamed_array(array: KernelArray, names: Mapping[str, str]) -> KernelArray:
    def moved(region: tuple[Range, ...] | None) -> tuple[Range, ...] | None:
        return (
            None
            if region is None
            else tuple(Range(rename(r.low, names), rename(r.high, names)) for r in region)
        )

    extent = tuple(None if e is None else rename(e, names) for e in array.extent)
    name = names.get(array.name, array.name)
    return replace(array, name=name, extent=extent, reads=moved(array.reads), writes=moved(array.writes))
