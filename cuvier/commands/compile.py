"""`cuvier compile`: write a program for a target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.commands.options import (
    Compiler,
    Define,
    EffectsFile,
    File,
    Include,
    SkeletonFolders,
    Standard,
    StrictAliasing,
    TargetName,
    analysis_options,
    c_options,
)
from cuvier.errors import UserError
from cuvier.exits import Exit, epilog

if TYPE_CHECKING:
    from skeletons import Choice

EXAMPLES = (
    "cuvier compile app.c --target cuda -o build/app-cuda",
    "cuvier compile app.c -DN=100 --target opencl --explain -o out",
)


def register(app: typer.Typer) -> None:
    app.command("compile", epilog=epilog(*EXAMPLES))(compile_file)


def compile_file(
    file: File,
    target: TargetName,
    output: Annotated[Path, typer.Option("-o", metavar="DIR", help="Write the program to DIR.")],
    skeletons: SkeletonFolders = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say which skeletons were chosen, and why.")
    ] = False,
    effects: EffectsFile = None,
    strict_aliasing: StrictAliasing = True,
    include: Include = None,
    define: Define = None,
    cc: Compiler = None,
    std: Standard = None,
) -> None:
    """Write a program for a target, ready to build.

    It is FILE with its parallel loops running on the target; `make -C DIR` builds it.
    """
    from cuvier.console import complain, emit
    from cuvier.driver import analyse_file
    from cuvier.files import require_file
    from skeletons import CompileOptions, Library, SkeletonError, compile_unit, write_program
    from transfers import around_kernels

    require_file(file)
    try:
        library = Library.load(skeletons or ())
        library.target(target)
        options = c_options(include, define, cc, std)
        result = analyse_file(
            file, options, analysis_options(effects=effects, strict_aliasing=strict_aliasing)
        )
        complain(result.facts.diagnostics)
        if result.unit is None or result.facts.status == "failed":
            raise typer.Exit(Exit.INPUT)
        flags = CompileOptions(options.include_dirs, options.defines, options.std)
        program = compile_unit(
            result.unit, result.facts, around_kernels(result.facts), target, library, flags
        )
        write_program(program, output)
    except SkeletonError as error:
        raise UserError.at_place(str(error)) from error
    if explain:
        emit("".join(_explained(choice) for choice in program.choices))


def _explained(choice: Choice) -> str:
    name = choice.skeleton.name if choice.skeleton else "none, it stays on the host"
    lines = [f"{choice.kernel.name}: {name}"]
    for candidate, accepted, reason in choice.why:
        lines.append(f"  {'taken' if accepted else 'not'} {candidate}: {reason}")
    return "\n".join(lines) + "\n"
