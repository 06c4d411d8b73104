"""A file's race from end to end: its analysis, the contenders, and what came of them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from cuvier.bench.contenders import CUVIER, FLAGS, Contender, Workshop, default_names, named, objects, version
from cuvier.bench.race import Result, Rules, Watch, raced
from cuvier.building.build import program_of
from cuvier.pipeline.driver import Analysed
from cuvier.pipeline.generate import options_for
from cuvier.verification.programs import analysed, openmp_flags
from cuvier.verification.toolchain import Toolchain
from skeletons import CompileOptions, Library, write_program
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions

BY_HAND = "hand"


@dataclass(frozen=True)
class BenchOptions:
    """What takes part, how it is built, and the rules of the race."""

    target: str
    preprocess: PreprocessOptions
    analysis: AnalysisOptions
    generation: CompileOptions
    rules: Rules
    skeletons: tuple[Path, ...] = ()
    against: tuple[str, ...] = ()  # empty: the compilers that are there
    hand: Path | None = None
    linked: tuple[str, ...] = ()
    flags: tuple[str, ...] = FLAGS


def bench(path: Path, options: BenchOptions, watch: Watch) -> Result:
    """The race of one file.  UserError where the file cannot be read, is no program, or does not build."""
    with tempfile.TemporaryDirectory(prefix="cuvier-bench-") as scratch:
        folder, toolchain = Path(scratch), Toolchain.find(options.preprocess)
        shop = Workshop(path, toolchain, options.flags)
        _others(shop, options)  # who is missing is told before the work
        watch("analysing")
        linked = objects(options.linked, toolchain, options.flags, folder)
        library = Library.load(options.skeletons)
        analysis = options_for(library.target(options.target), options.analysis)
        unit, facts = analysed(path, options.preprocess, analysis)
        shop = replace(shop, linked=linked, openmp=openmp_flags(unit, options.target))
        made = (options.target, library, options.preprocess, analysis, options.generation)

        def build(own: Path) -> Path:
            program, _ = program_of(Analysed(path, unit.source.text, unit, facts), made, check=True)
            write_program(program, own)
            return shop.made(own)

        contenders = [*_others(shop, options), Contender(CUVIER, f"Cuvier, {options.target}", build)]
        return raced(str(path), options.target, contenders, options.rules, folder, watch)


def _others(shop: Workshop, options: BenchOptions) -> list[Contender]:
    found = [named(name, shop) for name in options.against or default_names()]
    return found + ([version(shop, BY_HAND, "by hand", options.hand)] if options.hand else [])
