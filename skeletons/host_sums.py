"""Sums in nests that stay on the host: in variables, and marked for vectors, as no compiler may do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import islpy as isl

from skeletons.ctext import identifier
from skeletons.emit.expressions import DEFINITIONS
from skeletons.machine import Machine
from skeletons.products import Products
from skeletons.schedules import in_place, kernel_of, text_of
from skeletons.spelling import user_words
from skeletons.transform.effort import limited_effort
from skeletons.transform.model import ScopModel
from skeletons.transform.parallel import vectorise
from skeletons.transform.pipeline import VECTORISE, Transformed
from skeletons.transform.tree import bands
from skeletons.vectors import InnerSums
from species.facts import LoopFacts, Reduction, UnitFacts
from species.positions import Span
from species.scops import Scop, ScopLoop
from species.source.edits import Edit
from species.source.places import told_by_place

if TYPE_CHECKING:
    from species.source import TranslationUnit


@dataclass(frozen=True)
class HostNest:
    """What stands in a nest's place, and the nest: what it writes may have other last digits."""

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

    def found(self, taken: Sequence[Span]) -> Iterator[HostNest]:
        """The nests outside of all `taken` places that add to cells in their innermost loops."""
        if {*DEFINITIONS} & user_words(self.unit):
            return
        number = 0
        for scop in sorted(self.facts.scops, key=lambda scop: scop.span):
            for node in scop.nodes:
                if not isinstance(node, ScopLoop) or not self._may_change(scop, node, taken):
                    continue
                made = self._limited(replace(scop, span=node.spans.whole, nodes=(node,)), number + 1)
                if made is not None:
                    number += 1
                    yield made

    def _may_change(self, scop: Scop, node: ScopLoop, taken: Sequence[Span]) -> bool:
        whole, source = node.spans.whole, self.unit.source
        text = whole.of(source.text)
        if scop.position.file != source.path or scop.conditions or "#" in text:
            return False
        apart = all(one.end <= whole.start or whole.end <= one.start for one in taken)
        return apart and not told_by_place(self.unit, text)

    def _limited(self, scop: Scop, number: int) -> HostNest | None:
        try:
            with limited_effort():
                return self._made(scop, number)
        except isl.Error:  # it takes too long
            return None

    def _made(self, scop: Scop, number: int) -> HostNest | None:
        source, model = self.unit.source.text, ScopModel(scop, self.machine)
        first = next((f for f in self.facts.loops if f.spans and f.spans.whole == scop.span), None)
        tree = vectorise(model, model.original, reorder=True)
        if first is None or not any("accumulate" in band.marks for band in bands(tree)):
            return None
        made = Transformed(model, tree, (VECTORISE,))
        text, _ = text_of(self.unit, made, self.products, self.sums, threshold=False)
        kernel = kernel_of(model, identifier(f"{Path(self.unit.source.path).stem}_s{number}"), set())
        written = [array.name for array in kernel.arrays] + [scalar.name for scalar in kernel.scalars]
        owner = replace(first, kernel=kernel, reductions=tuple(Reduction("+", name) for name in written))
        return HostNest(Edit(scop.span, in_place(source, scop.span, text)), owner)
