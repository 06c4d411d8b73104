"""The analyser: a translation unit in, the facts about every loop of it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_generator

from species.characterise.base_loops import base_loops
from species.characterise.merging import merge
from species.characterise.patterns import characterisation_of, species_of
from species.characterise.render import Renderer, Unprintable
from species.characterise.tuples import Characteriser, Tuple
from species.dependence.flow import FlowAnalysis
from species.dependence.judge import Combined, Finding, Judge, Judgement, inner_loops, is_overwritten
from species.facts import LoopFacts, Reason, Reduction, UnitFacts, Verdict
from species.handwritten import HandWritten, checked, hand_written
from species.kernels import KernelBuilder
from species.loops import FileModel, build_model
from species.loops.nest import FunctionModel, Loop, Reference
from species.loops.updates import walk
from species.openmp import collapse_depth, is_canonical, is_nonempty
from species.overlaps import disjointness, pointer_name
from species.positions import Diagnostic, LoopSpans, Position
from species.regions import Regions
from species.source import TranslationUnit


@dataclass(frozen=True)
class AnalysisOptions:
    """`t_gap` bounds the holes over which neighbouring references merge (None: any hole)."""

    t_gap: int | None = None


def analyse(unit: TranslationUnit, options: AnalysisOptions = AnalysisOptions()) -> UnitFacts:
    """The facts about every loop of the file and of the user's files that it includes.

    Raises SourceError where a hand-written species in the file is refuted.
    """
    model = build_model(
        unit.ast,
        lambda f: unit.is_user_file(unit.position(f.decl.coord).file),
        complete=unit.status == "ok",
    )
    loops: list[LoopFacts] = []
    context = _Context(unit, model, KernelBuilder(unit, model), hand_written(unit), options)
    for function in model.functions:
        loops += FunctionAnalysis(context, function).facts()
    loops.sort(key=lambda loop: loop.position)
    diagnostics = (*unit.diagnostics, *_undeclared(unit, model))
    return UnitFacts(unit.source.path, unit.status, diagnostics, tuple(loops))


def _undeclared(unit: TranslationUnit, model: FileModel) -> list[Diagnostic]:
    """A warning for every name in the user's files that nothing declares."""
    found = []
    for name, node in model.resolution.undeclared.items():
        position = unit.position(node.coord)
        if unit.is_user_file(position.file) and unit.status == "ok":
            message = (
                f"'{name}' is not declared; if it is a macro of your build, give it with -D {name}=VALUE"
            )
            found.append(Diagnostic("warning", "CV006", message, position))
    return found


@dataclass(frozen=True)
class _Context:
    """What the functions of a file have in common."""

    unit: TranslationUnit
    file: FileModel
    kernels: KernelBuilder
    stated: Mapping[Position, HandWritten]
    options: AnalysisOptions


class FunctionAnalysis:
    """Judges, characterises and describes the loops of one function."""

    def __init__(self, context: _Context, model: FunctionModel) -> None:
        self._context, self._model, self._unit = context, model, context.unit
        self._generator = c_generator.CGenerator()
        self._flows = FlowAnalysis(context.file.resolution, model.node, model.structured)
        self._judge = Judge(model, self._flows, self._generator.visit)
        self._judgements: dict[int, Judgement] = {}
        self._ids: dict[int, str] = {}

    def facts(self) -> list[LoopFacts]:
        for loop in self._model.loops:
            self._judgements[loop.number] = self._trusting(self._judge.judge(loop))
            self._ids[loop.number] = self._identifier(loop)
        return [self._loop(loop) for loop in self._model.loops]

    def _trusting(self, judgement: Judgement) -> Judgement:
        """Where the user vouches for a loop, dependences do not count; how it is left still does."""
        by_hand = self._context.stated.get(self._unit.loop_position(judgement.loop.node))
        if by_hand is not None and by_hand.assume:
            judgement.findings = [f for f in judgement.findings if not f.code.startswith("CV2")]
            judgement.overlaps = []
        return judgement

    def _identifier(self, loop: Loop) -> str:
        outermost = [other for other in self._model.loops if not other.parent]
        siblings = loop.parent.children if loop.parent else outermost
        ordinal = siblings.index(loop) + 1
        if loop.parent:
            return f"{self._ids[loop.parent.number]}.{ordinal}"
        return f"{self._model.name}/{ordinal}"

    def _loop(self, loop: Loop) -> LoopFacts:
        judgement = self._judgements[loop.number]
        conditions = disjointness(self._model, self._judge, judgement)
        base = base_loops(self._judge, judgement, self._judgements) if loop.counted else ()
        verdict = _verdict(judgement, conditions)
        facts = self._described(loop, judgement, verdict, tuple(conditions), base)
        if loop.counted:
            facts = self._characterised(facts, loop, base)
        if verdict.is_parallel:
            facts = self._executable(facts, loop, judgement, base)
        return checked(facts, self._context.stated)

    def _described(
        self,
        loop: Loop,
        judgement: Judgement,
        verdict: Verdict,
        conditions: tuple[str, ...],
        base: tuple[Loop, ...],
    ) -> LoopFacts:
        position = self._unit.loop_position(loop.node)
        spans = self._unit.loop_spans(loop.node)
        return LoopFacts(
            id=self._ids[loop.number],
            kind=loop.kind,
            function=self._model.name,
            position=position,
            end_line=self._end_line(loop, position, spans),
            depth=loop.depth,
            parent=self._ids[loop.parent.number] if loop.parent else None,
            verdict=verdict,
            loop_class=judgement.loop_class,
            spans=spans,
            base_loops=tuple(b.iterator.name for b in base if b.iterator),
            private=tuple(s.name for s in judgement.private),
            lastprivate=tuple(s.name for s in judgement.lastprivate),
            reductions=tuple(self._reduction(loop, r) for r in judgement.reductions),
            conditions=conditions if verdict is Verdict.CONDITIONAL else (),
            reasons=tuple(self._reason(f) for f in judgement.findings),
        )

    def _end_line(self, loop: Loop, position: Position, spans: LoopSpans | None) -> int:
        """The line on which the loop ends; of a loop that a macro makes, the last line that it speaks of."""
        if spans is not None:
            return self._unit.sources[position.file].position(spans.whole.end - 1).line
        places = (self._unit.position(n.coord) for n in walk(loop.node) if n.coord)
        return max((p.line for p in places if p.file == position.file), default=position.line)

    def _reason(self, finding: Finding) -> Reason:
        related = tuple(self._place(n) for n in finding.related)
        return Reason(finding.code, finding.message, self._place(finding.node), related)

    def _place(self, node: Any) -> Any:
        return self._unit.position(node.coord)

    def _reduction(self, loop: Loop, combined: Combined) -> Reduction:
        """Named as OpenMP names it: a variable, an element, or an array section."""
        text = self._generator.visit(combined.node)
        if any(isinstance(step, str) for step in combined.place.path):
            return Reduction(combined.operator, text)  # OpenMP has no sections of members
        if combined.is_scalar or not combined.place.loops & inner_loops(loop):
            return Reduction(combined.operator, text)
        references = [r for r in self._judge.references(loop) if r.symbol is combined.place.symbol]
        region = Regions(self._model, loop).hull(references)
        name = combined.place.name
        if region is None or pointer_name(loop, combined.place) != name:
            return Reduction(combined.operator, f"{name}[:]")
        sections = "".join(f"[{r.low}:{_length(r.low, r.high)}]" for r in region.ranges)
        return Reduction(combined.operator, name + sections)

    # Characterisation and species

    def _characterised(self, facts: LoopFacts, loop: Loop, base: tuple[Loop, ...]) -> LoopFacts:
        tuples = self._tuples(loop, base)
        renderer = Renderer(self._model, loop)
        try:
            listed = tuple(characterisation_of(t, renderer) for t in tuples or ())
            species = species_of(tuples, renderer) if tuples is not None else None
        except Unprintable:
            listed, species = (), None
        parallel = facts.verdict.is_parallel and loop.kind == "for"
        exact = tuples is not None and all(t.exact for t in tuples)
        return replace(facts, characterisations=listed, species=species if parallel else None, exact=exact)

    def _tuples(self, loop: Loop, base: tuple[Loop, ...]) -> list[Tuple] | None:
        """The merged characterisations of a nest; None if some reference has no bounded domain."""
        characteriser = Characteriser(self._model, loop, base, self._model.extents)
        found = []
        for reference in self._visible(loop):
            item = characteriser.tuple_of(reference)
            if item is None:
                return None
            found.append(item)
        return merge(found, self._context.options.t_gap)

    def _visible(self, loop: Loop) -> list[Reference]:
        """The references that make up a species: arrays that outlive the nest, and reduction scalars.

        A read of what the same iteration has just written is left out (it could be a register).
        """
        references = self._judge.references(loop)
        combined = {r.place.symbol for r in self._judgements[loop.number].reductions if r.is_scalar}
        kept = []
        for r in references:
            if self._judge.is_inside(r.symbol, loop) or (
                r.place.is_variable and r.symbol.ctype.kind == "pointer"
            ):
                continue
            if r.place.is_variable and r.symbol.is_scalar:
                if r.write and r.symbol in combined:
                    kept.append(r)
            elif r.write or not is_overwritten(r, references):
                kept.append(r)
        return kept

    # What code generation needs

    def _executable(
        self, facts: LoopFacts, loop: Loop, judgement: Judgement, base: tuple[Loop, ...]
    ) -> LoopFacts:
        iterators = self._live_iterators(loop)
        lastprivate = tuple(dict.fromkeys((*facts.lastprivate, *iterators)))
        facts = replace(facts, lastprivate=lastprivate, nonempty=is_nonempty(loop))
        openmp = is_canonical(loop) and self._reducible(facts, judgement) and _survives_conditions(judgement)
        collapse = collapse_depth(loop, base, self._model, lastprivate) if openmp else 1
        kernel = self._context.kernels.build(self._model, self._judge, judgement, base, facts)
        return replace(facts, openmp=openmp, collapse=collapse, kernel=kernel)

    def _live_iterators(self, loop: Loop) -> list[str]:
        if loop.iterator is None or loop.declared_inside:
            return []
        return [loop.iterator.name] if self._flows.live_after(loop.node, loop.iterator) else []

    def _reducible(self, facts: LoopFacts, judgement: Judgement) -> bool:
        """Can OpenMP say the reductions?  Array sections live on the stack, so they must be small."""
        return all(
            c.is_scalar or (c.place.ctype.kind in ("int", "float") and _is_small(r.variable))
            for c, r in zip(judgement.reductions, facts.reductions, strict=True)
        )


def _survives_conditions(judgement: Judgement) -> bool:
    """Is the loop right where its conditions fail?  OpenMP makes private copies even then.

    A pointer must not reach what the copies stand for, nor may a reduction start from another value.
    """
    copied = {*judgement.private, *judgement.lastprivate, *(r.place.symbol for r in judgement.reductions)}
    reached = {r.symbol for pair in judgement.overlaps for r in pair}
    asked = any(r.conditions for r in judgement.reductions)
    return not copied & reached and (not asked or is_nonempty(judgement.loop))


def _verdict(judgement: Judgement, conditions: list[str]) -> Verdict:
    if not judgement.is_parallel:
        return Verdict.SERIAL
    return Verdict.CONDITIONAL if conditions else Verdict.PARALLEL


def _length(low: str, high: str) -> str:
    if low == "0":
        return high[:-2] if high.endswith("-1") else f"{high}+1" if not high.isdigit() else str(int(high) + 1)
    return f"({high})-({low})+1"


def _is_small(variable: str) -> bool:
    """An element, or a section of constant size that fits a thread's stack easily."""
    if ":" not in variable:
        return False
    lengths = [part.split(":")[1] for part in variable.replace("]", "").split("[")[1:]]
    sizes = [int(n) if n.isdigit() else None for n in lengths]
    total = 8
    for size in sizes:
        if size is None:
            return False
        total *= size
    return total <= 32_768
