"""`cuvier compile`: write a program for a target."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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

if TYPE_CHECKING:
    from skeletons import Choice

EXAMPLES = (
    "cuvier compile app.c --target cuda -o build/app-cuda",
    "cuvier compile app.c -DN=100 --target opencl --explain -o out",
    "cuvier compile app.c --target openmp --without jam --strict-fp -o out",
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
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="NAME", help="Leave a transformation of nests out; repeatable."),
    ] = None,
    strict_fp: Annotated[
        bool, typer.Option("--strict-fp", help="Compute no sum in another order than FILE does.")
    ] = False,
    *,
    code: CodeOptions,
) -> None:
    """Write a program for a target, ready to build.

    It is FILE with its parallel loops running on the target; `make -C DIR` builds it.
    """
    from cuvier.console import complain, emit
    from cuvier.driver import analyse_file
    from cuvier.files import require_file
    from skeletons import CompileOptions, Library, SkeletonError, compile_unit, write_program
    from skeletons.transform.pipeline import check_transformations
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
        left_out = frozenset(without or ())
        check_transformations(left_out)
        flags = CompileOptions(
            options.include_dirs, options.defines, options.std, without=left_out, strict_fp=strict_fp
        )
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
