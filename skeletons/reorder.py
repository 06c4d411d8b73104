"""Nests in the order that accelerators like, as C: what kernels are then made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import islpy as isl

from skeletons.alike import read_the_same
from skeletons.ctext import begins_statement, identifier, names_in
from skeletons.declarations import Declarations
from skeletons.emit.expressions import DEFINITIONS, written_out
from skeletons.model import Choice, CompileOptions, Program
from skeletons.products import Products
from skeletons.schedules import NESTS, kernel_of, text_of
from skeletons.transform import cores, rightlooking
from skeletons.transform.device import ordered
from skeletons.transform.effort import limited_effort
from skeletons.transform.model import ScopModel
from skeletons.transform.pipeline import Transformed
from skeletons.vectors import InnerSums
from species.facts import LoopFacts, Reduction, UnitFacts
from species.positions import LoopSpans, Span
from species.scops import Scop
from species.source.edits import Edit
from species.source.places import told_by_place
from species.source.rewriting import Rewriting

if TYPE_CHECKING:
    from species.source import TranslationUnit


@dataclass(frozen=True)
class _Nests:
    """Nests that stand in another order: a loop, as it were, of the original, and what is there instead."""

    owner: LoopFacts
    edit: Edit
    steps: tuple[str, ...]


@dataclass(frozen=True)
class Reordered:
    """A file with some nests in another order."""

    written: Rewriting
    facts: UnitFacts  # of the original
    nests: tuple[_Nests, ...]

    @property
    def text(self) -> str:
        """The new text of the file."""
        return self.written.text

    @property
    def places(self) -> tuple[Span, ...]:
        """Where the nests stand in the new text."""
        return tuple(self.written.places())

    def in_source(self, program: Program) -> Program:
        """The program that was made of the text, in terms of the original: nests count as one loop each."""
        inside: dict[Edit, list[LoopFacts]] = {nests.edit: [] for nests in self.nests}
        outside = []
        for loop in program.replaced:
            assert loop.spans is not None
            edit = self.written.edit_at(loop.spans.whole.start)
            if edit is not None:
                inside[edit].append(loop)
            else:
                outside.append(self._moved(loop, self.written.in_original(loop.spans)))
        owners = [_with_reductions(nests.owner, inside[nests.edit]) for nests in self.nests]
        replaced = sorted(
            [*owners, *outside], key=lambda loop: loop.spans.whole if loop.spans else Span(0, 0)
        )
        choices = [
            Choice(o.kernel, NESTS, _why(n), steps=n.steps)
            for o, n in zip(owners, self.nests, strict=True)
            if o.kernel
        ]
        return replace(program, replaced=tuple(replaced), choices=(*choices, *program.choices))

    def _moved(self, loop: LoopFacts, spans: LoopSpans) -> LoopFacts:
        position = next((f.position for f in self.facts.loops if f.spans == spans), loop.position)
        return replace(loop, spans=spans, position=position)


def _why(nests: _Nests) -> tuple[tuple[str, bool, str], ...]:
    return ((NESTS.name, True, ", ".join(nests.steps)),)


def _with_reductions(owner: LoopFacts, inside: list[LoopFacts]) -> LoopFacts:
    """If a kernel among the nests combines parts in another order, all that is written may have other last
    digits.
    """
    assert owner.kernel is not None
    if not any(loop.reductions for loop in inside):
        return owner
    names = [array.name for array in owner.kernel.arrays] + [s.name for s in owner.kernel.scalars]
    return replace(owner, reductions=tuple(Reduction("+", name) for name in names))


def reordered(
    unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, *, cpu: bool = False
) -> Reordered | None:
    """The file with all nests in another order for which that means more parallel loops; None where there are
    none.

    `facts` have static control parts.  With `cpu`, the order is one for cores with vectors.
    """
    nests = tuple(_found(unit, facts, options, cpu))
    if not nests:
        return None
    return Reordered(Rewriting(unit.source.text, tuple(n.edit for n in nests)), facts, nests)


def _found(unit: TranslationUnit, facts: UnitFacts, options: CompileOptions, cpu: bool) -> Iterator[_Nests]:
    number = 0
    for scop in sorted(facts.scops, key=lambda scop: scop.span):
        if scop.position.file != unit.source.path or "#" in scop.span.of(unit.source.text) or scop.conditions:
            continue
        first = next((f for f in facts.loops if f.spans and f.spans.whole.start == scop.span.start), None)
        if first is None or _is_inside_kernel(scop, facts):
            continue
        if told_by_place(unit, scop.span.of(unit.source.text)):
            continue
        try:
            found = _looking_ahead(unit, facts, options, scop, first, number + 1, cpu)
            if found is None:
                with limited_effort():
                    found = _nests(unit, facts, options, scop, first, number + 1, cpu)
        except isl.Error:  # it takes too long
            continue
        if found is not None:
            number += 1
            yield found


def _looking_ahead(
    unit: TranslationUnit,
    facts: UnitFacts,
    options: CompileOptions,
    scop: Scop,
    first: LoopFacts,
    number: int,
    cpu: bool,
) -> _Nests | None:
    """The nests with sums in cells instead of variables, where their right-looking form needs that."""
    if scop.alternative is None or options.strict_fp:
        return None
    try:
        with limited_effort():
            found = _nests(unit, facts, options, scop.alternative, first, number, cpu)
    except isl.Error:  # it takes too long
        return None
    return found if found is not None and rightlooking.NAME in found.steps else None


def _nests(
    unit: TranslationUnit,
    facts: UnitFacts,
    options: CompileOptions,
    scop: Scop,
    first: LoopFacts,
    number: int,
    cpu: bool,
) -> _Nests | None:
    model = ScopModel(scop, options.machine, options.wanted)
    products = Products(unit, Declarations.of(unit.ast))
    if cpu:
        reorder = not options.strict_fp
        same = read_the_same(unit)
        model, tree, steps = cores.ordered(model, options.without, products.recognise, same, reorder=reorder)
    else:
        tree, steps = ordered(model, options.without)
    if not steps:
        return None
    plain = InnerSums(unit, facts, reorder=False)
    text, _ = text_of(unit, Transformed(model, tree, steps), products, plain, threshold=False)
    text = written_out(text)
    if set(DEFINITIONS) & set(names_in(text)):
        return None  # bounds that no analysis sees through
    assert first.spans is not None
    name = identifier(f"{Path(unit.source.path).stem}_n{number}")
    spans = LoopSpans(scop.span, first.spans.header, first.spans.body)
    owner = replace(first, spans=spans, kernel=kernel_of(model, name, set()), reductions=())
    return _Nests(owner, Edit(scop.span, _braced(unit.source.text, scop, text)), steps)


def _braced(source: str, scop: Scop, text: str) -> str:
    """In braces where the nests are the branch of something."""
    return text if begins_statement(source, scop.span.start) else "{\n" + text + "\n}"


def _is_inside_kernel(scop: Scop, facts: UnitFacts) -> bool:
    around = (f.spans.whole for f in facts.loops if f.spans and f.kernel is not None)
    return any(one.start < scop.span.start and scop.span.end <= one.end for one in around)
