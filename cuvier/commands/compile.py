"""`cuvier compile`: write a program for a target."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from cuvier.commands.generation import GenerationOptions, compile_options
from cuvier.commands.groups import flattened
from cuvier.commands.options import (
    CodeOptions,
    File,
    SkeletonFolders,
    TargetName,
    analysis_options,
    c_options,
)
from cuvier.errors import UserError
from cuvier.exits import Exit, epilog

EXAMPLES = (
    "cuvier compile app.c --target cuda -o build/app-cuda",
    "cuvier compile app.c -DN=100 --target opencl --explain -o out",
    "cuvier compile app.c --target openmp --without jam --strict-fp -o out",
    "cuvier compile app.c --target cuda --machine node7.yaml --skeleton app_k2=default -o out",
)


def register(app: typer.Typer) -> None:
    app.command("compile", epilog=epilog(*EXAMPLES))(flattened(compile_file))


def compile_file(
    file: File,
    target: TargetName,
    output: Annotated[Path, typer.Option("-o", metavar="DIR", help="Write the program to DIR.")],
    skeletons: SkeletonFolders = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say which skeletons were chosen, and why.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the same as JSON.")] = False,
    *,
    wanted: GenerationOptions,
    code: CodeOptions,
) -> None:
    """Write a program for a target, ready to build.

    It is FILE with its parallel loops running on the target; `make -C DIR` builds it.
    """
    from cuvier.choices import as_json, explained
    from cuvier.console import complain, emit
    from cuvier.driver import analyse_file
    from cuvier.files import require_file
    from skeletons import Library, SkeletonError, compile_unit, write_program
    from transfers import around_kernels

    require_file(file)
    try:
        library = Library.load(skeletons or ())
        schedules = library.target(target).schedules
        options = c_options(code)
        result = analyse_file(file, options, replace(analysis_options(code), scops=schedules))
        complain(result.facts.diagnostics)
        if result.unit is None or result.facts.status == "failed":
            raise typer.Exit(Exit.INPUT)
        flags = compile_options(options, wanted, target)
        program = compile_unit(
            result.unit, result.facts, around_kernels(result.facts), target, library, flags
        )
        write_program(program, output, file)
    except SkeletonError as error:
        raise UserError.at_place(str(error)) from error
    if json:
        emit(as_json(program, flags))
    elif explain:
        emit(explained(program, flags))
