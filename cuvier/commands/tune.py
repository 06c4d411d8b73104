"""`cuvier tune`: search the parameters of a program's skeletons by measurement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.base.errors import UserError
from cuvier.base.exits import Exit, epilog
from cuvier.base.option_groups import flattened
from cuvier.commands.common.generation import Arguments, AsJson, GenerationOptions, Timeout, ordered
from cuvier.commands.common.options import CodeOptions, File

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
    arguments: Arguments = None,
    budget: Annotated[
        float,
        typer.Option("--budget", metavar="SECONDS", min=1.0, help="Start no new program after SECONDS."),
    ] = 60.0,
    kernel: Annotated[
        str | None, typer.Option("--kernel", metavar="NAME", help="Tune only this kernel.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FILE", help="Where results are kept [default: ~/.cache/cuvier/tuned.json]."
        ),
    ] = None,
    json: AsJson = False,
    timeout: Timeout = 60.0,
    *,
    wanted: GenerationOptions,
    code: CodeOptions,
) -> None:
    """Search for the fastest parameters of FILE's kernels by building and running the program.

    The parameters are those that skeletons declare, such as block sizes; they are doubled and halved, one
    after the other, for all kernels at once.  Programs that print something else are discarded, and at the
    end the program with the best parameters is verified as by `cuvier verify`.  `cuvier compile --tuned` uses
    the results.  Ctrl-C ends the search; the best parameters so far are verified and kept.
    """
    from cuvier.base.files import require_file
    from cuvier.tuning.store import default_path
    from cuvier.tuning.tune import TuneOptions
    from skeletons import SkeletonError

    order = ordered(wanted, code, versions=False)
    options = TuneOptions(
        preprocess=order.preprocess,
        analysis=order.analysis,
        generation=order.generation,
        skeletons=order.skeletons,
        arguments=tuple(arguments or ()),
        budget=budget,
        timeout=timeout,
        kernel=kernel,
        keep=output or default_path(),
    )
    try:
        report = _watched(require_file(file), order.target, options)
    except SkeletonError as error:
        raise UserError.at_place(str(error)) from error
    _show(report, json)
    raise typer.Exit(Exit.OK if report.ok else Exit.NEGATIVE)


def _watched(file: Path, target: str, options: TuneOptions) -> Report:
    """Tune with a bar of the budget on a terminal."""
    from cuvier.base.progress_bars import budget_bar
    from cuvier.tuning.tune import tune

    with budget_bar(options.budget, "Tuning") as watch:
        return tune(file, target, options, watch)


def _show(report: Report, json: bool) -> None:
    from cuvier.base.console import emit, tell

    emit(report.as_json()) if json else tell(report.as_text())
