"""`cuvier tune`: search the parameters of a program's skeletons by measurement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from cuvier.tuning.report import Report
    from cuvier.tuning.tune import TuneOptions

EXAMPLES = (
    "cuvier tune app.c --target opencl --budget 120",
    "cuvier tune app.c --target openmp --kernel app_n1 -DN=2000 -- input.txt",
    "cuvier compile app.c --target opencl --tuned -o out",
)


def register(app: typer.Typer) -> None:
    app.command("tune", epilog=epilog(*EXAMPLES))(flattened(tune_file))


def tune_file(
    file: File,
    target: TargetName,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARG...]", help="Arguments of the program, after `--`.")
    ] = None,
    budget: Annotated[
        float, typer.Option("--budget", metavar="SECONDS", min=1.0, help="Start no new program after this.")
    ] = 60.0,
    kernel: Annotated[
        str | None, typer.Option("--kernel", metavar="NAME", help="Tune only this one.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FILE", help="Where results are kept [default: ~/.cache/cuvier/tuned.json]."
        ),
    ] = None,
    skeletons: SkeletonFolders = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=0.1, help="Seconds that each program may run.")
    ] = 60.0,
    *,
    wanted: GenerationOptions,
    code: CodeOptions,
) -> None:
    """Build and run FILE's program for the target with other parameters, and keep the fastest.

    The parameters are those that skeletons declare, such as block sizes; they are doubled and halved, one
    after the other, for all kernels at once.  What prints something else is thrown away, and in the end the
    program with the best ones is verified as `cuvier verify` does.  `cuvier compile --tuned` uses what was
    found.  Ctrl-C ends the search; what was found until then is verified and kept.
    """
    from cuvier.files import require_file
    from cuvier.tuning.store import default_path
    from cuvier.tuning.tune import TuneOptions
    from skeletons import SkeletonError

    flags = c_options(code)
    options = TuneOptions(
        preprocess=flags,
        analysis=analysis_options(code),
        generation=compile_options(flags, wanted, target),
        skeletons=tuple(skeletons or ()),
        arguments=tuple(arguments or ()),
        budget=budget,
        timeout=timeout,
        kernel=kernel,
        keep=output or default_path(),
    )
    try:
        report = _watched(require_file(file), target, options)
    except SkeletonError as error:
        raise UserError.at_place(str(error)) from error
    _show(report, json)
    raise typer.Exit(Exit.OK if report.ok else Exit.NEGATIVE)


def _watched(file: Path, target: str, options: TuneOptions) -> Report:
    """Tune with a bar of the budget on a terminal."""
    from cuvier.console import budget_bar
    from cuvier.tuning.tune import tune

    with budget_bar(options.budget, "Tuning") as watch:
        return tune(file, target, options, watch)


def _show(report: Report, json: bool) -> None:
    from cuvier.console import emit

    emit(report.as_json() if json else report.as_text())
