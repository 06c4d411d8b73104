"""Sums in nests that stay on the host: in variables, and marked for vectors, as no compiler may do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from species.scops import Scop, ScopAccess, ScopLoop, ScopNode
from species.scops.facts import statements_in
from species.source.edits import Edit
from species.source.places import told_by_place

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
            made = self._limited(scop, number, any(scop.span.holds(one) for one in left))
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

    def _limited(self, scop: Scop, number: int, is_left: bool) -> HostNest | None:
        try:
            with limited_effort():
                return self._made(scop, number, is_left)
        except isl.Error:  # it takes too long
            return None

    def _made(self, scop: Scop, number: int, is_left: bool) -> HostNest | None:
        source, model = self.unit.source.text, ScopModel(scop, self.machine)
        first = next((f for f in self.facts.loops if f.spans and f.spans.whole == scop.span), None)
        tree = vectorise(model, model.original, reorder=True)
        marks = {mark for band in bands(tree) for mark in band.marks}
        if first is None or not ("accumulate" in marks or (is_left and "simd" in marks)):
            return None
        made = Transformed(model, tree, (VECTORISE,))
        text, _ = text_of(self.unit, made, self.products, self.sums, threshold=False)
        kernel = kernel_of(model, identifier(f"{Path(self.unit.source.path).stem}_s{number}"), set())
        written = [array.name for array in kernel.arrays] + [scalar.name for scalar in kernel.scalars]
        sums = written if "accumulate" in marks or self.sums.changes(scop.span) else []
        owner = replace(first, kernel=kernel, reductions=tuple(Reduction("+", name) for name in sums))
        return HostNest(scop, Edit(scop.span, in_place(source, scop.span, text)), owner)


def nest_within(scop: Scop, node: ScopLoop, around: tuple[ScopLoop, ...]) -> Scop | None:
    """One loop of nests alone: the iterators `around` it are parameters.  None where they have no names of
    their own.
    """
    names = [loop.iterator for loop in around]
    inside = {name for s in statements_in(node) for name in s.iterators[len(around) :]}
    if len({*names, *dict(scop.parameters)}) < len(names) + len(scop.parameters) or inside & set(names):
        return None
    return replace(
        scop,
        span=node.spans.whole,
        nodes=(_fixed(node, names),),
        parameters=(*scop.parameters, *((loop.iterator, _signed(loop)) for loop in around)),
        context=str(_reached(isl.Set(scop.context), node, names)),
        alternative=None,
    )


def _signed(loop: ScopLoop) -> str:
    """The iterator's value as a number with a sign: sums and negatives of it must not wrap around."""
    return f"(long){loop.iterator}" if loop.unsigned and loop.bits >= 32 else loop.iterator


def _reached(context: isl.Set, node: ScopLoop, names: list[str]) -> isl.Set:
    """What is known where the loop is reached: the values of the iterators around a statement, where those of
    the others do not depend on them, and there always are some.
    """
    kind, count = isl.dim_type.set, len(names)
    for statement in statements_in(node) if names else ():
        domain = isl.Set(statement.domain).reset_tuple_id()
        outer = domain.project_out(kind, count, domain.dim(kind) - count)
        inner = domain.project_out(kind, 0, count)
        runs = not statement.guarded and context.is_subset(inner.params())
        if runs and outer.flat_product(inner).is_equal(domain):
            return context.intersect(_as_parameters(outer, kind, names).params())
    return context


def _fixed(node: ScopNode, names: list[str]) -> Any:
    """A part of nests in which the outermost iterators have a value."""
    if isinstance(node, ScopLoop):
        return replace(node, children=tuple(_fixed(child, names) for child in node.children))
    domain = _as_parameters(isl.Set(node.domain), isl.dim_type.set, names).set_tuple_name(node.name)
    return replace(
        node,
        iterators=node.iterators[len(names) :],
        domain=str(domain),
        accesses=tuple(_fixed_access(access, node.name, names) for access in node.accesses),
    )


def _fixed_access(access: ScopAccess, statement: str, names: list[str]) -> ScopAccess:
    kind = isl.dim_type.in_
    relation = _as_parameters(isl.Map(access.relation), kind, names).set_tuple_name(kind, statement)
    moves = tuple(None if move is None else move[len(names) :] for move in access.moves)
    return replace(access, relation=str(relation), moves=moves)


def _as_parameters(points: Any, kind: isl.dim_type, names: list[str]) -> Any:
    """A set or relation whose first dimensions of a kind are parameters with these names."""
    first = points.dim(isl.dim_type.param)
    moved = points.move_dims(isl.dim_type.param, first, kind, 0, len(names))
    for place, each in enumerate(names):
        moved = moved.set_dim_name(isl.dim_type.param, first + place, each)
    return moved
