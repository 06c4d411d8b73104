"""Nests in the order that accelerators like, as C: what kernels are then made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from skeletons.body.simd_sums import InnerSums
from skeletons.catalogue.descriptor import Comm
from skeletons.kernel.extents import found_at_run_time
from skeletons.schedule.core.effort import attempted
from skeletons.schedule.core.marks import Mark
from skeletons.schedule.core.model import ScopModel
from skeletons.schedule.core.passes import Settings
from skeletons.schedule.core.tree import bands
from skeletons.schedule.pipelines import cores, devices
from skeletons.schedule.pipelines.hosts import Transformed
from skeletons.schedule.products import Products
from skeletons.schedule.same_statement import read_the_same
from skeletons.schedule.schedules import NESTS, kernel_of, text_of
from skeletons.schedule.transform import rightlooking, timetile
from skeletons.select.api import Choice, CompileOptions, Program
from species.core.positions import LoopSpans, Span
from species.facts import Scop
from species.facts.loops import Kernel, LoopFacts, Reduction, UnitFacts
from species.sets.isl_to_c import DEFINITIONS, written_out
from species.source.places import told_by_place
from species.source.syntax.declarations import Declarations
from species.source.text.code import begins_statement, identifier, names_in
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting

if TYPE_CHECKING:
    from species.source import TranslationUnit


@dataclass(frozen=True)
class _Nests:
    """Nests that stand in another order: a loop, as it were, of the original, and what is there instead."""

    owner: LoopFacts
    edit: Edit
    steps: tuple[str, ...]
    blocks: frozenset[str]  # the names of loops over blocks of several time steps


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

    def unshared(self, facts: UnitFacts, comm: Comm) -> dict[Span, str]:
        """The nests of the original whose blocks of several time steps have no kernel in the new text, each
        with the reason.
        """
        places = list(zip(self.places, self.nests, strict=True))
        found = set()
        for loop in facts.loops:
            kernel = found_at_run_time(loop, comm)[0].kernel
            if loop.spans is None or (kernel is not None and _is_given(kernel)):
                continue
            start, iterator = loop.spans.whole.start, _iterator(loop.spans.header.of(self.text))
            around = (nests for place, nests in places if place.start <= start < place.end)
            found |= {nests.edit.span for nests in around if iterator in nests.blocks}
        return dict.fromkeys(found, "threads cannot share its blocks of time steps")

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


def _is_given(kernel: Kernel) -> bool:
    """Can a device be given the kernel, its outermost loop cut into stretches?"""
    return not kernel.obstacles and kernel.loops[0].trips is not None


def _iterator(header: str) -> str:
    """The variable of a loop as we write it, without what makes its name a new one."""
    return "".join(names_in(header.partition("=")[0])[-1:]).rstrip("_")


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
    unit: TranslationUnit,
    facts: UnitFacts,
    options: CompileOptions,
    *,
    cpu: bool = False,
    step_by_step: frozenset[Span] = frozenset(),
) -> Reordered | None:
    """The file with all nests in another order for which that means more parallel loops; None where there are
    none.

    `facts` have static control parts.  With `cpu`, the order is one for cores with vectors; nests that are
    `step_by_step` have no blocks of several time steps.
    """
    nests = tuple(_Finder(unit, facts, options, cpu, step_by_step).found())
    if not nests:
        return None
    return Reordered(Rewriting(unit.source.text, tuple(n.edit for n in nests)), facts, nests)


@dataclass(frozen=True)
class _Finder:
    """Finds better orders for the nests of one file."""

    unit: TranslationUnit
    facts: UnitFacts
    options: CompileOptions
    cpu: bool
    step_by_step: frozenset[Span]

    def found(self) -> Iterator[_Nests]:
        """Those in another order, as they stand in the file."""
        number = 1
        for scop in sorted(self.facts.scops, key=lambda scop: scop.span):
            first = self._first(scop)
            nests = self._best(scop, first, number) if first is not None else None
            if nests is not None:
                number += 1
                yield nests

    def _first(self, scop: Scop) -> LoopFacts | None:
        """The first loop of nests that may be written anew."""
        text = scop.span.of(self.unit.source.text)
        if scop.position.file != self.unit.source.path or "#" in text or scop.conditions:
            return None
        loops = (f for f in self.facts.loops if f.spans and f.spans.whole.start == scop.span.start)
        first = next(loops, None)
        refused = first is None or self._is_inside_kernel(scop) or told_by_place(self.unit, text)
        return None if refused else first

    def _is_inside_kernel(self, scop: Scop) -> bool:
        around = (f.spans.whole for f in self.facts.loops if f.spans and f.kernel is not None)
        return any(one.start < scop.span.start and scop.span.end <= one.end for one in around)

    def _best(self, scop: Scop, first: LoopFacts, number: int) -> _Nests | None:
        """On cores, with sums in cells instead of variables where their right-looking form needs that."""
        other = scop.alternative if self.cpu and not self.options.strict_fp else None
        if other is not None and not other.conditions:
            ahead = attempted(partial(self._ordered, other, first, number))
            if ahead is not None and rightlooking.NAME in ahead.steps:
                return ahead
        return attempted(partial(self._ordered, scop, first, number))

    def _ordered(self, scop: Scop, first: LoopFacts, number: int) -> _Nests | None:
        """The nests in the best order; None where that is the one they have."""
        unit, products = self.unit, Products(self.unit, Declarations.of(self.unit.ast))
        ordered = cores.ordered if self.cpu else devices.ordered
        model = ScopModel(scop, self.options.machine, self.options.wanted)
        model, tree, steps = ordered(model, self._settings(scop, products))
        if not steps:
            return None
        plain = InnerSums(unit, self.facts, reorder=False)
        text, _ = text_of(unit, Transformed(model, tree, steps), products, plain, threshold=False)
        text = written_out(text)
        if set(DEFINITIONS) & set(names_in(text)):
            return None  # bounds that no analysis sees through
        assert first.spans is not None
        name = identifier(f"{Path(unit.source.path).stem}_n{number}")
        spans = LoopSpans(scop.span, first.spans.header, first.spans.body)
        owner = replace(first, spans=spans, kernel=kernel_of(model, name, set()), reductions=())
        edit = Edit(scop.span, _braced(unit.source.text, scop, text))
        blocks = frozenset(band.name for band in bands(tree) if Mark.STEPS in band.marks)
        return _Nests(owner, edit, steps, blocks)

    def _settings(self, scop: Scop, products: Products) -> Settings:
        without = self.options.without
        if scop.span in self.step_by_step:
            without |= {timetile.NAME}
        reorder = not self.options.strict_fp
        return Settings(products.recognise, read_the_same(self.unit), reorder, without)


def _braced(source: str, scop: Scop, text: str) -> str:
    """In braces where the nests are the branch of something."""
    return text if begins_statement(source, scop.span.start) else "{\n" + text + "\n}"
