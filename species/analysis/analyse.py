"""The analyser: a translation unit in, the facts about every loop of it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pycparser import c_ast, c_generator

from species.analysis.canonical_form import recount
from species.analysis.characterise import NestCharacteriser
from species.analysis.copies_per_thread import CopiesPerThread
from species.analysis.directive_obstacles import Obstacles
from species.analysis.options import DEFAULTS, AnalysisOptions
from species.analysis.stated_species import OVERRULED, Stated, hand_written
from species.analysis.user_directives import with_claims
from species.analysis.work_areas import AreaFinder
from species.characterise.base_loops import base_loops
from species.characterise.classes import Classifier
from species.core.budget import Budget, GaveUp, spending
from species.core.memo import answers_are_about, take
from species.core.positions import Diagnostic, LoopSpans, Position
from species.dependence.certainty.proofs import Proofs
from species.dependence.findings import Finding
from species.dependence.flow.liveness import ArrayLiveness
from species.dependence.flow.scalars import FlowAnalysis
from species.dependence.judgement import Judgement
from species.dependence.privates import Privates
from species.dependence.serial_classes import serial_class
from species.dependence.wording import Wording
from species.facts import Scop
from species.facts.loops import (
    Kernel,
    KernelPattern,
    Linear,
    LoopClass,
    LoopFacts,
    Reason,
    UnitFacts,
    Verdict,
)
from species.interprocedural.link import linked
from species.interprocedural.summary import summary
from species.kernels.build import KernelBuilder
from species.kernels.macro_names import texts_of
from species.kernels.overlap_conditions import disjointness
from species.kernels.patterns import found_pattern
from species.loops.callsites import AllocatedSizes
from species.loops.defects import Defect, contained
from species.loops.model import FunctionModel, Loop, is_uneven
from species.loops.walk import Doubts, FileModel, Names, build_model, resolve
from species.openmp.existing_elements import is_nonempty
from species.openmp.member_sums import member_sums
from species.openmp.reduction_names import ReductionNames
from species.openmp.rules import (
    changing_bound,
    changing_start,
    collapse_depth,
    fixed_obstacle,
    openmp_obstacle,
    rounded,
)
from species.openmp.spelling import hint_obstacle, plainly_spelt
from species.openmp.structure_copies import StructureCopies
from species.openmp.vectors import iterations_across, overlap_tests
from species.pointsto import note_points_to
from species.regions.c_printer import Unprintable, WideRenderer
from species.scops.runs import scops_of
from species.sets.affine import Affine
from species.source import TranslationUnit
from species.source.syntax.tree import walk
from species.stages import deferral, stages
from species.stages.traversals import traversal
from species.symbols.effects import Origins
from species.symbols.symbols import Symbol

PER_LOOP = 1_000  # steps


def analyse(unit: TranslationUnit, options: AnalysisOptions = DEFAULTS) -> UnitFacts:
    """The facts about every loop of the file and of the user's files that it includes."""
    answers_are_about(unit.source.path)
    if options.imports:
        unit = linked(unit, options.imports, strict_aliasing=options.strict_aliasing)
    with Budget(options.budget).in_force():
        return _analyse(unit, options)


def names_of(unit: TranslationUnit, options: AnalysisOptions = DEFAULTS) -> Names:
    """What the names in the file mean, and what its calls do."""
    complete, strict = unit.status == "ok", options.strict_aliasing and not unit.options.mixes_types
    origins = Origins(unit.hidden, lambda node: not unit.is_users(node))
    names = resolve(
        unit.ast,
        complete=complete,
        table=options.effects,
        promises=unit.promises,
        origins=origins,
        strict_aliasing=strict,
        error_order=options.error_order,
        threadprivate=unit.directives.threadprivate - options.per_thread,
        doubts=Doubts(unit.doubtful, unit.options.weak, unit.assembly),
    )
    if complete:
        note_points_to(unit.ast, names, origins, by_member=strict, assembly=unit.assembly)
    return names


def _analyse(unit: TranslationUnit, options: AnalysisOptions) -> UnitFacts:
    """Begins anew without a function in which there is an error of ours, for nobody knows what it left."""
    left_out: dict[int, Diagnostic] = {}
    while True:
        try:
            return _without(left_out, unit, options)
        except Defect as defect:
            node = defect.function
            position = unit.position(node.decl.coord)
            left_out[id(node)] = Diagnostic("warning", "CV001", defect.message, position)


def _without(
    left_out: Mapping[int, Diagnostic], unit: TranslationUnit, options: AnalysisOptions
) -> UnitFacts:
    """The facts about all functions but those that are left out, by the ids of their nodes."""

    def is_wanted(function: c_ast.FuncDef) -> bool:
        return unit.is_users(function.decl) and id(function) not in left_out

    model = build_model(unit.ast, is_wanted, names_of(unit, options), options.budget)
    loops: list[LoopFacts] = []
    privates = Privates(ArrayLiveness(model.functions, model.resolution))
    stated = hand_written(unit)
    kernels = KernelBuilder(unit, model, parts=options.parts, clipped=options.clipped)
    copies = CopiesPerThread(unit, model, options)
    areas = AreaFinder(unit, model)
    context = _Context(unit, model, kernels, privates, stated, options, copies, areas)
    scops: list[Scop] = []
    for function in model.functions:
        with contained(function.node):
            analysis = FunctionAnalysis(context, function)
            loops += analysis.facts()
            scops += analysis.scops() if options.scops else []
    loops.sort(key=lambda loop: loop.position)
    diagnostics = (*unit.diagnostics, *left_out.values(), *_undeclared(unit, model), *stated.diagnostics())
    scops.sort(key=lambda scop: scop.position)
    loops, scops = with_claims(unit, loops, scops)
    status = "partial" if left_out else unit.status
    told = (
        summary(unit, model, loops, strict_aliasing=options.strict_aliasing).text() if options.summary else ""
    )
    return UnitFacts(unit.source.path, status, diagnostics, tuple(loops), tuple(scops), told)


def _undeclared(unit: TranslationUnit, model: FileModel) -> list[Diagnostic]:
    """A warning for every name in the user's files that nothing declares."""
    found = []
    for name, node in model.resolution.undeclared.items():
        position = unit.position(node.coord)
        if unit.is_users(node) and unit.status == "ok":
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
    privates: Privates
    stated: Stated
    options: AnalysisOptions
    copies: CopiesPerThread
    areas: AreaFinder


class FunctionAnalysis:
    """Judges, characterises and describes the loops of one function."""

    def __init__(self, context: _Context, model: FunctionModel) -> None:
        self._context, self._model, self._unit = context, model, context.unit
        self._generator = c_generator.CGenerator()
        running = frozenset(id(loop.node) for loop in model.loops if is_nonempty(loop))
        file = context.file
        self._obstacles = Obstacles(context.unit, model, file.resolution)
        self._flows = FlowAnalysis(file.resolution, model, file.effects, running)
        wording = Wording(self._generator.visit, self._line)
        options = context.options
        self._parts = (model, self._flows, context.privates, wording, options.tests, options.listed)
        self._judge = context.copies.judge(*self._parts)
        self._judgements: dict[int, Judgement] = {}
        self._proofs = Proofs(model, self._judge, self._flows)
        symbols = context.file.resolution.symbols
        sizes = AllocatedSizes(file.resolution, file.types)
        self._reductions = ReductionNames(model, self._judge, symbols, self._generator.visit, sizes)
        self._copies = StructureCopies(file, model, self._judge, self._judgements)
        self._classes = Classifier(self._judge, self._flows, self._judgements)
        self._nests = NestCharacteriser(
            model, self._judge, self._judgements, context.options, self._place, self._generator.visit
        )
        self._ids: dict[int, str] = {}
        self._sizes = Counter(number for reference in model.references for number in reference.loops)

    def facts(self) -> list[LoopFacts]:
        loops = [loop for loop in self._model.loops if not loop.inlined]
        nests: dict[Loop, list[Loop]] = {}
        for loop in loops:
            self._ids[loop.number] = self._identifier(loop)
            nests.setdefault(_outermost(loop), []).append(loop)
        for nest in nests.values():
            self._judge_nest(nest)
        return [facts for nest in nests.values() for facts in self._nest(nest)]

    def scops(self) -> list[Scop]:
        """The static control parts of the function, once its loops are judged; none where OpenMP is not
        safe.
        """
        if self._obstacles.of_function():
            return []
        if any(loop.unread for loop in self._model.loops):
            return []
        if any(self._obstacles.of_words(loop) for loop in self._model.loops if not loop.inlined):
            return []
        found = scops_of(self._unit, self._model, self._judge, self._flows, self._judgements, self._copies)
        return [scop for scop in found if not self._context.copies.are_in(scop.span)]

    def _judge_nest(self, nest: list[Loop]) -> None:
        """Judges the loops of a nest, the small ones first: the budget may not do for what is around them."""
        with spending((id(nest[0].node), "judged")):
            for loop in self._small_first(nest):
                try:
                    take(PER_LOOP)
                    if loop.unread:
                        raise GaveUp
                    self._judgements[loop.number] = self._trusting(self._judge.judge(loop))
                except GaveUp:
                    self._give_up(loop)

    def _small_first(self, nest: list[Loop]) -> list[Loop]:
        return sorted(nest, key=lambda loop: (self._sizes[loop.number], -loop.number))

    def _give_up(self, loop: Loop) -> None:
        why = f"gave up after {self._context.options.budget:g} s; give it more with --budget SECONDS"
        finding = Finding("CV309", why, loop.node)
        self._judgements[loop.number] = Judgement(loop, findings=[finding])

    def _nest(self, nest: list[Loop]) -> list[LoopFacts]:
        with spending((id(nest[0].node), "described")):
            facts = {loop.number: self._decided(loop) for loop in self._small_first(nest)}
        return [self._context.kernels.named(facts[loop.number]) for loop in nest]

    def _decided(self, loop: Loop) -> LoopFacts:
        """The facts of a loop; if the budget runs out, nothing is said of it."""
        try:
            if not _is_given_up(self._judgements[loop.number]):
                return self._loop(loop)
        except GaveUp:
            self._give_up(loop)
        return self._context.stated.checked(self._undecided(loop), self._context.file, loop)

    def _undecided(self, loop: Loop) -> LoopFacts:
        findings = self._judgements[loop.number].findings
        return self._bare(loop, Verdict.UNKNOWN, LoopClass.UNKNOWN, findings)

    def _trusting(self, judgement: Judgement) -> Judgement:
        """Where the user vouches for a loop, dependences do not count.

        How it is left still does, and that every iteration accumulates a variable: of that dependence
        nobody can say that it is not there.
        """
        by_hand = self._context.stated.at(self._unit.loop_position(judgement.loop.node))
        if by_hand is not None and by_hand.assume:
            judgement.findings = [f for f in judgement.findings if f.code not in OVERRULED]
            judgement.overlaps, judgement.provisos, judgement.vouched = [], [], True
            judgement.idle, judgement.data_checks = [], []
        return judgement

    def _identifier(self, loop: Loop) -> str:
        outermost = [other for other in self._model.loops if not other.parent]
        siblings = loop.parent.own_children if loop.parent else outermost
        ordinal = siblings.index(loop) + 1
        if loop.parent:
            return f"{self._ids[loop.parent.number]}.{ordinal}"
        return f"{self._model.name}/{ordinal}"

    def _loop(self, loop: Loop) -> LoopFacts:
        take(PER_LOOP)
        judgement = self._judgements[loop.number]
        self._reductions.note_extents(judgement.reductions)
        conditions = disjointness(self._model, self._judge, judgement, self._obstacles.says_so(loop))
        base = base_loops(self._judge, judgement, self._judgements) if loop.counted else ()
        verdict = _verdict(judgement, conditions)
        facts = self._described(loop, judgement, verdict, tuple(conditions), base)
        facts = replace(facts, said=tuple(conditions.items()) if facts.conditions else ())
        facts = self._nests.characterised(facts, loop, base)
        if verdict.is_parallel:
            facts = self._executable(facts, loop, judgement, base)
        else:
            facts = self._schemed(facts, loop, judgement)
        says_so = self._obstacles.says_so(loop)
        areas = self._context.areas.found(self._model, judgement, facts, says_so, *self._parts)
        facts = replace(facts, work_areas=areas)
        return self._context.stated.checked(facts, self._context.file, loop)

    def _described(
        self,
        loop: Loop,
        judgement: Judgement,
        verdict: Verdict,
        conditions: tuple[str, ...],
        base: tuple[Loop, ...],
    ) -> LoopFacts:
        bare = self._bare(loop, verdict, self._classes.loop_class(loop), judgement.findings)
        return replace(
            bare,
            tags=self._tags(loop, judgement),
            distances=self._classes.distances(loop),
            wavefront=self._classes.wavefront(loop),
            base_loops=tuple(b.iterator.name for b in base if b.iterator),
            private=_names(*judgement.private, *(a.symbol for a in judgement.arrays if not a.live)),
            lastprivate=_names(*judgement.lastprivate, *(a.symbol for a in judgement.arrays if a.live)),
            lastprivate_conditional=_names(*judgement.conditional),
            firstprivate=_names(*_from_before(judgement)),
            linear=tuple(self._linear(loop, s) for s in judgement.linear if loop.steps[s] != Affine()),
            reductions=tuple(self._reductions.named(loop, r) for r in judgement.reductions),
            conditions=conditions if verdict is Verdict.CONDITIONAL else (),
        )

    def _bare(
        self, loop: Loop, verdict: Verdict, loop_class: LoopClass, findings: Iterable[Finding]
    ) -> LoopFacts:
        """Where a loop stands, and its verdict."""
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
            loop_class=loop_class,
            spans=spans,
            stretch=self._unit.loop_stretch(loop.node) if spans is None else None,
            reasons=tuple(self._reason(f, loop) for f in findings),
        )

    def _tags(self, loop: Loop, judgement: Judgement) -> tuple[str, ...]:
        named = serial_class(self._judge, judgement)
        return (*self._classes.tags(loop), *([named] if named else []))

    def _end_line(self, loop: Loop, position: Position, spans: LoopSpans | None) -> int:
        """The line on which the loop ends; of a loop that a macro makes, the last line that it speaks of."""
        if spans is not None:
            return self._unit.sources[position.file].position(spans.whole.end - 1).line
        places = (self._unit.position(n.coord) for n in walk(loop.node) if n.coord)
        return max((p.line for p in places if p.file == position.file), default=position.line)

    def _reason(self, finding: Finding, loop: Loop) -> Reason:
        related = tuple(self._place(n) for n in finding.related)
        proven = self._proofs.proven(self._judgements[loop.number], finding)
        said = finding.message if proven else finding.unsure or finding.message
        message = " ".join(said.split())  # a cast may have a type of several lines
        return Reason(finding.code, message, self._place(finding.node), related, proven)

    def _place(self, node: Any) -> Any:
        return self._unit.position(node.coord)

    def _line(self, node: Any) -> str:
        """`line 12`, or `line 12 of util.h` in another file than the unit's own."""
        position = self._place(node)
        elsewhere = "" if position.file == self._unit.source.path else f" of {Path(position.file).name}"
        return f"line {position.line}{elsewhere}"

    def _linear(self, loop: Loop, symbol: Symbol) -> Linear:
        """The step is empty where it has no name at the loop."""
        try:
            return Linear(symbol.name, WideRenderer(self._model, loop).text(loop.steps[symbol]))
        except Unprintable:
            return Linear(symbol.name, "")

    # What code generation needs

    def _executable(
        self, facts: LoopFacts, loop: Loop, judgement: Judgement, base: tuple[Loop, ...]
    ) -> LoopFacts:
        iterators = self._live_iterators(loop)
        lastprivate = tuple(dict.fromkeys((*facts.lastprivate, *iterators)))
        facts = replace(facts, lastprivate=lastprivate, nonempty=is_nonempty(loop), uneven=is_uneven(loop))
        obstacle = openmp_obstacle(facts, judgement, self._model) or self._obstacles.of_place(loop)
        collapse = 1 if obstacle else collapse_depth(loop, base, self._model, facts)
        collapse = plainly_spelt(self._unit, base[:collapse]) if collapse > 1 else collapse
        obstacle = obstacle or self._obstacles.of_macros(loop, facts)
        kernel = self._kernel(facts, judgement, base)
        sums = rounded(facts, judgement)
        again = recount(self._unit, self._model, loop, facts)
        copied = _names(*self._copies.variables(judgement))
        if facts.verdict.is_parallel and not facts.reductions:
            across = iterations_across(self._model, self._judge, judgement)
            tests = overlap_tests(self._judge, loop) if across == 1 else 0
            facts = replace(facts, across=across, overlap_tests=tests)
        facts = replace(facts, openmp_obstacle=obstacle, collapse=collapse, kernel=kernel, copied=copied)
        symbols = self._context.file.resolution.symbols
        members = member_sums(self._unit, self._judge, judgement, symbols) if facts.reductions else ()
        return replace(facts, rounded=sums, recount=again, member_sums=members)

    def _kernel(
        self,
        facts: LoopFacts,
        judgement: Judgement,
        base: tuple[Loop, ...],
        pattern: KernelPattern | None = None,
    ) -> Kernel | None:
        kernel = self._context.kernels.build(
            self._model, self._judge, self._copies, judgement, base, facts, pattern
        )
        bound, start = changing_bound(judgement), changing_start(judgement, self._model)
        obstacle = fixed_obstacle(facts, judgement) or self._obstacles.of_place(judgement.loop)
        obstacle = obstacle or self._obstacles.of_macros(judgement.loop, facts)
        if hint_obstacle(self._unit, judgement.loop):
            return None
        if kernel is None or not all(map(self._obstacles.says_so(judgement.loop), texts_of(kernel))):
            return None
        moving = bool(bound or start) and not obstacle
        return replace(kernel, sharing_obstacle=bound or obstacle or start, moving_header=moving)

    def _schemed(self, facts: LoopFacts, loop: Loop, judgement: Judgement) -> LoopFacts:
        """The facts of a serial loop; if it is a scan or a pack, with a kernel of this pattern.

        What else might tie iterations together, an alias say, is left to conditions as in parallel loops.
        """
        kind = next((tag for tag in facts.tags if tag in ("scan", "pack")), None)
        found = found_pattern(self._judge, judgement, kind, self._context.file) if kind else None
        if found is None or self._judge.uses_copies(loop):
            return self._followed(facts, loop, judgement)
        pattern, combined = found
        apart = replace(judgement, findings=[], dependences=[], reductions=[combined])
        apart = replace(apart, overlaps=[*judgement.overlaps], provisos=[*judgement.provisos])
        apart.idle, apart.data_checks = [*judgement.idle], [*judgement.data_checks]
        conditions = disjointness(self._model, self._judge, apart, self._obstacles.says_so(loop))
        if not apart.is_parallel:
            return facts
        lastprivate = tuple(dict.fromkeys((*facts.lastprivate, *self._live_iterators(loop))))
        stated = replace(facts, conditions=tuple(conditions), lastprivate=lastprivate)
        scheme = self._kernel(stated, apart, (loop,), pattern)
        return replace(facts, scheme=scheme, said=tuple(conditions.items()))

    def _followed(self, facts: LoopFacts, loop: Loop, judgement: Judgement) -> LoopFacts:
        """The facts of a serial loop; along a list, with what else keeps its iterations in order."""
        file = self._context.file
        if file.effects.summaries.may_call_itself(self._model.name):
            return facts  # tables of nodes or values would fill the stack
        if facts.spans is not None and facts.position.file == self._unit.source.path:
            parts = (self._unit, self._model, self._judge, self._flows, judgement, facts.spans.body)
            facts = replace(facts, stages=stages(*parts, file))
            if facts.stages is None:
                facts = replace(facts, deferral=deferral(*parts, file))
        own = self._context.copies.wanted(self._model, judgement, *self._parts)
        facts = replace(facts, own_copies=own)
        found = traversal(self._model, self._judge, self._flows, judgement)
        if found is None:
            return facts
        reasons = (
            *(replace(r, proven=False) for r in facts.reasons),
            *(self._reason(f, loop) for f in found[1]),
        )
        return replace(facts, traversal=found[0], reasons=reasons)

    def _live_iterators(self, loop: Loop) -> list[str]:
        if loop.iterator is None or loop.declared_inside:
            return []
        return [loop.iterator.name] if self._flows.live_after(loop.node, loop.iterator) else []


def _names(*symbols: Symbol) -> tuple[str, ...]:
    return tuple(symbol.name for symbol in symbols)


def _from_before(judgement: Judgement) -> Iterator[Symbol]:
    """Variables of which iterations need the value from before: those that they do not change, and structures
    of which a copy is kept, with all members, also those that nobody writes.
    """
    yield from (s for s in judgement.linear if judgement.loop.steps[s] == Affine())
    kept = (array.symbol for array in judgement.arrays if array.live)
    yield from (symbol for symbol in kept if symbol.ctype.element.kind in ("struct", "union"))


def _is_given_up(judgement: Judgement) -> bool:
    return any(finding.code == "CV309" for finding in judgement.findings)


def _outermost(loop: Loop) -> Loop:
    return _outermost(loop.parent) if loop.parent else loop


def _verdict(judgement: Judgement, conditions: Mapping[str, str]) -> Verdict:
    if not judgement.is_parallel:
        return Verdict.SERIAL
    return Verdict.CONDITIONAL if conditions else Verdict.PARALLEL
