"""Sums in nests that stay on the host: in variables, and marked for vectors, as no compiler may do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from models.machine import Machine
from skeletons.body.simd_sums import InnerSums
from skeletons.catalogue.passes import VECTORISE
from skeletons.kernel.nest_within import nest_within
from skeletons.kernel.spelling import user_words
from skeletons.schedule.core.effort import attempted
from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.tree import bands
from skeletons.schedule.pipelines.hosts import Transformed
from skeletons.schedule.products import Products
from skeletons.schedule.schedules import in_place, kernel_of, text_of
from skeletons.schedule.transform.parallel import vectorise
from species.core.positions import Span
from species.facts import Scop, ScopLoop, ScopNode
from species.facts.loops import LoopFacts, Reduction, UnitFacts
from species.sets.isl_to_c import DEFINITIONS
from species.source.places import told_by_place
from species.source.text.code import identifier
from species.source.text.edits import Edit

if TYPE_CHECKING:
    from species.source import TranslationUnit


@dataclass(frozen=True)
class HostNest:
    """A nest, what stands in its place, and its loop: what it writes may have other last digits."""

    scop: Scop
    edit: Edit
    owner: LoopFacts


@dataclass(frozen=True)
class HostSums:
    """Finds the nests of one file, whose `facts` have static control parts."""

    unit: TranslationUnit
    facts: UnitFacts
    machine: Machine
    products: Products
    sums: InnerSums

    def found(self, taken: Sequence[Span], left: Sequence[Span]) -> Iterator[HostNest]:
        """The outermost nests outside of all `taken` places that add to cells in their innermost loops, or in
        which loops that could be kernels are `left` to the host.
        """
        if {*DEFINITIONS} & user_words(self.unit):
            return
        nests = (n for s in sorted(self.facts.scops, key=lambda s: s.span) for n in self._apart(s, taken))
        number = 1
        for scop in nests:
            is_left = any(scop.span.holds(one) for one in left)
            made = attempted(partial(self._made, scop, number, is_left))
            if made is not None:
                number += 1
                yield made

    def _apart(self, scop: Scop, taken: Sequence[Span]) -> Iterator[Scop]:
        if scop.position.file == self.unit.source.path and not scop.conditions:
            for node in scop.nodes:
                yield from self._within(scop, node, (), taken)

    def _within(
        self, scop: Scop, node: ScopNode, around: tuple[ScopLoop, ...], taken: Sequence[Span]
    ) -> Iterator[Scop]:
        """The outermost loops in a part of the nests that may be written anew."""
        if not isinstance(node, ScopLoop):
            return
        whole = node.spans.whole
        text = whole.of(self.unit.source.text)
        if all(one.end <= whole.start or whole.end <= one.start for one in taken):
            inside = nest_within(scop, node, around)
            if inside is not None and "#" not in text and not told_by_place(self.unit, text):
                yield inside
            return
        for child in node.children:
            yield from self._within(scop, child, (*around, node), taken)

    def _made(self, scop: Scop, number: int, is_left: bool) -> HostNest | None:
        source, model = self.unit.source.text, ScopModel(scop, self.machine)
        first = next((f for f in self.facts.loops if f.spans and f.spans.whole == scop.span), None)
        tree = vectorise(model, model.original, reorder=True)
        marks = {mark for band in bands(tree) for mark in band.marks}
        if first is None or not (Mark.ACCUMULATE in marks or (is_left and Mark.SIMD in marks)):
            return None
        made = Transformed(model, tree, (VECTORISE,))
        text, _ = text_of(self.unit, made, self.products, self.sums, threshold=False)
        kernel = kernel_of(model, identifier(f"{Path(self.unit.source.path).stem}_s{number}"), set())
        written = [array.name for array in kernel.arrays] + [scalar.name for scalar in kernel.scalars]
        sums = written if Mark.ACCUMULATE in marks or self.sums.changes(scop.span) else []
        owner = replace(first, kernel=kernel, reductions=tuple(Reduction("+", name) for name in sums))
        return HostNest(scop, Edit(scop.span, in_place(source, scop.span, text)), owner)
