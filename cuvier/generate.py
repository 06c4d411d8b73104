"""From the facts of a file to a program for a target."""

from __future__ import annotations

from dataclasses import replace

from skeletons import CompileOptions, Library, Program, Target, compile_unit
from skeletons.reorder import Reordered, reordered
from species import analyse
from species.analysis import names_of
from species.facts import UnitFacts
from species.options import AnalysisOptions
from species.source import PreprocessOptions, TranslationUnit, read_translation_unit
from transfers import around_kernels, resident


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
    staying = None
    if wanted.accelerator and options.comm == "static":
        names, strict = names_of(unit, analysis), analysis.strict_aliasing
        staying = resident(unit, facts, names, strict_aliasing=strict, watched=watched)
    program = compile_unit(unit, facts, around_kernels(facts), target, library, options, staying)
    return found.in_source(program) if found is not None else program
