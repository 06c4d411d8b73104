"""From the facts of a file to a program for a target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from cuvier.base.errors import UserError
from cuvier.pipeline.base.reading import NOTHING, Known, Reader
from cuvier.pipeline.base.rewritten import Rewritten
from cuvier.pipeline.base.settle import settle
from cuvier.pipeline.base.stage import Again, Renewed
from cuvier.pipeline.carried import with_carried
from cuvier.pipeline.constants import with_constants
from cuvier.pipeline.counted_loops import with_counters
from cuvier.pipeline.deferred import deferred
from cuvier.pipeline.fusion import Fused, Starts, fused
from cuvier.pipeline.gluing import Glued, glued
from cuvier.pipeline.hoisted import in_stages
from cuvier.pipeline.lists import with_lists
from cuvier.pipeline.macro_headers import with_headers
from cuvier.pipeline.member_sums import with_member_sums
from cuvier.pipeline.members import with_members
from cuvier.pipeline.privatised import privatised
from cuvier.pipeline.work_areas import with_work_areas
from models.profitability import profitable
from runtime import sources_for
from skeletons import CompileOptions, Library, Program, Target, compile_unit
from skeletons.catalogue.passes import (
    AREAS,
    CARRY,
    CONSTANTS,
    DECOUPLE,
    FUSE,
    GLUE,
    LATER,
    LISTS,
    MEMBERS,
    SCAN,
    SUMS,
    THREADPRIVATE,
    THRESHOLD,
)
from skeletons.program.library_files import UNITS
from skeletons.program.profit import CYCLIC
from skeletons.schedule.reorder import Reordered, reordered
from species.analysis.analyse import names_of
from species.analysis.options import AnalysisOptions
from species.core.positions import Span
from species.facts.loops import UnitFacts
from species.loops.walk import Names
from species.source import PreprocessOptions, SourceError, TranslationUnit
from species.source.text.rewriting import Rewriting
from transfers import around_kernels, resident
from transfers.fuse import Analysed


def options_for(target: Target, analysis: AnalysisOptions) -> AnalysisOptions:
    """How a file is to be analysed for a target."""
    return replace(analysis, scops=target.schedules or target.accelerator)


Stage = Rewritten | Renewed | Reordered


def prepared(
    unit: TranslationUnit,
    facts: UnitFacts,
    target: Target,
    library: Library,
    reader: Reader,
    options: CompileOptions,
) -> tuple[TranslationUnit, UnitFacts, tuple[Stage, ...]]:
    """The file as it suits the target: the headers of loops written out that macros make, variables for what
    scans carry and, for accelerators, for members, numbers for variables
    that never change, and nests in another order; by which stages.
    """

    def reading(known: Known) -> Again:
        def read(text: str) -> tuple[TranslationUnit, UnitFacts]:
            found = reader(text, scops=True, known=known)
            return found.unit, found.facts

        return read

    def listing(listed: frozenset[str]) -> Again:
        return reading(replace(known, listed=listed))

    def names() -> Names:
        return names_of(unit, reader.analysis)

    stages: tuple[Stage, ...] = ()
    known = NOTHING
    again = reading(known)
    weighed = not target.accelerator and THRESHOLD not in options.without
    spelt, carried = with_headers(unit, facts, again), None
    if spelt is not None:
        unit, facts, stages = spelt.unit, spelt.facts, (spelt,)
    own = privatised(unit, facts, options, reading) if _has_threads(target, options, THREADPRIVATE) else None
    if own is not None:
        known = own.known
        again = reading(known)
        unit, facts, stages = own.unit, own.facts, (*stages, own)
    areas = with_work_areas(unit, facts, options, again) if _has_threads(target, options, AREAS) else None
    if areas is not None:
        unit, facts, stages = areas.unit, areas.facts, (*stages, areas)
    listed = with_lists(unit, facts, options, listing) if _has_threads(target, options, LISTS) else None
    if listed is not None:
        again = listing(frozenset(listed.tables.values()))
        unit, facts, stages = listed.unit, listed.facts, (*stages, listed)
    for each in in_stages(unit, facts, options, again) if _has_threads(target, options, DECOUPLE) else ():
        unit, facts, stages = each.unit, each.facts, (*stages, each)
    late = deferred(unit, facts, options, again) if _has_threads(target, options, LATER) else None
    if late is not None:
        unit, facts, stages = late.unit, late.facts, (*stages, late)
    sums = with_member_sums(unit, facts, options, again) if _has_threads(target, options, SUMS) else None
    if sums is not None:
        unit, facts, stages = sums.unit, sums.facts, (*stages, sums)
    counted = with_counters(unit, facts, target, again)
    if counted is not None:
        unit, facts, stages = counted.unit, counted.facts, (*stages, counted)
    if CARRY not in options.without and SCAN in library.patterns(target.name):
        carried = with_carried(unit, facts, again, names, strict_fp=options.strict_fp)
    if carried is not None:
        unit, facts, stages = carried.unit, carried.facts, (*stages, carried)
    constant = with_constants(unit, facts, again) if CONSTANTS not in options.without else None
    if constant is not None:
        unit, facts, stages = constant.unit, constant.facts, (*stages, constant)
    worth = profitable(unit, facts, options.machine, copies=True) if weighed else facts
    named = with_members(unit, worth, target, again) if MEMBERS not in options.without else None
    if named is not None:
        unit, facts, stages = named.unit, named.facts, (*stages, named)
    if not target.accelerator:
        return unit, facts, stages
    cpu = options.machine.device(target.name).kind == "cpu"
    found = _reordered(unit, facts, options, again, cpu=cpu)
    return (*found[1], (*stages, found[0])) if found is not None else (unit, facts, stages)


def _has_threads(target: Target, options: CompileOptions, name: str) -> bool:
    """Are there threads, and is a pass not left out that is made for them?"""
    return target.schedules and name not in options.without


def _reordered(
    unit: TranslationUnit,
    facts: UnitFacts,
    options: CompileOptions,
    again: Again,
    *,
    cpu: bool,
) -> tuple[Reordered, tuple[TranslationUnit, UnitFacts]] | None:
    """The file with nests in another order, and what it is then; None where there are none.

    Blocks of several time steps are made only where the analysis sees that threads may share them.
    """

    def propose(
        step_by_step: Mapping[Span, str],
    ) -> tuple[Reordered, tuple[TranslationUnit, UnitFacts]] | None:
        found = reordered(unit, facts, options, cpu=cpu, step_by_step=frozenset(step_by_step))
        return (found, again(found.text)) if found is not None else None

    return settle(propose, lambda made: made[0].unshared(made[1][1], options.comm))


def generate(
    unit: TranslationUnit,
    facts: UnitFacts,
    target: str,
    library: Library,
    preprocess: PreprocessOptions,
    analysis: AnalysisOptions,
    options: CompileOptions,
    *,
    watched: bool = False,
    reader: Reader | None = None,
) -> Program:
    """The program that runs the kernels of `unit` on `target`; nothing is written to disk.

    `analysis` are the options that `facts` were found with (`options_for`).  `watched`: somebody looks at
    variables when the program has ended.  A `reader` of the same file, `preprocess` and `analysis` knows what
    other calls with it have read.  Raises SkeletonError, and UserError where the file asks for copies
    that make no sense.
    """
    wanted = library.target(target)
    reader = reader or Reader(unit.source.path, preprocess, analysis)
    if wanted.accelerator and options.beside:
        reader = replace(reader, scops=True)  # the host's versions are nests in another order
    unit, facts, stages = prepared(unit, facts, wanted, library, reader, options)
    if not wanted.accelerator:
        written = tuple(stage.written for stage in reversed(stages))
        plan = around_kernels(facts)
        return _in_source(compile_unit(unit, facts, plan, target, library, options, None, written), stages)

    def compiled(now: Analysed, *written: Rewriting) -> Program:
        staying = None
        written = (*written, *(stage.written for stage in reversed(stages)))
        if options.comm not in CYCLIC:
            strict = analysis.strict_aliasing
            staying = resident(now.unit, now.facts, now.names, strict_aliasing=strict, watched=watched)
        plan = around_kernels(now.facts)
        return compile_unit(now.unit, now.facts, plan, target, library, options, staying, written)

    def fused_program(now: Analysed, places: tuple[Span, ...], *written: Rewriting) -> Program:
        def last(now: Analysed, *fused: Rewriting) -> Program:
            return compiled(now, *fused, *written)

        return _fused(now, last, reader, places, options, watched=watched)

    now = Analysed(unit, facts, names_of(unit, analysis))
    places = stages[-1].places if stages else ()
    try:
        program = _glued(now, fused_program, reader, places, wanted, options)
    except SourceError as error:
        raise UserError.of(error.diagnostic) from None
    program = _in_source(program, stages)
    if UNITS not in program.files:
        return program
    return replace(program, files={**program.files, **sources_for(target)})


def _in_source(program: Program, stages: tuple[Stage, ...]) -> Program:
    for stage in reversed(stages):
        program = stage.in_source(program)
    return program


def _glued(
    now: Analysed,
    compiled: Callable[..., Program],
    reader: Reader,
    places: tuple[Span, ...],
    target: Target,
    options: CompileOptions,
) -> Program:
    """The program with kernels of host statements, but for those that no skeleton takes."""
    base = compiled(now, places)
    if GLUE in options.without or options.comm in CYCLIC:
        return base

    def propose(unwanted: Mapping[int, str]) -> tuple[Glued, Program] | None:
        strict = reader.analysis.strict_aliasing
        made = glued(now, base, target, options, reader, unwanted, strict_aliasing=strict)
        if made is None:
            return None
        return made, compiled(made.now, made.places(places), made.text) if made.text.edits else base

    found = settle(propose, lambda made: made[0].unserved(made[1]))
    return found[0].in_source(found[1]) if found is not None else base


def _fused(
    now: Analysed,
    compiled: Callable[..., Program],
    reader: Reader,
    places: tuple[Span, ...],
    options: CompileOptions,
    *,
    watched: bool,
) -> Program:
    """The program with kernels made one, but for those that no skeleton takes then."""
    if FUSE in options.without:
        return compiled(now)

    def propose(unwanted: Mapping[Starts, str]) -> tuple[Fused, Program]:
        everything, several = FUSE in options.wanted, options.devices != 1
        made = fused(now, reader, places, unwanted, everything=everything, watched=watched, several=several)
        return made, compiled(made.now, made.text)

    found = settle(propose, lambda made: made[0].unserved(made[1]))
    assert found is not None
    return found[0].in_source(found[1])
