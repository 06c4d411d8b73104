"""From the facts of a file to a program for a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cuvier.fusion import fused
from skeletons import CompileOptions, Library, Program, Target, compile_unit
from skeletons.features import FUSE
from skeletons.reorder import Reordered, reordered
from species import analyse
from species.analysis import names_of
from species.facts import UnitFacts
from species.options import AnalysisOptions
from species.positions import Span
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from species.source.rewriting import Rewriting
from transfers import around_kernels, resident
from transfers.fuse import Analysed


def options_for(target: Target, analysis: AnalysisOptions) -> AnalysisOptions:
    """How a file is to be analysed for a target."""
    return replace(analysis, scops=target.schedules or target.accelerator)


def in_order(
    unit: TranslationUnit,
    facts: UnitFacts,
    target: Target,
    preprocess: PreprocessOptions,
    analysis: AnalysisOptions,
    options: CompileOptions,
) -> tuple[TranslationUnit, UnitFacts, Reordered | None]:
    """The file with its nests in the order that suits an accelerator; as it is (None) for other targets."""
    found = reordered(unit, facts, options) if target.accelerator else None
    if found is None:
        return unit, facts, None
    other = read_translation_unit(unit.source.path, preprocess, found.text)
    return other, analyse(other, analysis), found


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
) -> Program:
    """The program that runs the kernels of `unit` on `target`; nothing is written to disk.

    `analysis` are the options that `facts` were found with (`options_for`).  `watched`: somebody looks at
    variables when the program has ended.  Raises SkeletonError.
    """
    wanted = library.target(target)
    unit, facts, found = in_order(unit, facts, wanted, preprocess, analysis, options)
    if not wanted.accelerator:
        return compile_unit(unit, facts, around_kernels(facts), target, library, options)

    def compiled(now: Analysed, *written: Rewriting) -> Program:
        staying = None
        if found is not None:
            written = (*written, found.written)
        if options.comm == "static":
            strict = analysis.strict_aliasing
            staying = resident(now.unit, now.facts, now.names, strict_aliasing=strict, watched=watched)
        plan = around_kernels(now.facts)
        return compile_unit(now.unit, now.facts, plan, target, library, options, staying, written)

    now = Analysed(unit, facts, names_of(unit, analysis))
    program = _fused(now, compiled, preprocess, analysis, found.places if found else (), options)
    return found.in_source(program) if found is not None else program


def _fused(
    now: Analysed,
    compiled: Callable[..., Program],
    preprocess: PreprocessOptions,
    analysis: AnalysisOptions,
    places: tuple[Span, ...],
    options: CompileOptions,
) -> Program:
    """The program with kernels made one, but for those that no skeleton takes then."""
    if FUSE in options.without:
        return compiled(now)
    unwanted: dict[tuple[int, int], str] = {}
    everything = FUSE in options.wanted
    while True:
        made = fused(now, preprocess, analysis, places, unwanted, everything=everything)
        program = compiled(made.now, made.text)
        unserved = made.unserved(program)
        if not unserved:
            return made.in_source(program)
        unwanted |= unserved
