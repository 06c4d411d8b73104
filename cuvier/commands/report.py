"""`cuvier report`: what each loop is."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cuvier.commands.groups import flattened
from cuvier.commands.options import (
    CodeOptions,
    Files,
    GrainChoice,
    GrainName,
    MethodOptions,
    analysis_options,
    c_options,
)
from cuvier.exits import epilog

if TYPE_CHECKING:
    from cuvier.driver import Analysed

EXAMPLES = (
    "cuvier report app.c",
    "cuvier report -Iinclude -DN=100 src/",
    "cuvier report --at statement app.c",
    "cuvier report --tests gcd,banerjee app.c",
    "cuvier report --format json -o report.json src/",
)


class Format(Enum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"


def register(app: typer.Typer) -> None:
    app.command("report", epilog=epilog(*EXAMPLES))(flattened(report))


def report(
    files: Files,
    form: Annotated[
        Format, typer.Option("--format", help="A table, or JSON (see `cuvier schema`).")
    ] = Format.TEXT,
    output: Annotated[
        Path | None, typer.Option("-o", metavar="FILE", help="Write the report to FILE.")
    ] = None,
    at: GrainName = GrainChoice.NEST,
    *,
    method: MethodOptions,
    code: CodeOptions,
) -> None:
    """Say what every loop is, or why it must stay serial."""
    from cuvier.console import complain, emit, with_progress
    from cuvier.driver import analyse_file, exit_status
    from cuvier.files import collect, write_text

    inputs = collect(files)
    options = c_options(code)
    analysis = analysis_options(code, method, at)
    results = [analyse_file(each.path, options, analysis) for each in with_progress(inputs, "Analysing")]
    for result in results:
        complain(result.facts.diagnostics)
    text = _rendered(results, form, at, to_file=output is not None)
    if output:
        write_text(output, text)
    else:
        emit(text)
    raise typer.Exit(exit_status([result.facts for result in results]))


def _rendered(results: list[Analysed], form: Format, at: GrainChoice, to_file: bool) -> str:
    units = [result.facts for result in results]
    if form is Format.JSON:
        from cuvier.report.json import report_json

        return report_json(units)
    from cuvier.console import table_console
    from cuvier.report.text import print_report

    console = table_console(to_file)
    with console.capture() as capture:
        texts = [result.text for result in results]
        print_report(units, texts, console, tuples=at is not GrainChoice.NEST)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())
