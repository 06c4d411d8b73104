"""Arguments and options that several commands share, and what they mean to the front end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.errors import UserError

if TYPE_CHECKING:
    from species import AnalysisOptions
    from species.source import PreprocessOptions
    from species.symbols.effect_table import Effect


class TheoryChoice(Enum):
    """By which theory species are derived (docs/species.md)."""

    REFERENCES = "references"
    POLYHEDRAL = "polyhedral"


class GrainChoice(Enum):
    """Of what the array reference characterisations are shown."""

    NEST = "nest"
    LOOP = "loop"
    STATEMENT = "statement"


File = Annotated[Path, typer.Argument(metavar="FILE", help="A C file.")]
Include = Annotated[
    list[str] | None, typer.Option("-I", metavar="DIR", help="Search DIR for #include; repeatable.")
]
Define = Annotated[
    list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro; repeatable.")
]
Undefine = Annotated[
    list[str] | None, typer.Option("-U", metavar="NAME", help="Undefine a macro; repeatable.")
]
First = Annotated[
    list[str] | None, typer.Option("-include", metavar="FILE", help="Include FILE first; repeatable.")
]
Quoted = Annotated[
    list[str] | None,
    typer.Option("-iquote", metavar="DIR", help='Search DIR for #include "..." only; repeatable.'),
]
System = Annotated[
    list[str] | None,
    typer.Option("-isystem", metavar="DIR", help="Search DIR for headers of the system; repeatable."),
]
Compiler = Annotated[
    str | None,
    typer.Option(
        "--cc", metavar="COMMAND", help="The C compiler, or 'none' [default: $CC, cc, gcc or clang]."
    ),
]
Standard = Annotated[str | None, typer.Option("--std", metavar="STD", help="The C standard, as in -std=STD.")]
SkeletonFolders = Annotated[
    list[Path] | None,
    typer.Option("--skeletons", metavar="DIR", help="Add the skeletons in DIR, <target>/*.yaml; repeatable."),
]
TheoryName = Annotated[
    TheoryChoice,
    typer.Option("--theory", help="Derive species by array references, or by the polyhedral theory."),
]
GrainName = Annotated[
    GrainChoice, typer.Option("--at", help="Also show the tuples of every loop, or of every statement too.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Also show conditions as they are in C.")]
TestNames = Annotated[
    str,
    typer.Option(
        "--tests",
        metavar="NAMES",
        help="The dependence tests: exact, or gcd and banerjee alone, as in --tests gcd,banerjee.",
    ),
]
Seconds = Annotated[
    float,
    typer.Option(
        "--budget",
        metavar="SECONDS",
        min=0.001,
        help="How long the analysis may take per loop nest, in seconds of an average machine.",
    ),
]
EXACT_TEST = "exact"
BUDGET = 2.0
EffectsFile = Annotated[
    Path | None,
    typer.Option(
        "--effects",
        metavar="FILE",
        help="The effects of functions, in YAML like species/symbols/effects.yaml.",
    ),
]
StrictAliasing = Annotated[
    bool,
    typer.Option(
        "--strict-aliasing/--no-strict-aliasing",
        help="Assume that objects of different types do not alias (C11 6.5p7; -fstrict-aliasing).",
    ),
]
ErrorOrder = Annotated[
    bool,
    typer.Option(
        "--error-order/--no-error-order",
        help="Preserve which iteration ends the program with an error.",
    ),
]


@dataclass(frozen=True)
class CodeOptions:
    """How the code is compiled, and what is taken for granted of it."""

    effects: EffectsFile = None
    strict_aliasing: StrictAliasing = True
    error_order: ErrorOrder = True
    include: Include = None
    define: Define = None
    undefine: Undefine = None
    first: First = None
    quoted: Quoted = None
    system: System = None
    cc: Compiler = None
    std: Standard = None


@dataclass(frozen=True)
class MethodOptions:
    """How loops are analysed."""

    theory: TheoryName = TheoryChoice.REFERENCES
    tests: TestNames = EXACT_TEST
    budget: Seconds = BUDGET


DEFAULT_METHOD = MethodOptions()


def c_options(code: CodeOptions) -> PreprocessOptions:
    """The front end's options for these flags."""
    from species.source import PreprocessOptions

    folders, macros = tuple(code.include or ()), tuple(code.define or ())
    return PreprocessOptions(folders, macros, code.cc, code.std, _flags(code))


def _flags(code: CodeOptions) -> tuple[str, ...]:
    """What there is no field for, as the compiler takes it."""
    return (
        *(f"-iquote{folder}" for folder in code.quoted or ()),
        *(f"-isystem{folder}" for folder in code.system or ()),
        *(f"-U{name}" for name in code.undefine or ()),
        *(word for name in code.first or () for word in ("-include", name)),
    )


def analysis_options(
    code: CodeOptions, method: MethodOptions = DEFAULT_METHOD, at: GrainChoice = GrainChoice.NEST
) -> AnalysisOptions:
    """The analyser's options for these flags."""
    from species.analysis.options import AnalysisOptions

    return AnalysisOptions(
        theory=method.theory.value,
        at=at.value,
        effects=_effects(code.effects),
        tests=_test_names(method.tests),
        budget=method.budget,
        strict_aliasing=code.strict_aliasing,
        error_order=code.error_order,
    )


def _effects(path: Path | None) -> tuple[Effect, ...]:
    from cuvier.base.files import read_text, require_file
    from species.symbols.effect_table import EffectsError, read_table

    try:
        return read_table(read_text(require_file(path)), str(path)) if path else ()
    except EffectsError as error:
        raise UserError(str(error)) from error


def _test_names(text: str) -> tuple[str, ...]:
    """The names in `gcd,banerjee`."""
    from species.dependence.exact.gcd_banerjee import EXACT, TESTS

    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    unknown = next((name for name in names if name not in (EXACT, *TESTS)), None)
    if unknown is not None:
        choices = ", ".join((EXACT, *TESTS))
        raise UserError(f"--tests knows no '{unknown}'; choose from {choices}, as in --tests gcd,banerjee")
    return names
