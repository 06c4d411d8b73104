"""`cuvier compile`: write a program for a target."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.generation import GenerationOptions, ordered
from cuvier.commands.common.options import CodeOptions, File

EXAMPLES = (
    "cuvier compile app.c --target cuda -o build/app-cuda",
    "cuvier compile app.c -DN=100 --target opencl --explain -o out",
    "cuvier compile app.c --target cuda --plan -o out",
    "cuvier compile app.c --target openmp --without jam --strict-fp -o out",
    "cuvier compile app.c --target cuda --machine node7.yaml --skeleton app_k2=default -o out",
)


def register(app: typer.Typer) -> None:
    app.command("compile", epilog=epilog(*EXAMPLES))(flattened(compile_file))


def compile_file(
    file: File,
    output: Annotated[Path, typer.Option("-o", metavar="DIR", help="Write the program to DIR.")],
    explain: Annotated[
        bool, typer.Option("--explain", help="Explain which skeletons were chosen, and why.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="List each transfer between host and accelerator.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check/--no-check",
            envvar="CUVIER_CHECK",
            help="Compile the program with the installed compilers, and keep kernels that they reject on the"
            " host.",
        ),
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Print the same as JSON.")] = False,
    *,
    wanted: GenerationOptions,
    code: CodeOptions,
) -> None:
    """Write a program for a target, ready to build.

    It is FILE with its parallel loops running on the target; `make -C DIR` builds it.
    """
    from cuvier.base.console import complain, conclude, emit, tell, warn
    from cuvier.base.files import check_output, require_file
    from cuvier.building.build import program_of
    from cuvier.pipeline.driver import analyse_file
    from cuvier.pipeline.generate import options_for
    from cuvier.pipeline.summary import summarised
    from cuvier.report.choices import as_json, explained
    from cuvier.report.plan import planned
    from skeletons import Library, SkeletonError, write_program
    from skeletons.program.requested import unmade

    require_file(file)
    check_output(output)
    try:
        order = ordered(wanted, code)
        library = Library.load(order.skeletons)
        analysis = options_for(library.target(order.target), order.analysis)
        result = analyse_file(file, order.preprocess, analysis, complete=True)
        complain(result.facts.diagnostics)
        if result.unit is None or result.facts.status == "failed":
            raise typer.Exit(Exit.INPUT)
        made = (order.target, library, order.preprocess, analysis, order.generation)
        program, said = program_of(result, made, check=check)
        write_program(program, output, file)
    except SkeletonError as error:
        raise UserError.at_place(str(error)) from error
    for name in unmade(order.generation.wanted, program.choices):
        warn(f"--with {name}: nothing here to which it applies (--explain says more)")
    found = summarised(program, result.facts, order.target, order.generation)
    if json:
        emit(as_json(program, order.generation, found))
    elif explain:
        tell(explained(program, order.generation) + "".join(f"{opinion}\n" for opinion in said))
    if plan and not json:
        tell(planned(program))
    conclude(found.text, is_bad=not found.run)
