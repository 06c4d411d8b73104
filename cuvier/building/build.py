"""The program of a file, checked or not, with a word on what was left out."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace

import typer

from cuvier.base.console import warn
from cuvier.base.exits import Exit
from cuvier.building.check import Opinion
from cuvier.building.settle import NotBuiltError, settled
from cuvier.pipeline.driver import Analysed
from cuvier.pipeline.generate import generate
from skeletons import CompileOptions, Library, Program
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions

# What `generate` takes besides the file.
Made = tuple[str, Library, PreprocessOptions, AnalysisOptions, CompileOptions]


def program_of(found: Analysed, made: Made, *, check: bool) -> tuple[Program, tuple[Opinion, ...]]:
    """The program, and what compilers say of it, if they are asked; status 3 where they take none."""
    assert found.unit is not None
    unit, (target, library, preprocess, analysis, options) = found.unit, made

    def make(left: Mapping[str, str]) -> Program:
        own = replace(options, left={**options.left, **{name: _reason(why) for name, why in left.items()}})
        return generate(unit, found.facts, target, library, preprocess, analysis, own)

    if not check:
        return make({}), ()
    try:
        result = settled(make, found.path, unit.source.text, found.facts.loops, preprocess)
    except NotBuiltError as error:
        print(f"cuvier: internal error: {error}", file=sys.stderr)
        raise typer.Exit(Exit.INTERNAL) from None
    for why in dict.fromkeys(result.left.values()):
        names = ", ".join(name for name, other in result.left.items() if other == why)
        warn(f"left on the host, as the program does not build with it: {names} ({why}); please report this")
    return result.program, result.opinions


def _reason(why: str) -> str:
    return f"the program does not build with it ({why})"
